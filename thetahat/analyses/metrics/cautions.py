"""What to know of a metric's numbers before using them."""

from __future__ import annotations

import numpy as np

from thetahat.analyses.metrics.metric_values import Measured
from thetahat.cautions import (
    FEW_BLOCKS,
    FEW_CLUSTERS,
    FEW_OF_A_CLASS,
    IGNORES_CLUSTERS,
    IGNORES_TRAINING_VARIANCE,
    POOLED_ACROSS_MODELS,
    TIES_COUNTED_AS_WRONG,
    UNDEFINED_BLOCKS,
    Caution,
)
from thetahat.metrics.base import Metric
from thetahat.values.layout import Layout

GIVEN_MODELS = IGNORES_TRAINING_VARIANCE(subject="The variance")


def of_clusters(layout: Layout) -> tuple[Caution, ...]:
    """Caution of what takes instances as independent, where they come in clusters."""
    if layout.cluster is None:
        return ()
    return (IGNORES_CLUSTERS(n_clusters=len(layout.cluster_labels), method="this variance"),)


def of_a_class(measured: Measured) -> tuple[Caution, ...]:
    """Caution of variances inside classes, where one has few instances."""
    if measured.strata is None:
        return ()
    sizes = np.bincount(measured.strata)
    fewest = int(sizes[sizes > 0].min())
    if fewest >= FEW_OF_A_CLASS.threshold:
        return ()
    return (FEW_OF_A_CLASS(n=fewest),)


def of_ties(strict: float, half: float | None) -> tuple[Caution, ...]:
    """Caution of ``ledell`` where ties make much of it."""
    if half is None or strict <= TIES_COUNTED_AS_WRONG.threshold**2 * half:
        return ()
    return (TIES_COUNTED_AS_WRONG(strict=f"{strict:.3g}", half=f"{half:.3g}"),)


def few_clusters(c: int) -> tuple[Caution, ...]:
    """Caution of what rests on clusters."""
    if c >= FEW_CLUSTERS.threshold:
        return ()
    return (FEW_CLUSTERS(n=c),)


def few_sources(k: int) -> tuple[Caution, ...]:
    """Caution of what rests on the spread between sources."""
    if k >= FEW_BLOCKS.threshold:
        return ()
    return (FEW_BLOCKS(subject="The variance", n=k, unit="source"),)


def of_metric(metric: Metric, measured: Measured) -> tuple[Caution, ...]:
    """Say what to know of the estimates themselves: blocks without a value, pooled scores."""
    layout = measured.layout
    cautions: list[Caution] = []
    missing = int((~measured.defined).sum())
    if missing:
        blocks = (
            "the test set" if layout.n_splits == 1 else f"{missing} of {layout.n_splits} splits"
        )
        cautions.append(UNDEFINED_BLOCKS(blocks=blocks, reason=metric.undefined()))
    if metric.uses == "scores" and layout.n_splits > 1 and not layout.has_fixed_models:
        cautions.append(POOLED_ACROSS_MODELS())
    return tuple(cautions)
