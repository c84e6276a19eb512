"""Cluster-robust variance of the pooled mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cautions import FEW_CLUSTERS, Caution
from thetahat.errors import InsufficientData
from thetahat.registry import FOLDS, HOLDOUT, ONE_TEST_EACH, SOURCES, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind, IntArray, MeanKind, Target
from thetahat.variances._applicability import lacks_rows, wrong_kind
from thetahat.variances._conclusions import conclude, ignores_training_variance
from thetahat.variances._sums import sums_about_the_mean
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class ClusterRobust:
    r"""Variance of the pooled mean where instances come in clusters (CR1).

    .. math::

        \frac{C}{C-1} \cdot \frac{1}{n^2} \sum_{c=1}^{C} \Bigl(\sum_{i \in c} (e_i - \bar e)\Bigr)^2

    with C clusters among the n losses and the pooled mean of the losses.

    Assumes that clusters are independent; inside a cluster losses may depend on each other in any
    way. Too small with few clusters or very unequal ones. The fitted models are taken as given:
    the training sample's share is not seen.

    Source: cameron2015.

    Deviations: rows of all repeats of an instance belong to its cluster, so repeats do not count
    as new data.

    Degenerate cases: clusters of one instance each give the sample variance over n; clusters
    whose sums are all average give 0; one cluster has no variance.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="cluster_robust",
        title="Cluster-robust variance (CR1)",
        summary=(
            "The variance of the pooled mean where instances of one cluster (a user, a document, "
            "a patient) depend on each other and clusters do not."
        ),
        formula=(
            r"\frac{C}{C-1} \cdot \frac{1}{n^2}"
            r" \sum_{c=1}^{C} \Bigl(\sum_{i \in c} (e_i - \bar e)\Bigr)^2"
        ),
        references=("cameron2015",),
        assumptions="Independent clusters, at least some dozens; the fitted models are meant.",
        errs=(
            "Too small with few clusters or very unequal ones, and blind to the training "
            "sample's share of the variance."
        ),
        blocks=ONE_TEST_EACH,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        recommended=(
            Recommendation(blocks=FOLDS | HOLDOUT, target=Target.THESE_MODELS, t=10, normal=40),
            Recommendation(blocks=SOURCES, target=Target.THESE_MODELS, t=10, normal=20),
        ),
        variance=VarianceTraits(
            degrees_grow_with="clusters", knows_clusters=True, default_of_t_test=HOLDOUT
        ),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the method cannot be used on this layout, or None."""
        if reason := wrong_kind(self.info, layout) or lacks_rows(self.info, layout):
            return reason
        if layout.cluster is None:
            return f"{self.info.name} needs to know the cluster of every instance (cluster)"
        if len(layout.cluster_labels) < 2:
            return f"{self.info.name} needs at least two clusters, and there is one"
        return None

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the pooled mean, given the fitted models."""
        cluster = self._cluster_of(losses.layout)
        c = len(losses.layout.cluster_labels)
        sums = sums_about_the_mean(losses.rows, cluster)
        value = c / (c - 1) * float(np.sum((sums / len(losses.rows)) ** 2))
        holdout = losses.layout.kind is BlockKind.HOLDOUT
        caution = ignores_training_variance(
            "a holdout tests one fitted model, so no training variance is seen"
            if holdout
            else "it takes the fitted models as given and sees only how the clusters spread"
        )
        return conclude(
            self.info, losses, value, float(c - 1), cautions=(*_few_clusters(c), caution)
        )

    def _cluster_of(self, layout: Layout) -> IntArray:
        if layout.cluster is None or len(layout.cluster_labels) < 2:
            raise InsufficientData(str(self.inapplicable(layout)), loc=("cluster",))
        return layout.cluster


def _few_clusters(c: int) -> tuple[Caution, ...]:
    if c >= FEW_CLUSTERS.threshold:
        return ()
    return (FEW_CLUSTERS(n=c),)


METHOD = ClusterRobust
