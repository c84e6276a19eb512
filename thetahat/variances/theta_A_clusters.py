"""Variance of the mean over sources from the clusters within each source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import SOURCES, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.types import MeanKind, Target
from thetahat.variances._within_blocks import WithinClusteredBlockVariance


@dataclass(frozen=True, slots=True)
class ThetaAClusters(WithinClusteredBlockVariance):
    r"""Variance of the mean of these sources for fixed models, with clusters within sources.

    :math:`M_k` is the number of losses of source k, :math:`n_c` that of cluster c, and
    :math:`\bar e_k` the mean of the source. Each source has its cluster-robust variance (CR2, as
    ``cluster_robust``) with its Bell-McCaffrey degrees of freedom, and the variance of the mean
    over K independent sources is their sum over :math:`K^2`, with the degrees of Welch and
    Satterthwaite.

    Degenerate cases: clusters of one instance each give ``theta_A``; a source with a single cluster
    has no variance.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Theta A with clusters within sources",
        summary=(
            "The sampling variance of the source means where instances of one cluster (a passage, "
            "a patient) may depend on each other, averaged as for a mean over these very sources."
        ),
        formula=(
            r"\frac{1}{K^2} \sum_k \frac{1}{M_k^2} \sum_{c \in k} \frac{1}{1 - h_c}"
            r" \Bigl(\sum_{i \in c} (e_i - \bar e_k)\Bigr)^2, \quad h_c = \frac{n_c}{M_k}"
        ),
        references=("bell2002", "cameron2015", "geras2013", "satterthwaite1946"),
        assumptions=(
            "Source blocks; the target is these sources and no others; independent clusters, each "
            "within one source; the training data bring no covariance between sources."
        ),
        errs=(
            "Too small where a source has few clusters, and where models were trained on the other "
            "sources, as theta_A is."
        ),
        blocks=SOURCES,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        recommended=(
            Recommendation(
                blocks=SOURCES, target=Target.THESE_SOURCES, t=5, normal=7, fixed_models=True
            ),
            Recommendation(
                blocks=SOURCES, target=Target.THESE_SOURCES, t=6, normal=8, fixed_models=False
            ),
        ),
        variance=VarianceTraits(degrees_grow_with="data", knows_clusters=True),
    )
