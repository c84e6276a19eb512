"""The cautions of a metric and of its variances."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from thetahat.analyses.metrics.metric_values import MetricValues
from thetahat.cautions import (
    FEW_BLOCKS,
    FEW_OF_A_CLASS,
    FEW_RANKED,
    IGNORES_CLUSTERS,
    IGNORES_TIME,
    METRIC_WITHOUT_INTERVAL,
    POOLED_ACROSS_MODELS,
    TIES_COUNTED_AS_WRONG,
    UNDEFINED_BLOCKS,
    Caution,
)
from thetahat.metrics.base import Metric
from thetahat.values.layout import Layout
from thetahat.values.number_text import name_method, name_target
from thetahat.values.types import Target
from thetahat.values.words import Words


def check_dependence(layout: Layout) -> tuple[Caution, ...]:
    """Return a caution that a variance ignores clusters or time, if the data have such."""
    if layout.time is not None:
        return (IGNORES_TIME(layout.words, method="this variance"),)
    if layout.cluster is None:
        return ()
    n_clusters = len(layout.cluster_labels)
    return (IGNORES_CLUSTERS(layout.words, n_clusters=n_clusters, method="this variance"),)


def check_small_classes(measured: MetricValues) -> tuple[Caution, ...]:
    """Return a caution if a class has too few instances for a variance within classes."""
    classes = measured.ranked_classes if measured.strata is None else measured.strata
    if classes is None:
        return ()
    sizes = np.bincount(classes)
    fewest = int(sizes[sizes > 0].min())
    if fewest < FEW_OF_A_CLASS.threshold:
        return (FEW_OF_A_CLASS(n=fewest),)
    is_precision = measured.strata is None  # an area is compared within classes
    n_ranked = int(sizes[-1])
    return (FEW_RANKED(n=n_ranked),) if is_precision and n_ranked < FEW_RANKED.threshold else ()


def check_ties(strict: float, half: float | None) -> tuple[Caution, ...]:
    """Return a caution if the published variance comes largely from tied scores.

    ``strict`` is that variance with ties counted as wrong, ``half`` with ties counted as half.
    """
    if half is None or strict <= TIES_COUNTED_AS_WRONG.threshold**2 * half:
        return ()
    return (TIES_COUNTED_AS_WRONG(strict=strict, half=half),)


def check_few_sources(k: int, words: Words) -> tuple[Caution, ...]:
    """Return a caution if a variance is estimated from few sources."""
    if k >= FEW_BLOCKS.threshold:
        return ()
    return (FEW_BLOCKS(subject="The variance", n=k, units=words.blocks),)


def check_intervals(metric: Metric, missing: Mapping[Target, str]) -> tuple[Caution, ...]:
    """Return a caution for each target about which there is no interval, with the reason."""
    return tuple(
        METRIC_WITHOUT_INTERVAL(
            metric=name_method(metric.info.name), target=name_target(target.value), reason=reason
        )
        for target, reason in missing.items()
    )


def list_cautions(metric: Metric, measured: MetricValues) -> tuple[Caution, ...]:
    """Return the cautions of the estimates: blocks without a value, scores pooled over models."""
    layout = measured.layout
    cautions: list[Caution] = []
    missing = int((~measured.defined).sum())
    if missing:
        where = "the test set" if layout.n_splits == 1 else f"{missing} of {layout.n_splits} splits"
        cautions.append(UNDEFINED_BLOCKS(where=where, reason=metric.undefined_if))
    if metric.uses == "scores" and layout.n_splits > 1 and not layout.has_fixed_models:
        cautions.append(POOLED_ACROSS_MODELS())
    return tuple(cautions)
