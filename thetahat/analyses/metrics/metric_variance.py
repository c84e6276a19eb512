"""The variances of a metric by name, and which of them an interval is recommended on."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from thetahat.values.types import BlockKind, Target
from thetahat.variances.cluster_robust import ClusterRobust
from thetahat.variances.nadeau_bengio import NadeauBengio


class MetricVariance(StrEnum):
    """A variance of a metric; those that variances of mean losses correspond to have their names.

    ``..._BLOCKS`` is about the macro mean, and the one without about the metric of all rows.
    """

    INFLUENCE = "influence"  # independent instances, by influence function
    DELONG = "delong"  # the same inside classes, for the area under the ROC curve
    LEDELL = "ledell"  # of the mean of the folds' areas, as published
    CLUSTER_ROBUST = ClusterRobust.info.name
    INFLUENCE_BLOCKS = "influence_blocks"
    DELONG_BLOCKS = "delong_blocks"
    CLUSTER_ROBUST_BLOCKS = f"{ClusterRobust.info.name}_blocks"
    NADEAU_BENGIO = NadeauBengio.info.name  # of the splits' metrics, over random splits
    BETWEEN_SOURCES = "between_sources"  # of the sources' metrics

    @property
    def of_blocks(self) -> MetricVariance:
        """The same variance for the macro mean."""
        return MetricVariance(f"{self}_blocks")


_OF_FOLDS: Final = (
    MetricVariance.CLUSTER_ROBUST_BLOCKS,
    MetricVariance.DELONG_BLOCKS,
    MetricVariance.LEDELL,  # squares over n and not n - 1: too small in folds of few of a class
    MetricVariance.INFLUENCE_BLOCKS,
    MetricVariance.CLUSTER_ROBUST,
    MetricVariance.INFLUENCE,
    MetricVariance.DELONG,
)
RECOMMENDED: Final[Mapping[tuple[BlockKind, Target], tuple[MetricVariance, ...]]] = {
    (BlockKind.HOLDOUT, Target.THESE_MODELS): (
        MetricVariance.CLUSTER_ROBUST,
        MetricVariance.DELONG,
        MetricVariance.INFLUENCE,
    ),
    (BlockKind.RANDOM, Target.THESE_MODELS): _OF_FOLDS,
    (BlockKind.RANDOM, Target.THESE_SOURCES): (MetricVariance.NADEAU_BENGIO,),
    (BlockKind.SUBSAMPLES, Target.THESE_MODELS): _OF_FOLDS,
    (BlockKind.SUBSAMPLES, Target.THESE_SOURCES): (MetricVariance.NADEAU_BENGIO,),
    (BlockKind.SOURCE, Target.NEW_SOURCE): (MetricVariance.BETWEEN_SOURCES,),
    (BlockKind.SOURCE, Target.THESE_MODELS): _OF_FOLDS,
}
"""By block kind and target: the variances whose interval is recommended, best first."""
