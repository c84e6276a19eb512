"""All-pairs variance of the cross-validated mean, for the error of the trained models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.moments import BlockMoments
from thetahat.values.types import MeanKind, Target
from thetahat.variances._applicability import explain_missing_rows, explain_wrong_block_kind
from thetahat.variances._building import TRAINING_IGNORED, build_estimate, check_several_repeats
from thetahat.variances._quadratic_forms import average_over_repeats
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class BayleAllPairs:
    r"""Variance of all losses about their mean, over the number of instances.

    :math:`e_i` are the N losses and :math:`\bar e` is their mean over all instances.

    Deviations: with several repeats the values of the repeats are averaged, as for
    ``bayle_within``. That is conservative: an average over repeats varies no more than a single
    repeat.

    Degenerate cases: equal losses give 0. Folds of one instance (leave-one-out) are enough.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="All-pairs variance (Bayle et al.)",
        summary=(
            "The variance of all losses about the pooled mean, over N. It is the variance of the "
            "pooled mean as an estimate of the error of the trained models."
        ),
        formula=r"\frac{1}{N^2} \sum_i (e_i - \bar e)^2",
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
        recommended=(Recommendation(blocks=FOLDS, target=Target.THESE_MODELS, normal=30),),
        variance=VarianceTraits(in_normal_test="default"),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        return explain_wrong_block_kind(self.info, layout) or explain_missing_rows(
            self.info, layout
        )

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the pooled mean, given the trained models."""
        return build_estimate(
            self.info,
            losses,
            average_over_repeats(losses.moments, _sum_squares_over_n),
            self.count_degrees(losses),
            cautions=(TRAINING_IGNORED, *check_several_repeats(losses)),
        )

    def count_degrees(self, losses: BlockLosses) -> float | None:  # noqa: ARG002 - for subclasses
        """Return the degrees of freedom of t intervals; None means normal ones."""
        return None


def _sum_squares_over_n(blocks: BlockMoments) -> float:
    """Return the squared distances of all losses from their mean, over the squared number."""
    return blocks.total_centred_squares / blocks.n_losses**2
