"""Percentile interval of bootstrap case cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.intervals.base import Interval
from thetahat.refit_estimators._case_deletions import CaseDeletions
from thetahat.refit_estimators._parameters import INDEPENDENT_ROWS, require_at_least
from thetahat.refit_estimators._percentiles import percentile_interval
from thetahat.refit_estimators.base import INTERVALS_LIST, Fits
from thetahat.registry import MethodInfo
from thetahat.values.types import Alternative, MeanKind, Needs, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class BccvPercentile:
    r"""Percentiles of the leave-one-case-out errors of bootstrap resamples.

    .. math:: \hat\mu_b = \frac1n \sum_{i : M_{ib} > 0} M_{ib}\, L_{ib}

    with M_ib how often instance i stands in resample b, and L_ib its loss under the model fitted
    to the resample without all its copies. The estimate is the leave-one-out error of the data.

    Parameters
    ----------
    n_resamples : int
        B.
    correct_bias : bool
        Whether the interval is moved by what the mean of the mu_b is above the leave-one-out
        error of the data.

    Assumes independent instances. A resample has fewer different instances than the data, so the
    mu_b are too large, which ``correct_bias`` takes off.

    Source: jiang2008; schulz2024 for how it covers.

    Degenerate cases: equal mu_b build no interval.
    """

    n_resamples: int = 100
    correct_bias: bool = False

    info: ClassVar[MethodInfo] = MethodInfo(
        name="bccv_percentile",
        title="Bootstrap case cross-validation, percentile interval",
        summary=(
            "Percentiles of the leave-one-out errors of bootstrap resamples, in which all copies "
            "of an instance are left out together."
        ),
        formula=r"\hat\mu_b = \frac1n \sum_{i : M_{ib} > 0} M_{ib}\, L_{ib}",
        references=("jiang2008", "schulz2024"),
        assumptions="Instances are independent.",
        errs=(
            "Covers nearly as often as it says in the largest benchmark; it lies somewhat high, "
            "for a resample has fewer different instances than the data."
        ),
        needs=Needs.REFITS,
        blocks=INDEPENDENT_ROWS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.POOLED,
    )
    by_request_only: ClassVar[bool] = True
    gives: ClassVar[frozenset[str]] = frozenset({INTERVALS_LIST})
    is_own_estimate: ClassVar[bool] = False
    not_of_pairs: ClassVar[str | None] = None

    def __post_init__(self) -> None:
        require_at_least("n_resamples", self.n_resamples, 10)

    @property
    def design(self) -> CaseDeletions:
        """Resamples without one case."""
        return CaseDeletions(self.n_resamples)

    def interval(self, fits: Fits, level: float, alternative: Alternative) -> Interval | None:
        """Build the interval; None where the errors of the resamples do not vary."""
        error, replicates = self.design.means(fits)
        shift = float(replicates.mean()) - error if self.correct_bias else 0.0
        return percentile_interval(self.info, error, replicates, shift, level, alternative)


METHOD = BccvPercentile
