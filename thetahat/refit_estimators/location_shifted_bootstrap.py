"""Location-shifted bootstrap interval of the .632+ error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import PUBLISHED_COVERAGE_IS_LOW
from thetahat.intervals.base import Interval
from thetahat.parameter_checks import check_count
from thetahat.refit_estimators._percentiles import build_percentile_interval
from thetahat.refit_estimators._resamples import ResamplesDesign, compute_out_of_bag_errors
from thetahat.refit_estimators.base import BuildsInterval, RefitLosses, describe_refit
from thetahat.refit_estimators.bootstrap_632_plus import NOT_OF_PAIRS, combine_632_plus
from thetahat.registry import MethodInfo
from thetahat.schemes._class_draws import caution_about_repeated_draws
from thetahat.values.types import Alternative


@dataclass(frozen=True, slots=True, kw_only=True)
class LocationShiftedBootstrap(BuildsInterval):
    """Percentiles of the apparent errors of resamples, moved to the .632+ estimate.

    err*_b is the error of the model fitted to resample b on that resample, and err that of the
    model fitted to all data on all data.

    Parameters
    ----------
    n_resamples : int
        B.

    Degenerate cases: a learner that memorises its training data has err* = 0 in all resamples,
    and no interval is built.
    """

    n_resamples: int = 200

    info: ClassVar[MethodInfo] = describe_refit(
        title="Location-shifted bootstrap interval",
        summary=(
            "Percentiles of the errors that models fitted to resamples make on their own "
            "resample, shifted so that they centre on the .632+ estimate."
        ),
        formula=(
            r"\bigl[q_{\alpha/2}(\overline{err}^*) - b,\; q_{1-\alpha/2}(\overline{err}^*) - b"
            r"\bigr], \quad b = \overline{err} - \widehat{Err}^{.632+}"
        ),
        references=("noma2021", "schulz2024"),
        assumptions="Errors on the training data vary as the estimate of error does.",
        errs=(
            "Far too short: in the largest published comparison it covered in about half of the "
            "cases. It is the shorter, the more closely the learner fits its training data."
        ),
        never_recommended=True,
    )
    reason_against_pairs: ClassVar[str | None] = NOT_OF_PAIRS

    def __post_init__(self) -> None:
        check_count("n_resamples", self.n_resamples, 10)

    @property
    def design(self) -> ResamplesDesign:
        """Resamples of the rows."""
        return ResamplesDesign(self.n_resamples)

    def interval(
        self, fits: RefitLosses, level: float, alternative: Alternative
    ) -> Interval | None:
        """Build the interval; None if the errors on the training data do not vary."""
        out = compute_out_of_bag_errors(self.design, fits)
        plus = combine_632_plus(out, fits)
        return build_percentile_interval(
            self.info,
            plus.estimate,
            self.design.in_bag_errors(fits),
            plus.apparent - plus.estimate,
            level,
            alternative,
            (
                PUBLISHED_COVERAGE_IS_LOW(),
                *plus.cautions,
                *caution_about_repeated_draws(out.n_drawn_again, self.n_resamples),
            ),
        )
