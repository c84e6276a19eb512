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
from thetahat.variances._applicability import lacks_pairs, lacks_rows, wrong_kind
from thetahat.variances._conclusions import ONE_FITTED_MODEL, conclude, ignores_training_variance
from thetahat.variances._quadratic_forms import averaged
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class Iid:
    r"""Sample variance of the test losses over their number.

    .. math:: V / M

    with V the variance (ddof 1) of the M losses of the test set.

    Assumes that test instances are independent draws from one population, and means the error of
    this one fitted model. Too small where instances come in clusters, and too small for the
    learner's expected error, as no training variance is seen.

    Source: schulz2024, the holdout interval.

    Degenerate cases: equal losses give 0; one instance has no variance.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="iid",
        title="Independent instances of a holdout",
        summary=(
            "The variance of the test losses over their number: the variance of the mean loss of "
            "one fitted model on one test set."
        ),
        formula=r"\frac{V}{M}",
        references=("schulz2024",),
        assumptions="One test set of independent instances; the error of this model is meant.",
        errs=(
            "Unbiased for the fitted model's error. Too small where instances are clustered, and "
            "blind to the training sample's share for the learner's expected error."
        ),
        blocks=HOLDOUT,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        recommended=(Recommendation(blocks=HOLDOUT, target=Target.THESE_MODELS, t=30, normal=50),),
        variance=VarianceTraits(
            degrees_grow_with="instances", is_of_one_sample=True, default_of_t_test=HOLDOUT
        ),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the method cannot be used on this layout, or None."""
        return (
            wrong_kind(self.info, layout)
            or lacks_rows(self.info, layout)
            or lacks_pairs(self.info, layout)
        )

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the mean loss on the test set, given the model."""
        caution = ignores_training_variance(ONE_FITTED_MODEL)
        return conclude(
            self.info,
            losses,
            averaged(losses.moments, _of_one_block),
            float(losses.layout.n_rows - 1),
            cautions=(caution,),
        )


def _of_one_block(blocks: BlockMoments) -> float:
    return blocks.mean_sampling_variance


METHOD = Iid
