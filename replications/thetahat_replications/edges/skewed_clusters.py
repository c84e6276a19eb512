"""Intervals for one model's mean loss over clusters of unequal size: t, Hall's, and both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from scipy.special import stdtrit

from thetahat.intervals.skewness_corrected import LARGEST_IMBALANCE
from thetahat.numerics.paired_rates import count_degrees_of_clusters
from thetahat.values.clusters import compute_imbalance
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.edges.clustered_losses import compute_true_sd, draw_normal, draw_squared
from thetahat_replications.edges.hall_transformation import bound_skewness, invert
from thetahat_replications.edges.simulated_intervals import (
    LEVEL,
    WHAT_IS_SHOWN,
    measure_ends,
    name_columns,
)
from thetahat_replications.edges.table import TableRow

DrawLosses = Callable[[np.random.Generator, IntArray, float], FloatArray]

SHAPE: Final = 0.5
"""Of the gamma distribution, whose skewness is 2 / sqrt(.5) = 2.8."""


def draw_gamma(rng: np.random.Generator, cluster: IntArray, shared: float) -> FloatArray:
    """Return sums of two gamma variables, one of the cluster, of mean 0 and variance 1."""
    common = rng.gamma(SHAPE, size=int(cluster.max()) + 1)[cluster] - SHAPE
    own = rng.gamma(SHAPE, size=len(cluster)) - SHAPE
    return np.asarray((np.sqrt(shared) * common + np.sqrt(1 - shared) * own) / np.sqrt(SHAPE))


def _spread(n: int, smallest: int, largest: int) -> IntArray:
    return np.round(np.geomspace(smallest, largest, n)).astype(np.intp)


CHOSEN_ON: Final[dict[str, IntArray]] = {
    "20 of 15": np.full(20, 15),
    "20 of 10 to 20": _spread(20, 10, 20),
    "20 of 6 to 24": _spread(20, 6, 24),
    "10 of 2 to 50": _spread(10, 2, 50),
    "20 of 2 to 50": _spread(20, 2, 50),
    "40 of 2 to 50": _spread(40, 2, 50),
}
JUDGED_ON: Final[dict[str, IntArray]] = {
    "8 of 5 to 20": _spread(8, 5, 20),
    "12: six of 3, six of 30": np.repeat([3, 30], 6),
    "15 of 2 to 100": _spread(15, 2, 100),
    "30, one with a quarter of the rows": np.array([5] * 29 + [48]),
    "60 of 1 to 30": _spread(60, 1, 30),
}
LOSSES: Final[dict[str, DrawLosses]] = {
    "normal": draw_normal,
    "squared": draw_squared,
    "gamma": draw_gamma,
}
SHARED: Final = (0.1, 0.3)

TITLE: Final = "Skewed losses in clusters of unequal size"
ABOUT: Final = f"""
The mean of all losses of one model, with the variance `cluster_robust` (CR2) and the degrees of
freedom of Bell and McCaffrey. Hall's interval has the quantiles of t, changed by the skewness of
the cluster sums, and was `skewness_corrected` in all clusters. The farther ends are at each side
the farther one of Hall's and of t; `skewness_corrected` has them where `imbalance` is above
{LARGEST_IMBALANCE:g}: how many clusters there are for each equal one that they weigh like. The rule
was chosen on the designs above, with normal and squared losses, and judged on those below.
{WHAT_IS_SHOWN}
Reading: in unequal clusters few large ones decide, and say little about their skewness. Hall's ends
then cover normal losses in .91 to .94, less often than t (.93 to .95), and skewed losses more often
than t, by .04 at most. On the designs that played no part in the choice the farther ends cover more
often than either, normal losses in .94 to .96 and skewed ones in .88 to .95; they are 4 to 8 %
longer than Hall's, and find less of a difference (.72 to .94 of what an oracle finds for normal
losses, t .84 to .98). With equal clusters Hall's ends cover normal losses as often as t, and stay.
"""

COLUMNS: Final = (
    f"clusters | imbalance | losses | {name_columns('t', 'Hall', 'farther ends')} | degrees"
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return coverage, length and power of the three intervals, by clusters and losses."""
    for number, (used_for, sizes_by_name) in enumerate(
        (("chosen on", CHOSEN_ON), ("judged on", JUDGED_ON))
    ):
        kinds = list(LOSSES)[: 2 + number]
        for place, (name, sizes) in enumerate(sizes_by_name.items()):
            for shared in SHARED:
                for losses in kinds:
                    rng = np.random.default_rng([seed, number, place, int(10 * shared)])
                    measured = _measure(sizes, shared, LOSSES[losses], repetitions, rng)
                    degrees = count_degrees_of_clusters(sizes.astype(np.float64))
                    yield (
                        f"{used_for}: {name}",
                        f"{compute_imbalance(sizes):.2f}",
                        f"{losses}, ICC {shared:g}",
                        *measured,
                        f"{degrees:.1f}",
                    )


def _measure(
    sizes: IntArray, shared: float, draw: DrawLosses, repetitions: int, rng: np.random.Generator
) -> Iterator[str | float]:
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    means, sums = np.empty(repetitions), np.empty((repetitions, len(sizes)))
    for r in range(repetitions):
        values = draw(rng, cluster, shared)
        means[r] = values.mean()
        sums[r] = np.add.reduceat(values - means[r], starts)
    true_sd = compute_true_sd(sizes, shared)
    for lower, upper in compute_ends(means, sums, sizes):
        yield from measure_ends(lower, upper, true_sd)


def compute_ends(
    means: FloatArray, sums: FloatArray, sizes: IntArray
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield both ends of the t interval, of Hall's, and the farther ones, of (R,) samples.

    Parameters
    ----------
    means : ndarray of float
        (R,) means of all losses.
    sums : ndarray of float
        (R, C) sums of the deviations from the mean over clusters.
    sizes : ndarray of int
        (C,) number of losses of each cluster.
    """
    n = sizes.sum()
    errors = np.sqrt((sums**2 / (1 - sizes / n)).sum(axis=1)) / n
    centred = sums - sums.mean(axis=1, keepdims=True)
    second, third = (centred**2).mean(axis=1), (centred**3).mean(axis=1)
    skewness = third / (second**1.5 * np.sqrt(len(sizes)))
    quantile = float(stdtrit(count_degrees_of_clusters(sizes.astype(np.float64)), (1 + LEVEL) / 2))
    g = bound_skewness(skewness, quantile)
    plain = means - quantile * errors, means + quantile * errors
    hall = means - invert(quantile, g) * errors, means - invert(-quantile, g) * errors
    yield plain
    yield hall
    yield np.minimum(plain[0], hall[0]), np.maximum(plain[1], hall[1])
