"""What a paired test is and what it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np

from thetahat.block_losses import BlockLosses
from thetahat.layout import Layout
from thetahat.registry import MethodInfo
from thetahat.types import Alternative, Caution


@dataclass(frozen=True, slots=True, eq=False)
class PairedLosses:
    """Two models over one layout; ``difference`` is a minus b, so negative means a is better."""

    a: BlockLosses
    b: BlockLosses
    difference: BlockLosses


@dataclass(frozen=True, slots=True, kw_only=True)
class TestOutcome:
    """The outcome of one paired test.

    Parameters
    ----------
    statistic : float or None
        None where it is infinite or undefined, with a caution.
    p_value : float or None
        In [0, 1]; None where no p-value can be stood by, with a caution.
    degrees_of_freedom : float or None
        None where the reference distribution has none.
    unit : str
        What was paired: ``block``, ``instance`` or ``cluster``.
    cautions : tuple of Caution
        What to know before using it.
    details : mapping
        Further fields for the result, as plain JSON values.
    """

    __test__ = False  # the name is the field's word, not pytest's

    statistic: float | None
    p_value: float | None
    degrees_of_freedom: float | None
    unit: str
    cautions: tuple[Caution, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


class PairedTest(Protocol):
    """A frozen dataclass whose fields are the method's parameters."""

    info: ClassVar[MethodInfo]

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the test cannot be used on this layout, or None."""
        ...

    def test(
        self, pair: PairedLosses, alternative: Alternative, rng: np.random.Generator
    ) -> TestOutcome:
        """Test the null hypothesis of no difference."""
        ...
