"""The variances of a metric, with the ranks of the intervals that are built on them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from thetahat.registry import FOLDS, HOLDOUT, SOURCES, SUBSAMPLES, MethodInfo
from thetahat.traits import Recommendation
from thetahat.values.types import BlockKind, Target
from thetahat.variances.cluster_robust import ClusterRobust
from thetahat.variances.nadeau_bengio import NadeauBengio


class MetricVariance(StrEnum):
    """The name of a variance of a metric.

    A variance that corresponds to a variance of mean losses has the name of that one.
    ``..._BLOCKS`` is the variance of the macro mean; the name without it is the variance of the
    metric of all rows.
    """

    INFLUENCE = "influence"
    DELONG = "delong"
    LEDELL = "ledell"
    CLUSTER_ROBUST = ClusterRobust.info.name
    INFLUENCE_BLOCKS = "influence_blocks"
    DELONG_BLOCKS = "delong_blocks"
    CLUSTER_ROBUST_BLOCKS = f"{ClusterRobust.info.name}_blocks"
    NADEAU_BENGIO = NadeauBengio.info.name
    BETWEEN_SOURCES = "between_sources"

    @property
    def of_blocks(self) -> MetricVariance:
        """The same variance for the macro mean."""
        return MetricVariance(f"{self}_blocks")


WITHIN_CLASSES: Final = frozenset({MetricVariance.DELONG, MetricVariance.DELONG_BLOCKS})
"""The variances of ranks within each class, as uncertain as the smaller class is small."""


def _rank(blocks: frozenset[BlockKind], target: Target, rank: int) -> Recommendation:
    """Return a place in the order of recommendation, where the logit interval goes first.

    Of two intervals on one variance the logit one is recommended: for metrics between two limits
    it covers closer to its level at about the same width (preset ``interval_coverage``, table
    ``metrics``).
    """
    return Recommendation(blocks=blocks, target=target, logit=rank, t=rank + 5, normal=rank + 5)


def _describe(
    name: MetricVariance, title: str, references: tuple[str, ...], *recommended: Recommendation
) -> MethodInfo:
    return MethodInfo(
        name=name, title=title, summary=f"{title}.", references=references, recommended=recommended
    )


_SPLITS = FOLDS | SUBSAMPLES | SOURCES
_MODELS = Target.THESE_MODELS

METRIC_VARIANCES: Final[Mapping[str, MethodInfo]] = {
    info.name: info
    for info in (
        _describe(
            MetricVariance.CLUSTER_ROBUST_BLOCKS,
            "Variance of the macro mean from sums of influence values over whole clusters",
            ("bell2002", "cameron2015"),
            _rank(_SPLITS, _MODELS, 10),
        ),
        _describe(
            MetricVariance.DELONG_BLOCKS,
            "DeLong's variance of the macro mean of areas under the ROC curve",
            ("delong1988",),
            _rank(_SPLITS, _MODELS, 20),
        ),
        _describe(
            # divides by n and not by n - 1, so it is too small in folds with few of a class
            MetricVariance.LEDELL,
            "Variance of the mean area under the ROC curve of folds, as published",
            ("ledell2015",),
            _rank(_SPLITS, _MODELS, 30),
        ),
        _describe(
            MetricVariance.INFLUENCE_BLOCKS,
            "Variance of the macro mean from the influence values of instances",
            ("hampel1974",),
            _rank(_SPLITS, _MODELS, 40),
        ),
        _describe(
            MetricVariance.CLUSTER_ROBUST,
            "Variance from sums of influence values over whole clusters",
            ("bell2002", "cameron2015"),
            _rank(HOLDOUT, _MODELS, 10),
            _rank(_SPLITS, _MODELS, 50),
        ),
        _describe(
            MetricVariance.INFLUENCE,
            "Variance from the influence values of instances",
            ("hampel1974",),
            _rank(HOLDOUT, _MODELS, 30),
            _rank(_SPLITS, _MODELS, 60),
        ),
        _describe(
            MetricVariance.DELONG,
            "DeLong's variance of an area under the ROC curve",
            ("delong1988",),
            _rank(HOLDOUT, _MODELS, 20),
            _rank(_SPLITS, _MODELS, 70),
        ),
        _describe(
            MetricVariance.NADEAU_BENGIO,
            "Corrected resampled variance of the metric of the splits",
            NadeauBengio.info.references,
            _rank(FOLDS | SUBSAMPLES, Target.THESE_SOURCES, 10),
        ),
        _describe(
            MetricVariance.BETWEEN_SOURCES,
            "Variance of the metrics of the sources over their number",
            (),
            _rank(SOURCES, Target.NEW_SOURCE, 10),
        ),
    )
}
"""By name: what each variance is, and where its intervals are in the order of recommendation."""
