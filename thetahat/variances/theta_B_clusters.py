"""Twice the variance from the clusters within each source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import SOURCES, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Target
from thetahat.variances._building import (
    build_estimate,
    check_several_repeats,
    check_training_ignored,
)
from thetahat.variances._clusters import (
    check_few_clusters,
    count_degrees,
    estimate_within_blocks,
    refuse_without_clusters_in_blocks,
)
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class ThetaBClusters:
    r"""Twice theta_A_clusters: an allowance for the part of the variance that training brings.

    The factor is that of ``theta_B``, whose authors chose it for sources without clusters.

    Degenerate cases: clusters of one instance each give ``theta_B``; a source with a single cluster
    has no variance.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="theta_B_clusters",
        title="Theta B with clusters within sources",
        summary=(
            "Twice the sampling variance observed within these sources, where instances of one "
            "cluster may depend on each other. The doubling allows for the covariances that "
            "training brings and that one data set cannot show."
        ),
        formula=(
            r"\frac{2}{K^2} \sum_k \frac{C_k}{C_k - 1} \cdot \frac{1}{M_k^2}"
            r" \sum_{c \in k} \Bigl(\sum_{i \in c} (e_i - \bar e_k)\Bigr)^2"
        ),
        references=("cameron2015", "geras2013"),
        assumptions=(
            "Source blocks; the target is these sources and no others; independent clusters, each "
            "within one source; covariances from the training data of about the size of the "
            "sampling variance."
        ),
        errs=(
            "Too large where training adds little. Too small where a source has few clusters, and "
            "where results depend much on the training data."
        ),
        blocks=SOURCES,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        recommended=(
            Recommendation(
                blocks=SOURCES, target=Target.THESE_SOURCES, t=6, normal=8, fixed_models=True
            ),
            Recommendation(
                blocks=SOURCES, target=Target.THESE_SOURCES, t=5, normal=7, fixed_models=False
            ),
        ),
        variance=VarianceTraits(
            degrees_grow_with="clusters", knows_clusters=True, default_of_t_test=SOURCES
        ),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        return refuse_without_clusters_in_blocks(self.info, layout)

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        layout = losses.layout
        return build_estimate(
            self.info,
            losses,
            2 * estimate_within_blocks(losses),
            count_degrees(layout),
            cautions=(
                *check_few_clusters(len(layout.cluster_labels)),
                *check_training_ignored(losses),
                *check_several_repeats(losses),
            ),
        )


METHOD = ThetaBClusters
