"""Cluster-robust variance, enlarged for training sets that overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.errors import InsufficientData
from thetahat.registry import FOLDS, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Target
from thetahat.variances._building import build_estimate
from thetahat.variances._clusters import check_few_clusters, count_pooled_degrees, estimate_pooled
from thetahat.variances.base import VarianceEstimate
from thetahat.variances.cluster_robust import ClusterRobust


@dataclass(frozen=True, slots=True)
class ClusterRobustCorrected(ClusterRobust):
    r"""Cluster-robust variance of the pooled mean times the correction for shared training data.

    Over K equal folds of independent instances ``nadeau_bengio`` is on average
    :math:`1 + K n_2 / n_1 = 2 + n_2 / n_1` times the variance of the mean of independent losses.
    This method has the same factor on ``cluster_robust``, whose symbols and degrees of freedom it
    shares; :math:`n_1, n_2` are the training and test sizes.

    Deviations: the combination is ours. Rows of all repeats of an instance belong to its cluster,
    so repeats do not count as new data. Where sizes differ, :math:`n_2 / n_1` is the sum of the
    test sizes over the sum of the training sizes.

    Degenerate cases: clusters of one instance each give the same multiple of the sample variance
    over n; a single cluster has no variance.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Cluster-robust variance, corrected for shared training data",
        summary=(
            "The cluster-robust variance of the pooled mean times 2 + n_test/n_train, the factor "
            "by which nadeau_bengio enlarges the variance over folds of independent instances."
        ),
        formula=(
            r"\Bigl(2 + \frac{n_2}{n_1}\Bigr) \frac{1}{n^2} \sum_{c=1}^{C} \frac{1}{1 - h_c}"
            r" \Bigl(\sum_{i \in c} (e_i - \bar e)\Bigr)^2, \quad h_c = \frac{n_c}{n}"
        ),
        references=("bell2002", "cameron2015", "nadeau2003", "pustejovsky2018"),
        assumptions=(
            "Random folds; independent clusters; training sets that share "
            "data correlate the losses as nadeau_bengio assumes."
        ),
        errs=(
            "Either way, because the correlation is a rule of thumb. Too small with few clusters. "
            "Where folds divide clusters, the mean loss itself is too low for new clusters, and "
            "no variance corrects that."
        ),
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.POOLED,
        recommended=(
            Recommendation(blocks=FOLDS, target=Target.THESE_SOURCES, skewed=4, t=5, normal=7),
        ),
        variance=VarianceTraits(degrees_grow_with="data", knows_clusters=True),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        if reason := ClusterRobust.inapplicable(self, layout):
            return reason
        if layout.n_train is None:
            return f"{self.info.name} needs the training size of every split (n_train)"
        return None

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the pooled mean as an estimate of the learner's error."""
        layout = losses.layout
        ratio = layout.test_to_train_ratio
        if ratio is None or layout.cluster is None:
            raise InsufficientData(str(self.inapplicable(layout)), loc=("cluster",))
        degrees = count_pooled_degrees(layout)
        return build_estimate(
            self.info,
            losses,
            (2 + ratio) * estimate_pooled(losses),
            degrees,
            cautions=check_few_clusters(layout, degrees),
            details={"test_to_train_ratio": ratio},
        )
