r"""Coefficients of agreement between raters, with the contribution of every item.

Ratings are (n, r) codes of q categories, -1 where a rater did not rate an item. A coefficient is
:math:`(p_a - p_e) / (1 - p_e)`, with the observed agreement :math:`p_a` and that by chance
:math:`p_e`; coefficients differ in the second. Variances come from values of the items whose mean
varies as the coefficient does, so that clusters of items can be allowed for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from thetahat.numerics.thresholds import SAME_CONTRIBUTIONS
from thetahat.values.types import BoolArray, FloatArray, IntArray

RatingScale: TypeAlias = Literal["nominal", "ordinal", "interval"]
"""What the distance of two ratings means: nothing, an order, or a number."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coefficient:
    """A coefficient of agreement, and what each item contributes to it."""

    estimate: float
    """The coefficient; at most 1."""
    contributions: FloatArray
    """Values of the items that count; the variance of their mean is that of the coefficient."""
    items: BoolArray
    """(n,) which items count."""
    divides_by_n: bool = False
    """Whether the variance of the items has the divisor n, as its source has it."""

    def count_units(self, cluster: IntArray | None = None) -> int:
        """Return the number of items, or of (n,) clusters, that count."""
        if cluster is None:
            return len(self.contributions)
        return len(np.unique(cluster[self.items]))

    def compute_variance(self, cluster: IntArray | None = None) -> float:
        """Return the variance of the coefficient; with (n,) codes of clusters CR1.

        A single unit has no variance: NaN. Where all units contribute the same it is 0.
        """
        n, units = len(self.contributions), self.count_units(cluster)
        if units < 2:
            return math.nan
        sums = self.contributions - self.contributions.mean()
        if cluster is not None:
            sums = np.bincount(cluster[self.items], weights=sums)
        if np.abs(sums).max() <= SAME_CONTRIBUTIONS * np.abs(self.contributions).max():
            return 0.0
        squares = float(sums @ sums)
        if cluster is None:
            return squares / n / (n if self.divides_by_n else n - 1)
        return units / (units - 1) * squares / n**2


def compute_ends(
    estimate: float, standard_error: float, quantile: float
) -> tuple[float, float] | None:
    """Return an interval of a coefficient on the scale of Fisher's z; None at -1 and 1.

    It never leaves the range -1 to 1, and covers more often than the estimate plus and minus the
    quantile times the standard error where few items disagree.
    """
    room = 1 - estimate**2
    if room <= 0:
        return None
    z, reach = math.atanh(estimate), quantile * standard_error / room
    return math.tanh(z - reach), math.tanh(z + reach)


def compute_observed_agreement(a: IntArray, b: IntArray) -> Coefficient:
    """Return the share of the (n,) items to which two raters gave the same category."""
    same = (a == b).astype(np.float64)
    return Coefficient(
        estimate=float(same.mean()), contributions=same, items=np.ones(len(a), dtype=np.bool_)
    )


def compute_cohen_kappa(
    a: IntArray,
    b: IntArray,
    n_categories: int,
    power: int = 0,
    positions: FloatArray | None = None,
) -> Coefficient | None:
    r"""Return Cohen's kappa of two raters of the same (n,) items; None where chance agrees always.

    An item of categories i and j contributes
    :math:`[w_{ij} - (1 - \kappa)(\bar w_{i.} + \bar w_{.j})] / (1 - p_e)`, whose variance with the
    divisor n is that of Fleiss, Cohen and Everitt. Categories that differ do not agree with power
    0, and agree the less the further they are apart with power 1 (linear) and 2 (squares).
    ``positions`` are (q,) ascending places of the categories; None takes them as equally far apart.
    Source: cohen1960, fleiss1969.
    """
    table = np.bincount(a * n_categories + b, minlength=n_categories**2) / len(a)
    weights = weigh_categories(n_categories, power, positions)
    kappa, by_chance = compute_kappa_of_table(table, weights)
    if math.isnan(kappa):
        return None
    table = table.reshape(n_categories, n_categories)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    expected = (weights @ columns)[:, None] + (rows @ weights)[None, :]
    values = (weights - (1 - kappa) * expected) / (1 - by_chance)
    return Coefficient(
        estimate=kappa,
        contributions=values[a, b],
        items=np.ones(len(a), dtype=np.bool_),
        divides_by_n=True,
    )


def compute_kappa_of_table(table: FloatArray, weights: FloatArray) -> tuple[float, float]:
    """Return kappa of (q * q,) shares of pairs of categories, and the agreement by chance.

    Kappa is NaN where chance agrees always.
    """
    q = len(weights)
    shares = table.reshape(q, q)
    by_chance = float(shares.sum(axis=1) @ weights @ shares.sum(axis=0))
    if _is_one(by_chance):
        return math.nan, by_chance
    return (float((weights * shares).sum()) - by_chance) / (1 - by_chance), by_chance


def weigh_categories(
    n_categories: int, power: int, positions: FloatArray | None = None
) -> FloatArray:
    """Return the (q, q) weights of agreement, as ``compute_cohen_kappa`` has them."""
    if power == 0:
        return np.eye(n_categories)
    at = np.arange(n_categories, dtype=np.float64) if positions is None else positions
    apart = np.abs(at[:, None] - at[None, :])
    return np.asarray(1 - (apart / max(apart.max(), 1e-300)) ** power)


def compute_fleiss_kappa(ratings: IntArray, n_categories: int) -> Coefficient | None:
    """Return Fleiss' kappa of (n, r) ratings; items with one rating count for chance.

    Source: fleiss1971, gwet2008.
    """
    return _linearise(ratings, n_categories, lambda share: share, 1.0)


def compute_gwet_ac1(ratings: IntArray, n_categories: int) -> Coefficient | None:
    """Return Gwet's AC1 of (n, r) ratings; items with one rating count for chance.

    Source: gwet2008.
    """
    if n_categories < 2:
        return None
    return _linearise(ratings, n_categories, lambda share: 1 - share, 1 / (n_categories - 1))


def compute_krippendorff_alpha(
    ratings: IntArray, scale: RatingScale, values: FloatArray
) -> Coefficient | None:
    """Return Krippendorff's alpha of (n, r) ratings; None without two categories.

    Items with one rating do not count. Contributions are pseudo-values of the jackknife over items.
    Source: krippendorff2011.

    Parameters
    ----------
    ratings : ndarray of int
        Codes of the categories, in their order, -1 for none.
    scale : str
        ``nominal``, ``ordinal`` or ``interval``.
    values : ndarray
        (q,) values of the categories, for ``interval``.
    """
    items = (ratings >= 0).sum(axis=1) >= 2
    ratings = ratings[items]
    if not len(ratings):
        return None
    disagreements = {
        "nominal": _compute_nominal,
        "ordinal": _compute_ordinal,
        "interval": _compute_interval,
    }
    whole, without = disagreements[scale](ratings, values)
    if not whole.expected > 0:
        return None
    alpha = float(whole.compute_alpha())
    n = len(ratings)
    with np.errstate(divide="ignore", invalid="ignore"):
        pseudo = n * alpha - (n - 1) * without.compute_alpha()
    return Coefficient(
        estimate=alpha,
        contributions=np.asarray(np.where(np.isfinite(pseudo), pseudo, alpha)),
        items=items,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Disagreement:
    """Observed and expected disagreement, of all items or without each one of them."""

    n: FloatArray | float
    """Number of ratings."""
    observed: FloatArray | float
    """Sum over pairs of ratings of an item."""
    expected: FloatArray | float
    """Sum over all pairs of ratings."""

    def compute_alpha(self) -> FloatArray:
        return np.asarray(1 - (self.n - 1) * self.observed / self.expected)


def _compute_nominal(ratings: IntArray, values: FloatArray) -> tuple[_Disagreement, _Disagreement]:
    sizes = (ratings >= 0).sum(axis=1).astype(np.float64)
    same = _count_equal_pairs(ratings)
    observed = sizes - same / (sizes - 1)
    margin = np.bincount(ratings[ratings >= 0], minlength=len(values)).astype(np.float64)
    n, squares = float(sizes.sum()), float(margin @ margin)
    squares_without = squares - 2 * _sum_over_raters(ratings, margin) + same + sizes
    return (
        _Disagreement(n, float(observed.sum()), n**2 - squares),
        _Disagreement(n - sizes, observed.sum() - observed, (n - sizes) ** 2 - squares_without),
    )


def _compute_interval(ratings: IntArray, values: FloatArray) -> tuple[_Disagreement, _Disagreement]:
    sizes = (ratings >= 0).sum(axis=1).astype(np.float64)
    centred = values - values[ratings[ratings >= 0]].mean()
    sums = _sum_over_raters(ratings, centred)
    squares = _sum_over_raters(ratings, centred**2)
    observed = _spread(sizes, sums, squares) / (sizes - 1)
    n, total, total_squares = float(sizes.sum()), float(sums.sum()), float(squares.sum())
    return (
        _Disagreement(n, float(observed.sum()), _spread(n, total, total_squares)),
        _Disagreement(
            n - sizes,
            observed.sum() - observed,
            _spread(n - sizes, total - sums, total_squares - squares),
        ),
    )


def _compute_ordinal(ratings: IntArray, values: FloatArray) -> tuple[_Disagreement, _Disagreement]:
    """Return the disagreements by the ranks of the categories, which each item changes."""
    q = len(values)
    patterns, of_item = np.unique(np.sort(ratings, axis=1), axis=0, return_inverse=True)
    sizes = (ratings >= 0).sum(axis=1).astype(np.float64)
    margin = np.bincount(ratings[ratings >= 0], minlength=q).astype(np.float64)
    together = np.zeros((q, q))
    for a, b in combinations(ratings.T, 2):
        both = (a >= 0) & (b >= 0)
        pairs = np.bincount(
            a[both] * q + b[both], weights=1 / (sizes[both] - 1), minlength=q * q
        ).reshape(q, q)
        together += pairs + pairs.T
    whole = _measure_ordinal(margin, together, np.empty(0, dtype=np.intp))
    parts = [_measure_ordinal(margin, together, pattern[pattern >= 0]) for pattern in patterns]
    columns = np.array([[each.n, each.observed, each.expected] for each in parts]).T
    n, observed, expected = columns[:, of_item.ravel()]
    return whole, _Disagreement(n, observed, expected)


def _measure_ordinal(margin: FloatArray, together: FloatArray, without: IntArray) -> _Disagreement:
    """Return the disagreement of all ratings but those of one item."""
    left = margin - np.bincount(without, minlength=len(margin))
    ranks = np.cumsum(left) - left / 2
    apart = (ranks[:, None] - ranks[None, :]) ** 2
    observed, m = float((together * apart).sum()), len(without)
    if m:
        own = ranks[without]
        observed -= _spread(m, own.sum(), (own**2).sum()) / (m - 1)
    n = float(left.sum())
    return _Disagreement(n, observed, _spread(n, left @ ranks, left @ ranks**2))


def _spread(n: FloatArray | float, total: FloatArray | float, squares: FloatArray | float) -> Any:
    """Return the sum of squared differences over all ordered pairs of n numbers."""
    return 2 * (n * squares - total**2)


def _linearise(
    ratings: IntArray,
    n_categories: int,
    turn: Callable[[FloatArray], FloatArray],
    scale: float,
) -> Coefficient | None:
    """Return a coefficient whose agreement by chance is the sum of share x turn(share), scaled."""
    sizes = (ratings >= 0).sum(axis=1).astype(np.float64)
    items = sizes > 0
    ratings, sizes = ratings[items], sizes[items]
    n, is_paired = len(ratings), sizes >= 2
    n_paired = int(is_paired.sum())
    if n_paired == 0:
        return None
    share = np.zeros(n_categories)
    for column in ratings.T:
        is_rated = column >= 0
        share += np.bincount(column[is_rated], weights=1 / sizes[is_rated], minlength=n_categories)
    share /= n
    turned = turn(share)
    chance = scale * float(share @ turned)
    if _is_one(chance):
        return None
    chance_of_item = scale * _sum_over_raters(ratings, turned) / sizes
    agreed = np.full(n, chance)
    pairs = sizes[is_paired] * (sizes[is_paired] - 1)
    agreed[is_paired] = _count_equal_pairs(ratings[is_paired]) / pairs
    observed = float(agreed[is_paired].mean())
    estimate = (observed - chance) / (1 - chance)
    parts = n / n_paired * (agreed - chance) / (1 - chance)
    parts -= 2 * (1 - estimate) * (chance_of_item - chance) / (1 - chance)
    return Coefficient(estimate=estimate, contributions=np.asarray(parts), items=items)


def _count_equal_pairs(ratings: IntArray) -> FloatArray:
    """Return (n,) how many ordered pairs of raters gave an item the same category."""
    equal = np.zeros(len(ratings))
    for a, b in combinations(ratings.T, 2):
        equal += (a == b) & (a >= 0)
    return 2 * equal


def _sum_over_raters(ratings: IntArray, values: FloatArray) -> FloatArray:
    """Return (n,) sums of the values of the categories that an item was given."""
    extended = np.append(values, 0.0)  # the code -1 takes the last
    total = np.zeros(len(ratings))
    for column in ratings.T:
        total += extended[column]
    return total


def _is_one(share: float) -> bool:
    return share >= 1 - 1e-12
