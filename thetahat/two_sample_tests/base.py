"""The interface of tests of two independent samples, and their outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

import numpy as np

from thetahat.cautions import Caution
from thetahat.registry import MethodInfo
from thetahat.statistics.base import Sample
from thetahat.values.types import Alternative


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoSampleOutcome:
    """Outcome of a test of two independent samples."""

    difference: float
    """Mean of x minus mean of y."""
    statistic: float | None
    """Test statistic; None if it is infinite or undefined."""
    alternative: Alternative
    """Direction that the test is against: ``less`` is a smaller mean of x."""
    p_value: float
    """p-value."""
    monte_carlo_error: float
    """Standard error of the p-value from drawing permutations; 0 if all of them are counted."""
    method: Literal["exact", "random"]
    """``exact`` if all permutations are counted, ``random`` if they are drawn."""
    n_permutations: int
    """Number of permutations that are counted or drawn."""
    cautions: tuple[Caution, ...] = ()
    """What to know before using the outcome."""


class TwoSampleTest(Protocol):
    """A frozen dataclass whose fields are the test's parameters."""

    info: ClassVar[MethodInfo]

    def inapplicable(self, n_x: int, n_y: int) -> str | None:
        """Return why the test cannot be used on samples of these sizes, or None."""
        ...

    def test(
        self, sample: Sample, alternative: Alternative, rng: np.random.Generator
    ) -> TwoSampleOutcome:
        """Test that the samples x and y have the same mean."""
        ...
