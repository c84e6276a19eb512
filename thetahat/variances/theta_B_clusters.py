"""Twice the variance from the clusters within each source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import SOURCES, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.types import MeanKind, Target
from thetahat.variances._within_blocks import WithinClusteredBlockVariance


@dataclass(frozen=True, slots=True)
class ThetaBClusters(WithinClusteredBlockVariance):
    r"""Twice theta_A_clusters: an allowance for the part of the variance that training brings.

    The factor is that of ``theta_B``, whose authors chose it for sources without clusters.

    Degenerate cases: clusters of one instance each give ``theta_B``; a source with a single cluster
    has no variance.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Theta B with clusters within sources",
        summary=(
            "Twice the sampling variance observed within these sources, where instances of one "
            "cluster may depend on each other. The doubling allows for the covariances that "
            "training brings and that one data set cannot show."
        ),
        formula=(
            r"\frac{2}{K^2} \sum_k \frac{1}{M_k^2} \sum_{c \in k} \frac{1}{1 - h_c}"
            r" \Bigl(\sum_{i \in c} (e_i - \bar e_k)\Bigr)^2, \quad h_c = \frac{n_c}{M_k}"
        ),
        references=("bell2002", "cameron2015", "geras2013", "satterthwaite1946"),
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
            degrees_grow_with="data", knows_clusters=True, default_of_t_test=SOURCES
        ),
    )
    factor: ClassVar[int] = 2
