"""Losses that are alike within clusters, of mean 0, and the old standard error of their mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from thetahat.values.types import FloatArray, IntArray

DrawLosses: TypeAlias = Callable[[np.random.Generator, IntArray, float], FloatArray]
"""Takes the cluster of each loss, and the correlation of two losses of one cluster."""


def draw_sizes(n_clusters: int, largest: int) -> IntArray:
    """Return sizes from 2 to the largest, spread evenly on the log scale."""
    return np.round(np.geomspace(2, largest, n_clusters)).astype(np.intp)


def draw_normal(rng: np.random.Generator, cluster: IntArray, shared: float) -> FloatArray:
    """Return normal losses of variance 1."""
    common = rng.standard_normal(int(cluster.max()) + 1)[cluster]
    own = rng.standard_normal(len(cluster))
    return np.asarray(np.sqrt(shared) * common + np.sqrt(1 - shared) * own)


def draw_squared(rng: np.random.Generator, cluster: IntArray, shared: float) -> FloatArray:
    """Return squared normal losses, whose correlation is the square of that of the normal ones."""
    return np.asarray((draw_normal(rng, cluster, np.sqrt(shared)) ** 2 - 1) / np.sqrt(2))


def draw_errors(rng: np.random.Generator, cluster: IntArray, shared: float, p: float) -> FloatArray:
    """Return losses of 0 and 1, with an error rate of each cluster from a beta distribution."""
    a = (1 - shared) / shared
    rates = rng.beta(p * a, (1 - p) * a, size=int(cluster.max()) + 1)
    return np.asarray(((rng.random(len(cluster)) < rates[cluster]) - p) / np.sqrt(p * (1 - p)))


def draw_difference(rng: np.random.Generator, cluster: IntArray, shared: float) -> FloatArray:
    """Return the differences of two models' 0/1 losses of error rate .1, scaled to variance 1."""
    a, b = (draw_errors(rng, cluster, shared, 0.1) for _ in range(2))
    return np.asarray((a - b) / np.sqrt(2))


LOSSES: Final[dict[str, DrawLosses]] = {
    "normal": draw_normal,
    "squared": draw_squared,
    "0/1, p .3": lambda rng, cluster, shared: draw_errors(rng, cluster, shared, 0.3),
    "0/1, p .1": lambda rng, cluster, shared: draw_errors(rng, cluster, shared, 0.1),
    "difference, p .1": draw_difference,
}
"""All have mean 0 and variance 1, and ``shared`` is the correlation within a cluster."""


def compute_true_sd(sizes: IntArray, shared: float) -> float:
    """Return the standard deviation of the mean of losses of variance 1."""
    n = int(sizes.sum())
    return float(np.sqrt(np.sum(sizes * (1 + (sizes - 1) * shared)))) / n


def compute_cr1(values: FloatArray, cluster: IntArray) -> float:
    """Return the standard error CR1 of the mean."""
    sums = np.bincount(cluster, weights=values - values.mean()) / len(values)
    c = len(sums)
    return float(np.sqrt(c / (c - 1) * (sums @ sums)))
