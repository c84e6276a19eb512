"""Within-fold variance of the cross-validated mean, for the error of the trained models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.moments import BlockMoments
from thetahat.values.types import MeanKind, Target
from thetahat.variances._building import TRAINING_IGNORED, build_estimate, check_several_repeats
from thetahat.variances._quadratic_forms import average_over_repeats
from thetahat.variances.base import BlockVariance, VarianceEstimate


@dataclass(frozen=True, slots=True)
class BayleWithin(BlockVariance):
    """Average variance within folds, over the number of instances.

    :math:`V_k` is the variance of the losses within fold k (ddof 1), and N is the number of
    instances.

    Deviations: folds of unequal size take the plain average of :math:`V_k`, which does not change
    when a constant is added to every loss; the shortcut by mean squares does. With several repeats
    the values of the repeats are averaged. That is conservative: an average over repeats varies no
    more than a single repeat.

    Degenerate cases: folds that are each constant give 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Within-fold variance (Bayle et al.)",
        summary=(
            "The average variance of the losses within folds, over N. It is the variance of the "
            "pooled mean as an estimate of the error of the trained models."
        ),
        formula=r"\frac{1}{N} \cdot \frac{1}{K} \sum_k V_k",
        references=("bayle2020", "schulz2024"),
        assumptions=(
            "Random folds, and a learner so stable that one training instance more or less hardly "
            "changes a loss. The target is the error of the trained models."
        ),
        errs=(
            "Consistent for the error of the trained models. Too small as the variance for the "
            "learner's expected error, and far too small for unstable learners or small samples."
        ),
        blocks=FOLDS,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        recommended=(Recommendation(blocks=FOLDS, target=Target.THESE_MODELS, normal=20),),
        variance=VarianceTraits(in_normal_test="choice"),
    )

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the pooled mean, given the trained models."""
        return build_estimate(
            self.info,
            losses,
            average_over_repeats(losses.moments, _compute_within_over_n),
            self.count_degrees(losses),
            cautions=(TRAINING_IGNORED, *check_several_repeats(losses)),
        )

    def count_degrees(self, losses: BlockLosses) -> float | None:  # noqa: ARG002 - for subclasses
        """Return the degrees of freedom of t intervals; None means normal ones."""
        return None


def _compute_within_over_n(blocks: BlockMoments) -> float:
    """Return the average variance within folds over the number of instances."""
    return float(blocks.within_variances.mean()) / blocks.n_losses
