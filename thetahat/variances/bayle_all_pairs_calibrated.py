"""All-pairs variance with degrees of freedom that were calibrated, for folds of one instance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, MethodInfo
from thetahat.traits import Recommendation
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Target
from thetahat.variances.bayle_all_pairs import BayleAllPairs
from thetahat.variances.bayle_within_calibrated import MAX_DEGREES


@dataclass(frozen=True, slots=True)
class BayleAllPairsCalibrated(BayleAllPairs):
    r"""The variance of ``bayle_all_pairs``, with at most nine degrees of freedom.

    :math:`e_i` are the N losses and :math:`\bar e` is their mean over all instances. The degrees
    of freedom are :math:`\min(N - 1, 9)`. It is for leave-one-out and other folds of which one has
    a single instance, where ``bayle_within_calibrated`` cannot be computed.

    Deviations: the source has normal quantiles, which are right as N grows. With 50 and 200 rows
    the distance between the average error of the trained models and the mean of leave-one-out
    varied by 1.02 to 1.66 times the estimated standard error. Over ten light-tailed cases of
    ``docs/results/interval_coverage/fitted_models`` intervals covered in .895 with normal quantiles
    and in .957 with nine degrees of freedom and the skewness-corrected interval (.735 and .89 on a
    curve with heavy tails).

    Degenerate cases: equal losses give 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="All-pairs variance with calibrated degrees of freedom",
        summary=(
            "The variance of bayle_all_pairs with at most nine degrees of freedom, for "
            "leave-one-out: intervals for the error of the trained models then also cover with few "
            "instances, where that error itself varies with the training data."
        ),
        formula=r"\frac{1}{N^2} \sum_i (e_i - \bar e)^2, \quad \nu = \min(N - 1, 9)",
        references=("bayle2020",),
        assumptions=(
            "Leave-one-out, and a learner that changes moderately with its training data. The "
            "degrees of freedom are those with which intervals covered near their level in our "
            "study. The target is the error of the trained models."
        ),
        errs=(
            "With a t quantile slightly too long with many instances, and too short for "
            "heavy-tailed losses or where parameters are nearly as many as instances."
        ),
        blocks=FOLDS,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        recommended=(
            Recommendation(
                blocks=FOLDS, target=Target.THESE_MODELS, skewed=17, t=18, fixed_models=False
            ),
        ),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        reason = BayleAllPairs.inapplicable(self, layout)
        if reason is not None or layout.smallest_block == 1:
            return reason
        return (
            f"{self.info.name} is for folds of which one has a single instance; where all have "
            "more, bayle_within_calibrated takes its place"
        )

    def count_degrees(self, losses: BlockLosses) -> float | None:
        """Return the degrees of freedom of t intervals."""
        return min(float(losses.layout.n_instances - 1), MAX_DEGREES)
