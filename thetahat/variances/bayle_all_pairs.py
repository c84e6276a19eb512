"""All-pairs variance of the cross-validated mean, for the error of the trained models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InsufficientData
from thetahat.registry import FOLDS, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Target
from thetahat.variances._applicability import lacks_rows, wrong_block_kind
from thetahat.variances._estimates import TRAINING_IGNORED, build_estimate
from thetahat.variances._sums import sums_about_the_mean
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class BayleAllPairs:
    r"""Variance of all losses about their mean, over the number of instances.

    :math:`e_i` are the N losses and :math:`\bar e` is their mean over all instances.

    Deviations: with several repeats, instances must be named. The sum then runs over instances,
    each with the sum of its centred losses over the repeats, so that repeats do not count as new
    instances.

    Degenerate cases: equal losses give 0. Folds of one instance (leave-one-out) are enough.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="bayle_all_pairs",
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
        reason = wrong_block_kind(self.info, layout) or lacks_rows(self.info, layout)
        if reason is None and _has_unnamed_repeats(layout):
            return (
                f"{self.info.name} needs the field instance, which says which rows of the "
                f"{layout.n_repeats} repeats are the same instance"
            )
        return reason

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the pooled mean, given the trained models."""
        layout = losses.layout
        if _has_unnamed_repeats(layout):
            raise InsufficientData(str(self.inapplicable(layout)), loc=("instance",))
        value = _all_pairs_variance(losses)
        return build_estimate(self.info, losses, value, None, cautions=(TRAINING_IGNORED,))


def _has_unnamed_repeats(layout: Layout) -> bool:
    return layout.n_repeats > 1 and layout.instance is None


def _all_pairs_variance(losses: BlockLosses) -> float:
    layout, n = losses.layout, len(losses.rows)
    if layout.instance is None or layout.n_repeats == 1:
        (blocks,) = losses.moments.by_repeat()
        return blocks.total_centred_squares / n**2
    by_instance = sums_about_the_mean(losses.rows, layout.instance)
    return float(np.sum((by_instance / n) ** 2))


METHOD = BayleAllPairs
