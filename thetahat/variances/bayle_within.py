"""Within-fold variance of the cross-validated mean, for the error of the fitted models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, MethodInfo
from thetahat.traits import Recommendation
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.moments import BlockMoments
from thetahat.values.types import MeanKind, Target
from thetahat.variances._applicability import within_refusal
from thetahat.variances._conclusions import (
    conclude,
    ignores_training_variance,
    several_repeats,
)
from thetahat.variances._quadratic_forms import averaged
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class BayleWithin:
    r"""Average variance within folds over the number of instances.

    .. math:: \hat\sigma^2_{in} / N, \qquad \hat\sigma^2_{in} = \frac1K \sum_k V_k

    with V_k the variance within fold k (ddof 1) and N the number of instances.

    Assumes a learner stable enough that one instance more or less in training hardly moves a
    loss. The target is the average error of the K fitted models, not of the learner over training
    samples: for that it is too small.

    Source: bayle2020; schulz2024 for how it covers.

    Deviations: folds of unequal size take the plain average of V_k, which does not change when
    a constant is added to every loss; the shortcut through mean squares does. With several
    repeats the values of the repeats are averaged: conservative, as an average over repeats
    varies no more than one of them.

    Degenerate cases: folds that are each constant give 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="bayle_within",
        title="Within-fold variance (Bayle et al.)",
        summary=(
            "The average variance of losses within folds over N: the variance of the pooled mean "
            "as an estimate of the error of the fitted models."
        ),
        formula=r"\frac{1}{N} \cdot \frac{1}{K} \sum_k V_k",
        references=("bayle2020", "schulz2024"),
        assumptions="Random folds; a stable learner; the error of the fitted models is meant.",
        errs=(
            "Consistent for the fitted models' error. As the variance for the learner's expected "
            "error it is too small, far too small for unstable learners or small samples."
        ),
        blocks=FOLDS,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        recommended=(Recommendation(blocks=FOLDS, target=Target.THESE_MODELS, normal=20),),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the method cannot be used on this layout, or None."""
        return within_refusal(self.info, layout)

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the pooled mean, given the fitted models."""
        caution = ignores_training_variance(
            "it speaks of the fitted models and sees only how losses spread inside the folds"
        )
        return conclude(
            self.info,
            losses,
            averaged(losses.moments, _within_over_n),
            None,
            cautions=(caution, *several_repeats(losses)),
        )


def _within_over_n(blocks: BlockMoments) -> float:
    return float(blocks.within_variances.mean()) / blocks.n_losses


METHOD = BayleWithin
