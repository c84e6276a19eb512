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
    count_pooled_degrees,
    estimate_pooled,
    refuse_without_clusters,
)
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class ClusterRobust:
    r"""Variance of the pooled mean where instances come in clusters (CR2).

    C is the number of clusters, :math:`n_c` the number of losses of cluster c and :math:`h_c` its
    share of the n losses, and :math:`\bar e` their pooled mean. The degrees of freedom are those
    of Bell and McCaffrey, with independent losses of one variance as the working model:
    :math:`1 / [\sum_c h_c^2 + (\sum_c q_c)^2 - \sum_c q_c^2]`,
    :math:`q_c = h_c^2 / (1 - h_c)`.

    Deviations: rows of all repeats of an instance belong to its cluster, so repeats do not count as
    new data.

    Degenerate cases: clusters of one size give CR1, :math:`C / (C - 1)` times the sum without
    weights, and C - 1 degrees; clusters of one instance each give the sample variance over n;
    clusters whose sums are all average give 0; a single cluster has no variance.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Cluster-robust variance (CR2)",
        summary=(
            "The variance of the pooled mean where instances of one cluster (a user, a document, a "
            "patient) may depend on each other and clusters are independent."
        ),
        formula=(
            r"\frac{1}{n^2} \sum_{c=1}^{C} \frac{1}{1 - h_c}"
            r" \Bigl(\sum_{i \in c} (e_i - \bar e)\Bigr)^2, \quad h_c = \frac{n_c}{n}"
        ),
        references=("bell2002", "cameron2015", "pustejovsky2018"),
        assumptions=(
            "Independent clusters; losses within a cluster may depend on each other. The target is "
            "the error of the trained models."
        ),
        errs=(
            "With ten clusters or fewer its t intervals cover too rarely where losses are skewed: "
            "in 73 to 86 % at level 95 % for an error rate of 10 %, and in 84 to 90 % for squared "
            "losses. It leaves out how much results change with other training data."
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
            degrees_grow_with="data",
            knows_clusters=True,
            is_of_cluster_sums=True,
            default_of_t_test=HOLDOUT,
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
        degrees = count_pooled_degrees(layout)
        cautions = (*check_few_clusters(layout, degrees), TRAINING_IGNORED)
        value = estimate_pooled(losses)
        return build_estimate(self.info, losses, value, degrees, cautions=cautions)
