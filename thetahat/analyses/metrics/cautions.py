"""What to know of a metric's numbers before using them."""

from __future__ import annotations

import numpy as np

from thetahat.analyses.metrics.metric_values import Measured
from thetahat.metrics.base import Metric
from thetahat.values.layout import Layout
from thetahat.values.types import Caution

FEW_BLOCKS = 10
FEW_CLUSTERS = 20  # cameron2015: "few" begins between 20 and 50 clusters
FEW_OF_A_CLASS = 10
TIES_MATTER = 1.05
"""Ratio of two standard errors above which ties are worth a word."""
GIVEN_MODELS = Caution(
    "ignores_training_variance",
    "it takes the fitted models as given: what another training sample would change is not in it",
)


def of_clusters(layout: Layout) -> tuple[Caution, ...]:
    """Caution of what takes instances as independent, where they come in clusters."""
    if layout.cluster is None:
        return ()
    return (
        Caution(
            "ignores_clusters",
            "it takes instances as independent, and those of a cluster are not: where they are "
            "alike it is too small; cluster_robust is for that",
        ),
    )


def of_a_class(measured: Measured) -> tuple[Caution, ...]:
    """Caution of variances inside classes, where one has few instances."""
    if measured.strata is None:
        return ()
    sizes = np.bincount(measured.strata)
    fewest = int(sizes[sizes > 0].min())
    if fewest >= FEW_OF_A_CLASS:
        return ()
    return (
        Caution(
            "few_of_a_class",
            f"a class has {fewest} instances; with fewer than {FEW_OF_A_CLASS} the variance is "
            "uncertain, and the normal interval tends to be too short",
        ),
    )


def of_ties(strict: float, half: float | None) -> tuple[Caution, ...]:
    """Caution of ``ledell`` where ties make much of it."""
    if half is None or strict <= TIES_MATTER**2 * half:
        return ()
    return (
        Caution(
            "ties_counted_as_wrong",
            f"scores are tied: as published this variance counts ties as wrong and is {strict:.3g},"
            f" and {half:.3g} with fold_ties half, which counts them as the area does",
        ),
    )


def few_clusters(c: int) -> tuple[Caution, ...]:
    """Caution of what rests on clusters."""
    if c >= FEW_CLUSTERS:
        return ()
    return (
        Caution(
            "few_clusters",
            f"it rests on {c} clusters; with fewer than {FEW_CLUSTERS} it tends to be too small",
        ),
    )


def few_sources(k: int) -> tuple[Caution, ...]:
    """Caution of what rests on the spread between sources."""
    if k >= FEW_BLOCKS:
        return ()
    return (
        Caution(
            "few_blocks",
            f"it rests on {k} sources; with fewer than {FEW_BLOCKS} the variance itself is "
            "uncertain and the interval wide",
        ),
    )


def of_metric(metric: Metric, measured: Measured) -> tuple[Caution, ...]:
    """Say what to know of the estimates themselves: blocks without a value, pooled scores."""
    layout = measured.layout
    found: list[Caution] = []
    missing = int((~measured.defined).sum())
    if missing:
        blocks = (
            "the test set" if layout.n_splits == 1 else f"{missing} of {layout.n_splits} splits"
        )
        found.append(
            Caution(
                "undefined_blocks",
                f"{blocks} has no value, for {metric.undefined()}; the macro mean is over the "
                "others",
            )
        )
    if metric.uses == "scores" and layout.n_splits > 1 and not layout.has_fixed_models:
        found.append(
            Caution(
                "pooled_across_models",
                "the pooled value ranks scores of different fitted models against each other, "
                "which is right only where their scales agree; the macro value does not",
            )
        )
    return tuple(found)
