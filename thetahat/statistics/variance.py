"""Variance of a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.statistics._columns import require_one_column
from thetahat.statistics._spread import SpreadFunctional, check_ddof
from thetahat.statistics.base import Sample, Statistic


@dataclass(frozen=True, slots=True)
class Variance(Statistic):
    """Mean squared deviation from the mean.

    Its bootstrap bias is :math:`-s^2/n` except for chance, with ddof 1 and with ddof 0, because the
    values of a resample repeat. ``bias_corrected`` is then :math:`s^2 (1 + 1/n)`. Chapter 10 of the
    source.

    Degenerate cases: a resample of one value many times has variance 0.

    Parameters
    ----------
    ddof : int
        What is taken off n: 1, or 0 for the variance of these values themselves.
    """

    ddof: int = 1

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Variance of a sample",
        summary="The mean squared deviation from the mean.",
        formula=r"\frac{1}{n - \mathrm{ddof}} \sum_i (x_i - \bar x)^2",
        references=("efron1993",),
        assumptions="Independent values of one distribution with a finite fourth moment.",
        errs=(
            "Intervals are too short with few or heavy-tailed values, and percentile intervals lie "
            "too low."
        ),
        blocks=EVERY_BLOCK_KIND,
    )

    def __post_init__(self) -> None:
        check_ddof(self.ddof)

    def build_functional(self, sample: Sample, *, fast: bool) -> SpreadFunctional:
        """Return the variance on that sample as a function of row counts."""
        del fast
        return SpreadFunctional(require_one_column("variance", sample, 2), self.ddof, root=False)
