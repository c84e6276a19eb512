"""Variance of a mean from labels of a few clusters and a judge's grades of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import HOLDOUT, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Target
from thetahat.variances._clusters import refuse_without_clusters
from thetahat.variances._judged import estimate_judged, explain_missing_judge
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class PredictionPoweredClusters:
    r"""Variance of the prediction-powered mean where whole clusters were labelled.

    Both terms are CR1 variances of means over rows, :math:`C / (C - 1)` times the squared sums over
    clusters; the target is the mean over rows, not that over clusters.

    Degenerate cases: clusters of one row give ``prediction_powered``. With fewer than 20 labelled
    clusters no interval rests on it.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Prediction-powered variance of clusters",
        summary=(
            "The variance of the mean loss where people labelled a random part of the clusters "
            "(conversations, documents) and a judge graded all rows."
        ),
        formula=(
            r"\mathrm{CR1}(Y - \lambda f) + \lambda^2 \mathrm{CR1}(u), \quad"
            r" \mathrm{CR1}(x) = \frac{C}{C - 1} \frac{1}{n^2}"
            r" \sum_{c=1}^{C} \Bigl(\sum_{i \in c} (x_i - \bar x)\Bigr)^2"
        ),
        references=("angelopoulos2023", "cameron2015"),
        assumptions=(
            "The labelled clusters are a random sample of all clusters, and all rows of them have "
            "labels. The target is the error of the trained models."
        ),
        errs=(
            "Too small with few labelled clusters or clusters of very unequal size, as CR1 is, and "
            "because the weight of the judge is fitted to the labels."
        ),
        blocks=HOLDOUT,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        recommended=(Recommendation(blocks=HOLDOUT, target=Target.THESE_MODELS, t=3, normal=60),),
        variance=VarianceTraits(
            degrees_grow_with="data",
            knows_clusters=True,
            uses_judge=True,
            default_of_t_test=HOLDOUT,
        ),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        return explain_missing_judge(self.info, layout) or refuse_without_clusters(
            self.info, layout
        )

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the prediction-powered mean."""
        return estimate_judged(self.info, losses)
