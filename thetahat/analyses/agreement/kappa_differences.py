"""Two raters compared by their kappa with the truth, by a bootstrap over items or clusters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Final

import numpy as np

from thetahat.analyses.agreement.expected_coverage import add_coverage_of_difference
from thetahat.analyses.agreement.ratings import Ratings
from thetahat.analyses.agreement.result import KappaDifference
from thetahat.numerics.thresholds import SAME_CONTRIBUTIONS
from thetahat.seeds import make_random_stream
from thetahat.values.number_text import format_number, format_percent
from thetahat.values.types import FloatArray, IntArray

LEAST_RESAMPLES: Final = 100
"""Resamples in which both kappas must be defined for an interval."""

LEAST_IN_A_TAIL: Final = 10
"""Resamples beyond each end of an interval of several pairs. Between resamples, quantiles are a
little too near: with ten beyond an end the tail is a tenth too large, with one twice as large."""
MOST_RESAMPLES: Final = 20_000
"""Largest number of resamples: some seconds of one core."""
_NUMBERS_AT_ONCE: Final = 4_000_000
"""Largest number of counts, or of weights of clusters, that are drawn at once."""


def compare_all_kappas(
    ratings: Ratings, level: float, n_resamples: int, seed: int
) -> tuple[KappaDifference, ...]:
    """Return the differences of the kappas of all pairs of raters with the truth.

    The intervals of several pairs hold all at once, by Bonferroni: each has a tail that is so much
    smaller, and more resamples where fewer than ``LEAST_IN_A_TAIL`` would be in it.
    """
    pairs = list(combinations([name for name in ratings.names if name != ratings.truth], 2))
    if len(pairs) > 1:
        in_tail = 2 * len(pairs) * LEAST_IN_A_TAIL / (1 - level)
        n_resamples = max(n_resamples, min(math.ceil(in_tail), MOST_RESAMPLES))
    return tuple(
        _compare_kappas(ratings, pair, len(pairs), level, n_resamples, seed) for pair in pairs
    )


def _compare_kappas(  # noqa: PLR0913 - two raters, and how the interval is made
    ratings: Ratings, pair: tuple[str, str], n_pairs: int, level: float, n_resamples: int, seed: int
) -> KappaDifference:
    """Return the difference of the kappas of two raters with the truth.

    The items (or clusters) are drawn with replacement, the same for both raters.
    """
    a, b = pair
    assert ratings.truth is not None  # noqa: S101 - the caller has one
    columns = [ratings.names.index(name) for name in (a, b, ratings.truth)]
    codes = ratings.codes[:, columns]
    is_rated = (codes >= 0).all(axis=1)
    codes, q = codes[is_rated], len(ratings.categories)
    n = len(codes)
    rng = make_random_stream(seed, f"agreement/{a}/{b}")
    patterns, of_item = np.unique(codes, axis=0, return_inverse=True)
    cluster = None if ratings.cluster is None else ratings.cluster[is_rated]
    kappas: FloatArray = np.empty((0, 2))
    now: list[float | None] = [None, None]
    if n:
        whole = np.bincount(of_item.ravel(), minlength=len(patterns)).astype(np.float64)
        now = [None if np.isnan(k) else float(k) for k in _measure(patterns, whole[None], q)[0]]
        draws = _draw(rng, of_item.ravel(), whole, cluster, n_resamples)
        kappas = np.concatenate([_measure(patterns, counts, q) for counts in draws])
        kappas = kappas[~np.isnan(kappas).any(axis=1)]
    difference = None if now[0] is None or now[1] is None else now[0] - now[1]
    lower, upper, error = None, None, None
    if difference is not None and len(kappas) >= LEAST_RESAMPLES:
        drawn = kappas[:, 0] - kappas[:, 1]
        if np.ptp(drawn) > SAME_CONTRIBUTIONS:
            tail = (1 - level) / (2 * n_pairs)
            lower, upper = np.quantile(drawn, [tail, 1 - tail]).tolist()
            error = float(drawn.std(ddof=1))
    found = KappaDifference(
        a=a,
        b=b,
        n=n,
        kappa_a=now[0],
        kappa_b=now[1],
        difference=difference,
        standard_error=error,
        lower=lower,
        upper=upper,
        n_resamples=len(kappas),
        simultaneous_pairs=n_pairs if n_pairs > 1 else None,
        sentence=_write(a, b, ratings.truth, difference, lower, upper, level),
    )
    return add_coverage_of_difference(found, codes, q, cluster)


def _draw(
    rng: np.random.Generator,
    of_item: IntArray,
    counts: FloatArray,
    cluster: IntArray | None,
    n_resamples: int,
) -> Iterator[FloatArray]:
    """Yield (B, P) numbers of items of each pattern in B resamples."""
    n_patterns = len(counts)
    if cluster is None:
        n = int(counts.sum())
        for size in _cut(n_resamples, n_patterns):
            yield rng.multinomial(n, counts / n, size=size).astype(np.float64)
        return
    from scipy.sparse import csr_array  # noqa: PLC0415 - half a second, and few ratings have clusters

    _, code = np.unique(cluster, return_inverse=True)
    n_clusters = int(code.max()) + 1
    of_cluster = csr_array((np.ones(len(code)), (code, of_item)), shape=(n_clusters, n_patterns))
    share = np.full(n_clusters, 1 / n_clusters)
    for size in _cut(n_resamples, max(n_clusters, n_patterns)):
        weights = rng.multinomial(n_clusters, share, size=size).astype(np.float64)
        yield np.asarray(weights @ of_cluster)


def _cut(n_resamples: int, length: int) -> Iterator[int]:
    """Yield how many resamples of so many numbers each are drawn at once."""
    step = max(1, _NUMBERS_AT_ONCE // length)
    for start in range(0, n_resamples, step):
        yield min(step, n_resamples - start)


def _measure(patterns: IntArray, counts: FloatArray, q: int) -> FloatArray:
    """Return (B, 2) kappas of the first two columns with the third; NaN where chance agrees always.

    ``patterns`` are (P, 3) categories, and ``counts`` the (B, P) items of each pattern.
    """
    categories = np.eye(q)[patterns]
    n = counts.sum(axis=1)
    of_truth = counts @ categories[:, 2]
    kappas = np.full((len(counts), 2), np.nan)
    for column in (0, 1):
        observed = counts @ (patterns[:, column] == patterns[:, 2]) / n
        by_chance = ((counts @ categories[:, column]) * of_truth).sum(axis=1) / n**2
        varies = by_chance < 1
        above_chance = observed[varies] - by_chance[varies]
        kappas[varies, column] = above_chance / (1 - by_chance[varies])
    return kappas


def _write(  # noqa: PLR0913 - the difference and its names
    a: str,
    b: str,
    truth: str,
    difference: float | None,
    lower: float | None,
    upper: float | None,
    level: float,
) -> str:
    if difference is None:
        return f"Kappa with {truth} is not defined for both of {a} and {b}."
    if lower is None or upper is None:
        return (
            f"Kappa with {truth} differs by {format_number(round(difference, 3))} between {a} and "
            f"{b}; there is no interval."
        )
    higher, other, ends = a, b, (lower, upper)
    if difference < 0:
        higher, other, ends, difference = b, a, (-upper, -lower), -difference
    text = (
        f"{higher} has a higher kappa with {truth} than {other} by "
        f"{format_number(round(difference, 3))} ({format_percent(level)} interval "
        f"{format_number(round(ends[0], 3))} to {format_number(round(ends[1], 3))})"
    )
    return f"{text}." if ends[0] > 0 else f"{text}, which the data do not show to be above 0."
