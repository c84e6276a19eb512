"""What the tests over rows of mean losses share: their unit, and the layouts that have rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.multiple_tests._rows import row_refusal
from thetahat.paired_tests._choices import check_choice
from thetahat.registry import MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import UNITS, UnitName


@dataclass(frozen=True, slots=True)
class RowTest:
    """A test whose rows are block means, or clusters or instances of a holdout.

    Parameters
    ----------
    unit : str or None
        What a row is: ``instance``, ``cluster`` or ``block``. Left out: blocks; for a holdout
        clusters, where they are known, or instances.
    """

    unit: UnitName | None = None

    info: ClassVar[MethodInfo]

    def __post_init__(self) -> None:
        check_choice("unit", self.unit, UNITS)

    def inapplicable(self, layout: Layout, n_models: int) -> str | None:
        """Say why there are no such rows, or too few rows or models, or None."""
        return row_refusal(self.info.name, layout, n_models, self.unit)
