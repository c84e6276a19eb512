"""Ranks of losses in rows, with a tolerance for rounding, and the statistics made of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy import special

from thetahat.distributions import f_upper_tail
from thetahat.multiple_tests.base import PostHoc
from thetahat.values.types import FloatArray

_ROUNDINGS = 8 * float(np.finfo(np.float64).eps)  # a loss, its mean and its centring
_CHUNK = 1 << 18  # numbers ranked at a time, so that the sort's scratch space stays small


def ranks_in_rows(values: FloatArray) -> FloatArray:
    """Rank each row of (N, k) values from 1, the smallest; ties share the mean of their ranks.

    Neighbours no further apart than 8 units in the last place count as ties.
    """
    n, k = values.shape
    ranks = np.empty((n, k))
    step = max(1, _CHUNK // k)
    for start in range(0, n, step):
        part = values[start : start + step]
        _rank(part, _ROUNDINGS * np.abs(part), ranks[start : start + step])
    return ranks


def ranks_of(values: FloatArray, roundings: FloatArray) -> FloatArray:
    """Rank (n,) values from 1; neighbours within the larger of their roundings are ties."""
    ranks = np.empty(len(values))
    _rank(values[np.newaxis], roundings[np.newaxis], ranks[np.newaxis])
    return ranks


def ranks_after_alignment(values: FloatArray) -> FloatArray:
    """Rank all (N, k) values together, each less its row's mean."""
    # centring on the row's first value before its mean loses nothing to a large common level
    shifted = values - values[:, :1]
    aligned = shifted - shifted.mean(axis=1, keepdims=True)
    roundings = np.broadcast_to(
        _ROUNDINGS * np.abs(values).max(axis=1, keepdims=True), values.shape
    )
    ranks: FloatArray = ranks_of(aligned.ravel(), roundings.ravel()).reshape(values.shape)
    return ranks


def row_ranges(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (N,) largest less smallest of each row, 0 where that is rounding, and its rounding."""
    roundings = _ROUNDINGS * np.abs(values).max(axis=1)
    ranges = values.max(axis=1) - values.min(axis=1)
    return np.where(ranges <= roundings, 0.0, ranges), roundings


def _rank(values: FloatArray, roundings: FloatArray, out: FloatArray) -> None:
    n, k = values.shape
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    slack = np.take_along_axis(roundings, order, axis=1)
    starts = np.ones((n, k), dtype=np.bool_)
    starts[:, 1:] = np.diff(ordered, axis=1) > np.maximum(slack[:, 1:], slack[:, :-1])
    group = np.cumsum(starts.ravel()) - 1
    sizes = np.bincount(group)
    # a group that starts at place s of its row and has t members shares rank s + (t + 1) / 2
    shared = np.flatnonzero(starts) % k + (sizes + 1) / 2
    np.put_along_axis(out, order, shared[group].reshape(n, k), axis=1)


@dataclass(frozen=True, slots=True)
class RowStatistic:
    r"""Chi-squared statistic of scores in rows, and the most that it can be.

    .. math::

        T = \frac{(k - 1) \sum_j (S_j - \bar S)^2}{\sum_{ij} (s_{ij} - \bar s_i)^2}

    with S_j the column sums. Given the scores of each row, T has mean k - 1 under all
    permutations within rows; its largest value, N (k - 1), is reached where all centred rows are
    equal.

    Parameters
    ----------
    value : float or None
        T; None where every row is flat.
    n, k : int
        Rows and columns.
    log_orders : float or None
        Where all centred rows are equal: the logarithm of the number of orders that one row's
        scores can stand in; None elsewhere.
    """

    value: float | None
    n: int
    k: int
    log_orders: float | None

    def chi_squared_p(self) -> float:
        """P(chi squared with k - 1 degrees of freedom > T); 1 where T is undefined."""
        return 1.0 if self.value is None else chi_squared_tail(self.value, self.k - 1)

    def with_value(self, value: float | None) -> RowStatistic:
        """Return the same with T by another convention; it agrees nowhere that rows have ties."""
        reached = value is not None and value >= self.most * (1 - 1e-12)
        return replace(self, value=value, log_orders=self.log_orders if reached else None)

    def as_f(self) -> tuple[float | None, float]:
        """Return F = (N - 1) T / (N (k - 1) - T) and its p-value.

        Where all rows agree F is infinite, and the p-value is that of the permutations: the
        chance that N rows in random order agree.
        """
        if self.value is None:
            return None, 1.0
        if self.log_orders is not None:
            return None, math.exp(-(self.n - 1) * self.log_orders)
        statistic = (self.n - 1) * self.value / (self.most - self.value)
        return statistic, f_upper_tail(statistic, *self.f_degrees)

    @property
    def most(self) -> float:
        """N (k - 1)."""
        return float(self.n * (self.k - 1))

    @property
    def f_degrees(self) -> tuple[float, float]:
        """Numerator's and denominator's degrees of freedom of F."""
        return float(self.k - 1), float((self.k - 1) * (self.n - 1))


def row_statistic(scores: FloatArray) -> RowStatistic:
    """Return the statistic of (N, k) scores; sums of half-integers below 2^52 are exact."""
    n, k = scores.shape
    centred = scores - scores.mean(axis=1, keepdims=True)
    within = float(np.vdot(centred, centred))
    if within == 0:
        return RowStatistic(None, n, k, None)
    columns = centred.sum(axis=0)
    value = (k - 1) * float(columns @ columns) / within
    log_orders = None
    if (centred == centred[0]).all():
        ties = np.unique(centred[0], return_counts=True)[1]
        log_orders = float(special.gammaln(k + 1) - special.gammaln(ties + 1).sum())
    return RowStatistic(value, n, k, log_orders)


def difference_error(scores: FloatArray) -> float:
    r"""Return the standard error of the difference of two columns' sums of (N, k) scores.

    .. math:: \mathrm{se}^2 = \frac{2}{k - 1} \sum_{ij} (s_{ij} - \bar s_i)^2

    over all permutations within rows: exact, and the same for every pair.
    """
    centred = scores - scores.mean(axis=1, keepdims=True)
    return math.sqrt(2 * float(np.vdot(centred, centred)) / (scores.shape[1] - 1))


def chi_squared_tail(statistic: float, degrees_of_freedom: int) -> float:
    """Return P(chi squared > statistic)."""
    return float(special.chdtrc(degrees_of_freedom, statistic))


Ties = Literal["corrected", "none"]
TIES = ("corrected", "none")


@dataclass(frozen=True, slots=True, eq=False)
class FriedmanRanks:
    """Ranks of the models in every row, and the statistic of them.

    Parameters
    ----------
    statistic : RowStatistic
        Corrected for ties.
    mean_ranks : ndarray of float
        (k,); 1 is best.
    sum_error : float
        Standard error of the difference of two models' rank sums over all permutations within
        rows: ties make it smaller.
    """

    statistic: RowStatistic
    mean_ranks: FloatArray
    sum_error: float

    def chi_squared(self, ties: Ties) -> float | None:
        """Return the statistic; None where corrected for ties that are all there is."""
        if ties == "corrected":
            return self.statistic.value
        n, k = self.statistic.n, self.statistic.k
        distances = self.mean_ranks - (k + 1) / 2
        return 12 * n / (k * (k + 1)) * float(distances @ distances)

    def post_hoc(self, ties: Ties) -> PostHoc:
        r"""Return what pairs are compared by: :math:`\sqrt{k (k + 1) / (6 N)}` without ties."""
        n, k = self.statistic.n, self.statistic.k
        error = math.sqrt(k * (k + 1) / (6 * n)) if ties == "none" else self.sum_error / n
        return PostHoc("mean_ranks", tuple(self.mean_ranks.tolist()), error)


def friedman_ranks(losses: FloatArray) -> FriedmanRanks:
    """Rank the models in every row of (N, k) losses, the smallest loss first."""
    ranks = ranks_in_rows(losses)
    return FriedmanRanks(row_statistic(ranks), ranks.mean(axis=0), difference_error(ranks))
