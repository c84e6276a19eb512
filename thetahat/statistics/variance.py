"""Variance of a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.statistics._one_sample import OneSample, one_column
from thetahat.statistics._spread import OfSpread, check_ddof
from thetahat.statistics.base import Sample


@dataclass(frozen=True, slots=True)
class Variance(OneSample):
    r"""Mean squared deviation from the mean.

    .. math:: s^2 = \frac{1}{n - \mathrm{ddof}} \sum_{i=1}^n (x_i - \bar x)^2

    Its bootstrap bias is :math:`-s^2/n` but for chance, with ddof 1 and with ddof 0: a resample's
    values repeat. ``bias_corrected`` then is :math:`s^2 (1 + 1/n)`.

    Assumes independent values of one distribution with a finite fourth moment.

    Source: efron1993, chapter 10.

    Degenerate cases: a resample of one value many times has variance 0.

    Parameters
    ----------
    ddof : int
        What is taken off n: 1, or 0 for the variance of these values themselves.
    """

    ddof: int = 1

    info: ClassVar[MethodInfo] = MethodInfo(
        name="variance",
        title="Variance of a sample",
        summary="The mean squared deviation from the mean.",
        formula=r"\frac{1}{n - \mathrm{ddof}} \sum_i (x_i - \bar x)^2",
        references=("efron1993",),
        assumptions="Independent values of one distribution with a finite fourth moment.",
        errs=(
            "Its intervals are too short with few or heavy-tailed values; percentile's lie too low."
        ),
        blocks=EVERY_BLOCK_KIND,
    )

    def __post_init__(self) -> None:
        check_ddof(self.ddof)

    def on(self, sample: Sample, *, fast: bool) -> OfSpread:
        """Return the variance on that sample."""
        del fast
        return OfSpread(one_column("variance", sample, 2), self.ddof, root=False)


METHOD = Variance
