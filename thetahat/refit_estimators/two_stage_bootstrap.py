"""Two-stage bootstrap interval of the .632+ error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cautions import COVERAGE_DISAGREES
from thetahat.intervals.base import Interval
from thetahat.refit_estimators._parameters import INDEPENDENT_ROWS, require_at_least
from thetahat.refit_estimators._percentiles import percentile_interval
from thetahat.refit_estimators._two_stages import TwoStages
from thetahat.refit_estimators.base import INTERVALS_LIST, Fits
from thetahat.refit_estimators.bootstrap_632_plus import NOT_OF_PAIRS
from thetahat.registry import MethodInfo
from thetahat.values.types import Alternative, MeanKind, Needs, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoStageBootstrap:
    r"""Percentiles of the .632+ estimates of resamples of the data.

    .. math:: \bigl[q_{\alpha/2}(\widehat{Err}^{*}),\; q_{1-\alpha/2}(\widehat{Err}^{*})\bigr]

    with Err* the .632+ estimate of a resample, made from resamples of it. The estimate is the
    .632+ error of the data, from as many resamples.

    Parameters
    ----------
    n_outer, n_inner : int
        Resamples of the data, and of each of those.

    Assumes that resamples are to the data as the data are to the population. Rows that stand
    several times in a resample make it an easier sample to learn than the data.

    Source: noma2021; schulz2024 for how it covers.

    Deviations: an instance of a resample is out of an inner bag where none of its copies is in
    it; some packages look at copies one by one, and test on what was learnt.

    Degenerate cases: estimates that do not vary build no interval.
    """

    n_outer: int = 200
    n_inner: int = 10

    info: ClassVar[MethodInfo] = MethodInfo(
        name="two_stage_bootstrap",
        title="Two-stage bootstrap interval",
        summary=(
            "Percentiles of the .632+ estimates of bootstrap resamples, each made from resamples "
            "of the resample."
        ),
        formula=(
            r"\bigl[q_{\alpha/2}(\widehat{Err}^{*}),\; q_{1-\alpha/2}(\widehat{Err}^{*})\bigr]"
        ),
        references=("noma2021", "schulz2024"),
        assumptions="Resamples are to the data as the data are to the population.",
        errs=(
            "In the largest benchmark it covers about every second time: where copies of what was "
            "learnt are tested, errors are too small. Without them, as here, it covered nearly as "
            "often as it says in samples of 50 rows."
        ),
        needs=Needs.REFITS,
        blocks=INDEPENDENT_ROWS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.POOLED,
    )
    by_request_only: ClassVar[bool] = True
    gives: ClassVar[frozenset[str]] = frozenset({INTERVALS_LIST})
    is_own_estimate: ClassVar[bool] = False
    not_of_pairs: ClassVar[str | None] = NOT_OF_PAIRS

    def __post_init__(self) -> None:
        require_at_least("n_outer", self.n_outer, 10)
        require_at_least("n_inner", self.n_inner, 1)

    @property
    def design(self) -> TwoStages:
        """Resamples of the rows, and resamples of those."""
        return TwoStages(self.n_outer, self.n_inner)

    def interval(self, fits: Fits, level: float, alternative: Alternative) -> Interval | None:
        """Build the interval; None where the estimates do not vary."""
        of_data, *of_resamples = self.design.estimates(fits)
        return percentile_interval(
            self.info,
            of_data.estimate,
            np.array([plus.estimate for plus in of_resamples]),
            0.0,
            level,
            alternative,
            (COVERAGE_DISAGREES(), *of_data.cautions),
        )


METHOD = TwoStageBootstrap
