"""Variance of the mean of independent losses on one test set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import HOLDOUT, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.moments import BlockMoments
from thetahat.values.types import MeanKind, Target
from thetahat.variances._applicability import (
    explain_missing_block_variance,
    explain_missing_rows,
    explain_wrong_block_kind,
)
from thetahat.variances._building import TRAINING_IGNORED, build_estimate
from thetahat.variances._quadratic_forms import average_over_repeats
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class Iid:
    """Sample variance of the test losses over their number.

    V is the variance (ddof 1) of the M losses of the test set. The source is its holdout interval.

    Degenerate cases: equal losses give 0; one instance has no variance.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Independent test instances",
        summary=(
            "The variance of the test losses over their number: the variance of the mean loss of "
            "one trained model on one test set."
        ),
        formula=r"\frac{V}{M}",
        references=("schulz2024",),
        assumptions=(
            "One test set of independent instances. The target is the error of this trained model."
        ),
        errs=(
            "Unbiased for the error of the trained model. Too small where instances come in "
            "clusters. For the learner's expected error it leaves out how much results change with "
            "other training data."
        ),
        blocks=HOLDOUT,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        recommended=(
            Recommendation(blocks=HOLDOUT, target=Target.THESE_MODELS, skewed=25, t=30, normal=50),
        ),
        variance=VarianceTraits(degrees_grow_with="instances", default_of_t_test=HOLDOUT),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        return (
            explain_wrong_block_kind(self.info, layout)
            or explain_missing_rows(self.info, layout)
            or explain_missing_block_variance(self.info, layout)
        )

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the mean loss on the test set, given the model."""
        return build_estimate(
            self.info,
            losses,
            average_over_repeats(losses.moments, _estimate_sampling_variance),
            float(losses.layout.n_rows - 1),
            cautions=(TRAINING_IGNORED,),
        )


def _estimate_sampling_variance(blocks: BlockMoments) -> float:
    return blocks.mean_sampling_variance
