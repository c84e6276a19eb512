"""Ranks of losses in rows, with a tolerance for rounding, and the statistics made of them."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from thetahat import special_functions as special
from thetahat.distributions import bound_p_value, compute_chi_squared_tail, compute_f_upper_tail
from thetahat.multiple_tests.base import PostHocScores
from thetahat.values.batch_sizes import NUMBERS_IN_2_MB
from thetahat.values.block_losses import ROUNDING
from thetahat.values.types import FloatArray


def rank_in_rows(values: FloatArray) -> FloatArray:
    """Return the ranks within each row of (N, k) values, from 1 for the smallest.

    Ties share the mean of their ranks. Neighbours within 8 units in the last place are ties.
    """
    n, k = values.shape
    ranks = np.empty((n, k))
    step = max(1, NUMBERS_IN_2_MB // k)
    for start in range(0, n, step):
        chunk = values[start : start + step]
        _rank(chunk, ROUNDING * np.abs(chunk), ranks[start : start + step])
    return ranks


def rank_values(values: FloatArray, roundings: FloatArray) -> FloatArray:
    """Return the ranks of (n,) values; neighbours within the larger of their roundings are ties."""
    ranks = np.empty(len(values))
    _rank(values[np.newaxis], roundings[np.newaxis], ranks[np.newaxis])
    return ranks


def rank_after_alignment(values: FloatArray) -> FloatArray:
    """Return the ranks of all (N, k) values together, each minus its row's mean."""
    # the row's first value is subtracted before the mean, so that a large level costs no digits
    shifted = values - values[:, :1]
    aligned = shifted - shifted.mean(axis=1, keepdims=True)
    roundings = np.broadcast_to(ROUNDING * np.abs(values).max(axis=1, keepdims=True), values.shape)
    ranks: FloatArray = rank_values(aligned.ravel(), roundings.ravel()).reshape(values.shape)
    return ranks


def compute_row_ranges(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the (N,) range of each row, 0 if within its rounding error, and that error."""
    roundings = ROUNDING * np.abs(values).max(axis=1)
    ranges = values.max(axis=1) - values.min(axis=1)
    return np.where(ranges <= roundings, 0.0, ranges), roundings


def _rank(values: FloatArray, roundings: FloatArray, out: FloatArray) -> None:
    """Write the mid-ranks within each row to ``out``."""
    n, k = values.shape
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    slack = np.take_along_axis(roundings, order, axis=1)
    starts = np.ones((n, k), dtype=np.bool_)
    starts[:, 1:] = np.diff(ordered, axis=1) > np.maximum(slack[:, 1:], slack[:, :-1])
    group = np.cumsum(starts.ravel()) - 1
    sizes = np.bincount(group)
    # a group of t ties that starts at index s of its row shares the rank s + (t + 1) / 2
    shared = np.flatnonzero(starts) % k + (sizes + 1) / 2
    np.put_along_axis(out, order, shared[group].reshape(n, k), axis=1)


class RowStatistic(NamedTuple):
    r"""Chi-squared statistic of scores in rows.

    .. math::

        T = \frac{(k - 1) \sum_j (S_j - \bar S)^2}{\sum_{ij} (s_{ij} - \bar s_i)^2}

    with S_j the column sums. Given the scores of each row, T has mean k - 1 over all
    permutations within rows; its largest value N (k - 1) is reached if all centred rows are equal.
    """

    value: float | None
    """T; None if in every row all scores are equal."""
    n: int
    k: int
    """Numbers of rows and columns."""
    sum_of_squares: float
    """Denominator of T, the sum of squares about the row means."""
    log_orders: float | None
    """Logarithm of the number of distinct orders of one row's scores, if all centred rows are
    equal; None otherwise."""

    def chi_squared_p_value(self) -> float:
        """Return P(chi squared with k - 1 degrees of freedom > T); 1 if T is undefined."""
        return 1.0 if self.value is None else compute_chi_squared_tail(self.value, self.k - 1)

    def with_value(self, value: float | None) -> RowStatistic:
        """Return the statistic with another value of T, such as the one without tie correction."""
        is_maximum = value is not None and value >= self.maximum * (1 - 1e-12)
        return self._replace(value=value, log_orders=self.log_orders if is_maximum else None)

    def without_correction(self, sum_of_squares: float) -> RowStatistic:
        """Return the statistic without the correction for ties.

        ``sum_of_squares`` is the denominator that scores without ties have. T is then defined, and
        0, even if in every row all scores are equal.
        """
        value = 0.0 if self.value is None else self.value * (self.sum_of_squares / sum_of_squares)
        return self.with_value(value)._replace(sum_of_squares=sum_of_squares)

    @property
    def difference_standard_error(self) -> float:
        r"""Standard error of the difference of two columns' sums of scores.

        .. math:: \mathrm{se}^2 = \frac{2}{k - 1} \sum_{ij} (s_{ij} - \bar s_i)^2

        over all permutations within rows: exact, and the same for every pair.
        """
        return math.sqrt(2 * self.sum_of_squares / (self.k - 1))

    def compute_f_test(self) -> tuple[float | None, float]:
        """Return F = (N - 1) T / (N (k - 1) - T) and its p-value.

        If all rows agree F is infinite and None, and the p-value is that of the permutations: the
        probability that N rows in random order agree.
        """
        if self.value is None:
            return None, 1.0
        if self.log_orders is not None:
            return None, bound_p_value(math.exp(-(self.n - 1) * self.log_orders))
        statistic = (self.n - 1) * self.value / (self.maximum - self.value)
        return statistic, compute_f_upper_tail(statistic, *self.f_degrees_of_freedom)

    @property
    def maximum(self) -> float:
        """Largest possible value of T, N (k - 1)."""
        return float(self.n * (self.k - 1))

    @property
    def f_degrees_of_freedom(self) -> tuple[float, float]:
        """Degrees of freedom of the numerator and the denominator of F."""
        return float(self.k - 1), float((self.k - 1) * (self.n - 1))


def compute_row_statistic(scores: FloatArray) -> RowStatistic:
    """Return the statistic of (N, k) scores; sums of half-integers below 2^52 are exact."""
    n, k = scores.shape
    centred = scores - scores.mean(axis=1, keepdims=True)
    within = float(np.vdot(centred, centred))
    if within == 0:
        return RowStatistic(None, n, k, within, None)
    columns = centred.sum(axis=0)
    value = (k - 1) * float(columns @ columns) / within
    log_orders = None
    if (centred == centred[0]).all():
        ties = np.unique(centred[0], return_counts=True)[1]
        log_orders = float(special.gammaln(k + 1) - special.gammaln(ties + 1).sum())
    return RowStatistic(value, n, k, within, log_orders)


Ties = Literal["corrected", "none"]
TIES = ("corrected", "none")


class FriedmanRanks(NamedTuple):
    """Mean ranks of the models over the rows, and their statistic."""

    statistic: RowStatistic
    """Statistic with the correction for ties."""
    mean_ranks: FloatArray
    """(k,) mean ranks; 1 is best."""

    def chi_squared(self, ties: Ties) -> float | None:
        """Return the statistic; None if it is corrected for ties and there are only ties."""
        if ties == "corrected":
            return self.statistic.value
        n, k = self.statistic.n, self.statistic.k
        distances = self.mean_ranks - (k + 1) / 2
        return 12 * n / (k * (k + 1)) * float(distances @ distances)

    def build_post_hoc_scores(self, ties: Ties) -> PostHocScores:
        r"""Return the mean ranks and their error, :math:`\sqrt{k (k + 1) / (6 N)}` without ties."""
        n, k = self.statistic.n, self.statistic.k
        corrected = self.statistic.difference_standard_error / n
        error = math.sqrt(k * (k + 1) / (6 * n)) if ties == "none" else corrected
        return PostHocScores("mean_ranks", tuple(self.mean_ranks.tolist()), error)


def compute_friedman_ranks(losses: FloatArray) -> FriedmanRanks:
    """Rank the models in every row of (N, k) losses, the smallest loss first."""
    ranks = rank_in_rows(losses)
    return FriedmanRanks(compute_row_statistic(ranks), ranks.mean(axis=0))
