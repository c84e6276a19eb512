"""All-pairs variance of the cross-validated mean, for the error of the fitted models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InsufficientData
from thetahat.registry import FOLDS, MethodInfo
from thetahat.traits import Recommendation
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Target
from thetahat.variances._applicability import lacks_rows, wrong_kind
from thetahat.variances._conclusions import conclude, ignores_training_variance
from thetahat.variances._sums import sums_about_the_mean
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class BayleAllPairs:
    r"""Variance of all losses about their one mean, over the number of instances.

    .. math:: \frac{\hat\sigma^2_{out}}{N} = \frac{1}{N^2} \sum_i (e_i - \bar e)^2

    with e_i the N losses and their mean over all instances.

    Assumes a learner stable enough that one instance more or less in training hardly moves a
    loss. The target is the average error of the K fitted models, not of the learner over training
    samples: for that it is too small.

    Source: bayle2020; schulz2024 for how it covers.

    Deviations: with several repeats, instances must be named; the sum then runs over instances,
    each with the sum of its centred losses over the repeats, so that repeats do not count as new
    instances.

    Degenerate cases: equal losses give 0. Folds of one instance (leave-one-out) are enough.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="bayle_all_pairs",
        title="All-pairs variance (Bayle et al.)",
        summary=(
            "The variance of all losses about the pooled mean over N: the variance of the pooled "
            "mean as an estimate of the error of the fitted models."
        ),
        formula=r"\frac{1}{N^2} \sum_i (e_i - \bar e)^2",
        references=("bayle2020", "schulz2024"),
        assumptions="Random folds; a stable learner; the error of the fitted models is meant.",
        errs=(
            "Consistent for the fitted models' error. As the variance for the learner's expected "
            "error it is too small, far too small for unstable learners or small samples."
        ),
        blocks=FOLDS,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        recommended=(Recommendation(blocks=FOLDS, target=Target.THESE_MODELS, normal=30),),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the method cannot be used on this layout, or None."""
        reason = wrong_kind(self.info, layout) or lacks_rows(self.info, layout)
        if reason is None and _unmatched(layout):
            return (
                f"{self.info.name} needs to know which rows of the {layout.n_repeats} repeats are "
                "the same instance (instance)"
            )
        return reason

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the pooled mean, given the fitted models."""
        layout = losses.layout
        if _unmatched(layout):
            raise InsufficientData(str(self.inapplicable(layout)), loc=("instance",))
        caution = ignores_training_variance(
            "it speaks of the fitted models and sees only how the losses spread"
        )
        return conclude(self.info, losses, _all_pairs(losses), None, cautions=(caution,))


def _unmatched(layout: Layout) -> bool:
    return layout.n_repeats > 1 and layout.instance is None


def _all_pairs(losses: BlockLosses) -> float:
    layout, n = losses.layout, len(losses.rows)
    if layout.instance is None or layout.n_repeats == 1:
        (blocks,) = losses.moments.by_repeat()
        return blocks.total_centred_squares / n**2
    by_instance = sums_about_the_mean(losses.rows, layout.instance)
    return float(np.sum((by_instance / n) ** 2))


METHOD = BayleAllPairs
