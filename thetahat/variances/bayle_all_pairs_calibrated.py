"""All-pairs variance with degrees of freedom that were calibrated, for folds of one instance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, MethodInfo
from thetahat.traits import Recommendation
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Target
from thetahat.variances._applicability import explain_missing_rows, explain_wrong_block_kind
from thetahat.variances._building import (
    TRAINING_IGNORED,
    build_estimate,
    check_several_repeats,
)
from thetahat.variances._quadratic_forms import average_over_repeats
from thetahat.variances.base import VarianceEstimate
from thetahat.variances.bayle_all_pairs import sum_squares_over_n
from thetahat.variances.bayle_within_calibrated import MAX_DEGREES


@dataclass(frozen=True, slots=True)
class BayleAllPairsCalibrated:
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
        name="bayle_all_pairs_calibrated",
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
        reason = explain_wrong_block_kind(self.info, layout) or explain_missing_rows(
            self.info, layout
        )
        if reason is not None or layout.smallest_block == 1:
            return reason
        return (
            f"{self.info.name} is for folds of which one has a single instance; where all have "
            "more, bayle_within_calibrated takes its place"
        )

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the pooled mean, given the trained models."""
        return build_estimate(
            self.info,
            losses,
            average_over_repeats(losses.moments, sum_squares_over_n),
            min(float(losses.layout.n_instances - 1), MAX_DEGREES),
            cautions=(TRAINING_IGNORED, *check_several_repeats(losses)),
        )


METHOD = BayleAllPairsCalibrated
