"""How often statements about paired 0/1 losses in clusters err, by simulation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from scipy.special import stdtr

from thetahat.numerics.paired_rates import (
    compute_p_value_of_at_least,
    compute_p_value_of_no_difference,
    count_clustered_pair,
)
from thetahat.seeds import make_random_stream
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.edges.simulated_intervals import (
    SHIFT,
    compute_oracle_power,
    compute_power_of_bounds,
)
from thetahat_replications.edges.table import TableCell, TableRow, format_share

ALPHA: Final = 0.05
UNEQUAL: Final = "2 to 50"
TITLE: Final = "Paired 0/1 losses in clusters"
ABOUT: Final = f"""
Instances come in clusters. In each cluster the rates at which only the new model errs (`p10`) and
only the old one does (`p01`) are drawn from beta distributions with the given means and the given
correlation of two instances of a cluster. The margin is p10 - p01, so `not_worse` is false and may
be said in at most 5 % of {{repetitions}} samples. The old rule is the t interval on the
cluster-robust variance (CR1) with C - 1 degrees of freedom, with p = 0 where nothing differs;
today's is Tango's test of counts divided by the design effect. Where p10 = p01, `difference` is an
error as well; elsewhere it is power, and the columns of its power have it as a share of the power
of the normal test that knows the standard deviation of the mean difference. The power of
`not_worse` is how often it is said where the margin is larger by {SHIFT:g} of these standard
deviations, as a share of the one-sided test's.
"""
CASES: Final = (
    (10, "10", 0.05, 0.02, 0.3),
    (10, "10", 0.1, 0.03, 0.1),
    (20, "10", 0.05, 0.0, 0.3),
    (20, "10", 0.05, 0.02, 0.3),
    (20, "10", 0.1, 0.05, 0.3),
    (20, "10", 0.1, 0.1, 0.1),
    (20, UNEQUAL, 0.05, 0.0, 0.3),
    (20, UNEQUAL, 0.05, 0.02, 0.3),
    (20, UNEQUAL, 0.1, 0.05, 0.3),
    (40, "5", 0.03, 0.01, 0.1),
    (40, "5", 0.1, 0.05, 0.3),
    (40, "5", 0.1, 0.03, 0.1),
    (100, "3", 0.05, 0.02, 0.3),
    (100, "3", 0.1, 0.03, 0.1),
)
"""Clusters, their sizes, p10, p01, and the correlation in the clusters."""


COLUMNS: Final = (
    "clusters | size | p10 | p01 | correlation | `not_worse`, old rule | today | "
    "difference, old rule | today | power, old rule | power, today | "
    "`not_worse`, power, old rule | `not_worse`, power, today"
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return the shares of samples in which the old rule and today's say what is false."""
    for n_clusters, size, p10, p01, correlation in CASES:
        rng = make_random_stream(seed, f"{n_clusters} {size} {p10} {p01} {correlation}")
        sizes = _list_sizes(n_clusters, size)
        cluster = np.repeat(np.arange(n_clusters), sizes)
        samples = [_draw(cluster, p10, p01, correlation, rng) for _ in range(repetitions)]
        true_sd = float(np.std([(new - old).mean() for new, old in samples], ddof=1))
        margins = p10 - p01, p10 - p01 + SHIFT * true_sd
        said = np.mean([_say(cluster, *sample, margins) for sample in samples], axis=0)
        shares = [format_share(share, repetitions) for share in said[:4]]
        powers: list[TableCell] = ["-", "-"]
        if p10 == p01:
            shares[:2] = ["-", "-"]
        else:
            powers = list(said[2:4] / compute_oracle_power((p10 - p01) / true_sd))
        powers += list(said[4:] / compute_power_of_bounds(SHIFT))
        yield (n_clusters, size, f"{p10:g}", f"{p01:g}", f"{correlation:g}", *shares, *powers)


def _list_sizes(n_clusters: int, size: str) -> IntArray:
    if size == UNEQUAL:
        return np.linspace(2, 50, n_clusters).astype(np.intp)
    return np.full(n_clusters, int(size))


def _draw(
    cluster: IntArray, p10: float, p01: float, correlation: float, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return (n,) errors of the new and of the old model that the other one does not make."""
    n_clusters = int(cluster[-1]) + 1
    only_new = _draw_rates(p10, correlation, n_clusters, rng)[cluster]
    only_old = _draw_rates(p01, correlation, n_clusters, rng)[cluster]
    at = rng.random(len(cluster)) * np.maximum(1.0, only_new + only_old)
    new = (at < only_new).astype(np.float64)
    return new, ((at >= only_new) & (at < only_new + only_old)).astype(np.float64)


def _say(
    cluster: IntArray, new: FloatArray, old: FloatArray, margins: tuple[float, float]
) -> FloatArray:
    """Return 1 for each that is said, by the old rule and by today's.

    What is said is: not worse by the first margin, different, and not worse by the second one.
    """
    counts = count_clustered_pair(new, old, cluster)
    said: list[float] = []
    for margin in margins:
        of_t, different = _compute_t_p_values(new - old, cluster, margin)
        if counts is None:  # nothing differs
            today, of_difference = (1 - margin) ** (int(cluster[-1]) + 1), 1.0
        else:
            today = compute_p_value_of_at_least(counts, margin) if margin > 0 else 1.0
            of_difference = compute_p_value_of_no_difference(counts)
        said += [of_t, today] if said else [of_t, today, different, of_difference]
    return (np.array(said) < ALPHA).astype(np.float64)


def _draw_rates(
    mean: float, correlation: float, n_clusters: int, rng: np.random.Generator
) -> FloatArray:
    if mean == 0:
        return np.zeros(n_clusters)
    size = 1 / correlation - 1
    return rng.beta(mean * size, (1 - mean) * size, n_clusters)


def _compute_t_p_values(
    differences: FloatArray, cluster: IntArray, margin: float
) -> tuple[float, float]:
    """Return the p-values of "not worse by the margin" and of no difference by the old rule."""
    n, mean = len(differences), float(differences.mean())
    sums = np.bincount(cluster, weights=differences - mean)
    c = len(sums)
    error = float(np.sqrt(c / (c - 1) * (sums**2).sum())) / n
    if error == 0:
        return (0.0 if mean == 0 else 1.0), 1.0
    return float(stdtr(c - 1, (mean - margin) / error)), float(2 * stdtr(c - 1, -abs(mean) / error))
