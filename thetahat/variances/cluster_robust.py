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
from thetahat.values.types import FloatArray, IntArray, MeanKind, Target
from thetahat.variances._applicability import lacks_rows, wrong_block_kind
from thetahat.variances._building import TRAINING_IGNORED, build_estimate
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class ClusterRobust:
    r"""Variance of the pooled mean where instances come in clusters (CR1).

    C is the number of clusters, n the number of losses, and :math:`\bar e` their pooled mean.

    Deviations: rows of all repeats of an instance belong to its cluster, so repeats do not count as
    new data.

    Degenerate cases: clusters of one instance each give the sample variance over n; clusters whose
    sums are all average give 0; a single cluster has no variance.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="cluster_robust",
        title="Cluster-robust variance (CR1)",
        summary=(
            "The variance of the pooled mean where instances of one cluster (a user, a document, a "
            "patient) may depend on each other and clusters are independent."
        ),
        formula=(
            r"\frac{C}{C-1} \cdot \frac{1}{n^2}"
            r" \sum_{c=1}^{C} \Bigl(\sum_{i \in c} (e_i - \bar e)\Bigr)^2"
        ),
        references=("cameron2015",),
        assumptions=(
            "Independent clusters, at least some dozens of them; losses within a cluster may "
            "depend on each other. The target is the error of the trained models."
        ),
        errs=(
            "Too small with few clusters or very unequal ones. It leaves out how much results "
            "change with other training data."
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
        """Return why the method cannot be used on this layout, or None."""
        if reason := wrong_block_kind(self.info, layout) or lacks_rows(self.info, layout):
            return reason
        if layout.cluster is None:
            return f"{self.info.name} needs the cluster of every instance in the field cluster"
        if len(layout.cluster_labels) < 2:
            return f"{self.info.name} needs at least two clusters, and there is one"
        return None

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the pooled mean, given the trained models."""
        cluster = self._clusters(losses.layout)
        c = len(losses.layout.cluster_labels)
        sums = _sum_deviations(losses.rows, cluster)
        value = c / (c - 1) * float(np.sum((sums / len(losses.rows)) ** 2))
        cautions = (*_caution_few_clusters(c), TRAINING_IGNORED)
        return build_estimate(self.info, losses, value, float(c - 1), cautions=cautions)

    def _clusters(self, layout: Layout) -> IntArray:
        if layout.cluster is None or len(layout.cluster_labels) < 2:
            raise InsufficientData(str(self.inapplicable(layout)), loc=("cluster",))
        return layout.cluster


def _sum_deviations(rows: FloatArray, cluster: IntArray) -> FloatArray:
    """Return (C,) sums over each cluster of the (n,) losses minus the mean of all losses.

    The first loss is subtracted before, so that a large mean loss costs no digits.
    """
    shifted = rows - rows[0]
    shifted -= shifted.mean()
    return np.asarray(np.bincount(cluster, weights=shifted))


def _caution_few_clusters(c: int) -> tuple[Caution, ...]:
    if c >= FEW_CLUSTERS.threshold:
        return ()
    return (FEW_CLUSTERS(n=c),)


METHOD = ClusterRobust
