"""Cluster-robust variance of the pooled mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.errors import InsufficientData
from thetahat.registry import FOLDS, HOLDOUT, ONE_TEST_EACH, SOURCES, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Target
from thetahat.variances._applicability import explain_missing_rows, explain_wrong_block_kind
from thetahat.variances._building import TRAINING_IGNORED, build_estimate
from thetahat.variances._clusters import (
    check_few_clusters,
    estimate_pooled,
    refuse_without_clusters,
)
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
            Recommendation(
                blocks=FOLDS | HOLDOUT, target=Target.THESE_MODELS, skewed=9, t=10, normal=40
            ),
            Recommendation(blocks=SOURCES, target=Target.THESE_MODELS, skewed=9, t=10, normal=20),
        ),
        variance=VarianceTraits(
            degrees_grow_with="clusters", knows_clusters=True, default_of_t_test=HOLDOUT
        ),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        return (
            explain_wrong_block_kind(self.info, layout)
            or explain_missing_rows(self.info, layout)
            or refuse_without_clusters(self.info, layout)
        )

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the pooled mean, given the trained models."""
        layout = losses.layout
        if reason := refuse_without_clusters(self.info, layout):
            raise InsufficientData(reason, loc=("cluster",))
        n_clusters = len(layout.cluster_labels)
        cautions = (*check_few_clusters(n_clusters), TRAINING_IGNORED)
        value = estimate_pooled(losses)
        return build_estimate(self.info, losses, value, float(n_clusters - 1), cautions=cautions)


METHOD = ClusterRobust
