"""Bias-corrected and accelerated bootstrap interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import Caution
from thetahat.intervals.base import ResampledInterval
from thetahat.numerics.bootstrap import Replicates
from thetahat.numerics.bootstrap.interval_ends import EndDistances, bca_reach
from thetahat.registry import FOLDS, HOLDOUT, SOURCES, MethodInfo
from thetahat.traits import IntervalTraits, Recommendation, ReplicateForm
from thetahat.values.types import Needs, Target


@dataclass(frozen=True, slots=True)
class Bca(ResampledInterval):
    r"""Quantiles of the means of resamples at levels that allow for bias and skewness.

    :math:`z_i` are the normal quantiles of alpha/2 and 1 - alpha/2, and :math:`\hat z_0` that of
    the share of replicates below the mean (with half of those equal to it). The acceleration is

    .. math:: \hat a = \frac{\sum_u U_u^3}{6 (\sum_u U_u^2)^{3/2}}

    with U the deviations of the jackknife, here in closed form. Resamples are drawn as for
    ``percentile``; over several blocks the jackknife is that of several samples (davison1997,
    section 5.3).

    Deviations: quantiles are interpolated between replicates (numpy's default).

    Degenerate cases: losses that do not vary give no interval. If all replicates are on one side of
    the mean, or the acceleration is too large for the level, the ends are open, with a caution.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Bias-corrected and accelerated (BCa) bootstrap interval",
        summary=(
            "The interval between two quantiles of the means of resamples, at levels that allow "
            "for the bias and the skewness of the replicates."
        ),
        formula=(
            r"\left[\hat\mu^*_{(\alpha_1)}, \hat\mu^*_{(\alpha_2)}\right],\quad \alpha_i = "
            r"\Phi\left(\hat z_0 + \frac{\hat z_0 + z_i}{1 - \hat a (\hat z_0 + z_i)}\right)"
        ),
        references=("davison1997", "efron1987"),
        assumptions="Independent units (instances, clusters or sources).",
        errs=(
            "Second-order correct: closer to its level than percentile and basic where losses are "
            "skewed. Too short with few units. It leaves out how much results change with other "
            "training data."
        ),
        needs=Needs.SPLITS,
        targets=(Target.NEW_SOURCE, Target.THESE_MODELS),
        recommended=(
            Recommendation(blocks=FOLDS | HOLDOUT, target=Target.THESE_MODELS, own=91),
            Recommendation(blocks=SOURCES, target=Target.NEW_SOURCE, own=91),
        ),
        interval=IntervalTraits(from_replicates=ReplicateForm.BCA, headline_rank=10),
    )

    def find_ends(
        self, replicates: Replicates, tail: float
    ) -> tuple[EndDistances, tuple[Caution, ...]]:
        """Return the distances between the ends and the mean, and the cautions about them."""
        return bca_reach(
            replicates.sorted_deviations, replicates.acceleration, tail, replicates.rounding
        )
