"""Whether the losses of neighbouring rows are alike, and how much too short intervals then are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from thetahat.cautions import FEWEST_NEIGHBOURS, NEIGHBOURS_ALIKE, NEIGHBOURS_ALIKE_WITHIN, Caution
from thetahat.numerics.long_run_variance import choose_lags, make_bartlett_weights
from thetahat.special_functions import gammaincc
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.sorted_rows import are_monotone
from thetahat.values.types import BlockKind, FloatArray, IntArray
from thetahat.values.words import Words

FALSE_ALARMS: Final = 0.01
"""Chance that each of two statistics raises the caution in a result whose rows are independent; all
tests of the result share it. Both together raise it in at most 0.02 (edges/neighbouring_rows)."""
MOST_PAIRS: Final = 1000
"""Pairs of which the differences are tested, which takes 0.07 ms each with 1000 rows; of more, the
models alone are."""
FEWEST_ROWS_OF_BLOCK: Final = 4
"""Rows of a block from which on the variance over the orders of its values is defined."""


class RowDependence(NamedTuple):
    """How alike the values of neighbouring rows are."""

    correlation: float
    """Correlation of the value of a row with that of the next row; in several blocks without what
    the means of the blocks take from it."""
    factor: float
    """Newey-West standard error of the mean over that of independent rows."""
    p_value: float
    """The smaller one of the p-values of two statistics, of independent rows."""

    def depend_on_each_other(self, n_tests: int) -> bool:
        """Return whether neighbours are alike, by one of ``n_tests`` tests."""
        threshold = NEIGHBOURS_ALIKE.threshold
        return self.factor >= threshold and self.p_value <= FALSE_ALARMS / n_tests


class LagSums(NamedTuple):
    r"""What the moments over random orders of :math:`\sum_j w_j \sum_i x_i x_{i+j}` consist of.

    Each is (B,), a sum over the pairs of rows of a block that are not more than L apart.
    """

    weights: FloatArray
    """(L,) weights by lag."""
    pairs: FloatArray
    """Sum of the weights."""
    squares: FloatArray
    """Sum of their squares."""
    rows: FloatArray
    """Sum over rows of the square of the sum of the weights of its pairs."""
    cubes: FloatArray
    """Sum of the third powers of the weights."""
    triples: FloatArray
    """Sum of the products of the three weights of three rows."""

    @classmethod
    def compute(cls, weights: FloatArray, sizes: IntArray) -> LagSums:
        """Return the sums for blocks of so many rows."""
        known, place = np.unique(sizes, return_inverse=True)
        return cls(weights, *(np.array([_sum_lags(weights, n) for n in known.tolist()])[place].T))


class RowsInOrder:
    """The rows whose neighbours are compared, block by block.

    Parameters
    ----------
    sizes : ndarray of int
        (B,) rows of each block, at least ``FEWEST_ROWS_OF_BLOCK``.
    """

    def __init__(self, sizes: IntArray) -> None:
        self.sizes = sizes
        self._starts = np.cumsum(sizes) - sizes
        self._block = np.repeat(np.arange(len(sizes)), sizes)
        self.n = len(self._block)

    @cached_property
    def _sums(self) -> tuple[LagSums, ...]:
        lags = max(1, choose_lags(self.n // len(self.sizes)))
        of_each = [make_bartlett_weights(lags)] + [np.ones(1)] * (lags > 1)
        return tuple(LagSums.compute(weights, self.sizes) for weights in of_each)

    def measure(self, values: FloatArray) -> RowDependence | None:
        """Return how alike neighbours are in the (n,) values; None where each block has one value.

        The statistics are the autocorrelation of lag 1, pooled over the blocks, and the sum of
        autocorrelations with Bartlett's weights, of which the factor is a function. The first one
        finds short series better, the second one large groups of which each has little in common.
        For independent rows a statistic has the mean and the variance over all orders of the
        values within their block, which are exact, and a tail that is taken from the gamma
        distribution (Pearson's type III). Its skewness would contain the square of the skewness of
        the values; the square of their third absolute moment is used instead, so that differences
        of which few are not 0 raise no false alarm either.
        """
        low, high = self._reduce(np.minimum, values), self._reduce(np.maximum, values)
        if (low == high).all():
            return None
        centred = values - (self._reduce(np.add, values) / self.sizes)[self._block]
        centred /= np.abs(centred).max()
        squares = centred**2
        moments = CentralMoments(
            self.sizes.astype(np.float64),
            self._reduce(np.add, squares) / self.sizes,
            self._reduce(np.add, np.abs(centred) * squares) / self.sizes,
            self._reduce(np.add, squares**2) / self.sizes,
        )
        bartlett = self._sums[0].weights
        products = np.array([self._multiply(centred, j) for j in range(1, len(bartlett) + 1)])
        p_values = [
            moments.test(float(sums.weights @ products[: len(sums.weights)]), sums)
            for sums in self._sums
        ]
        if len(self.sizes) > 1:  # values around the mean of a small block have opposite signs
            products += moments.expect_loss_of_means(len(bartlett))
        correlations = products / float(squares.sum())
        return RowDependence(
            correlation=float(correlations[0]),
            factor=math.sqrt(max(0.0, 1 + 2 * float(bartlett @ correlations))),
            p_value=min(p_values),
        )

    def _reduce(self, function: np.ufunc, values: FloatArray) -> FloatArray:
        """Return the (B,) sums, or least or largest ones, of the values of each block."""
        return np.asarray(function.reduceat(values, self._starts))

    def _multiply(self, centred: FloatArray, lag: int) -> float:
        """Return the sum of the products of rows of a block that are ``lag`` apart."""
        first, second = centred[:-lag], centred[lag:]
        if len(self.sizes) > 1:
            first = np.where(self._block[:-lag] == self._block[lag:], first, 0.0)
        return float(first @ second)


class CentralMoments(NamedTuple):
    """Sizes and central moments of the values of each block, each (B,)."""

    n: FloatArray
    second: FloatArray
    third: FloatArray
    """Of absolute values."""
    fourth: FloatArray

    def expect_loss_of_means(self, lags: int) -> FloatArray:
        """Return by how much the (L,) sums of products of independent values are below 0."""
        n_pairs = np.maximum(self.n - np.arange(1, lags + 1)[:, None], 0)
        return np.asarray(n_pairs @ (self.second / (self.n - 1)))

    def compute_moments(self, sums: LagSums) -> tuple[float, float]:
        """Return mean and variance of the sum of weighted products over all orders in blocks."""
        n, square = self.n, self.second**2
        # expected products of two squares, of a square and two values, and of four values
        two = (n * square - self.fourth) / (n - 1)
        three = (2 * self.fourth - n * square) / ((n - 1) * (n - 2))
        four = (3 * n * square - 6 * self.fourth) / ((n - 1) * (n - 2) * (n - 3))
        mean = -sums.pairs * self.second / (n - 1)
        of_squares = (
            sums.squares * two
            + (sums.rows - 2 * sums.squares) * three
            + (sums.pairs**2 - sums.rows + sums.squares) * four
        )
        return float(mean.sum()), float((of_squares - mean**2).sum())

    def test(self, total: float, sums: LagSums) -> float:
        """Return the chance of a sum of weighted products as large as this in random orders."""
        mean, variance = self.compute_moments(sums)
        if variance <= 0:
            return 1.0
        third = float((sums.cubes * self.third**2 + 6 * sums.triples * self.second**3).sum())
        return _compute_upper_tail((total - mean) / math.sqrt(variance), third / variance**1.5)


class NeighbourTests(NamedTuple):
    """The tests of one result for neighbours that are alike."""

    words: Words
    """What sentences call a value."""
    n_models: int
    """Number of models that are tested; the tests of models and pairs share ``FALSE_ALARMS``."""
    n_pairs: int
    """Number of pairs that are tested."""
    rows: RowsInOrder | None
    """The rows whose neighbours are compared; None where their order cannot say anything."""
    places: IntArray
    """(n,) where these rows are among the losses."""
    is_one_set: bool
    """Whether they are one test set."""

    @classmethod
    def prepare(cls, table: LossTable, n_pairs: int) -> NeighbourTests:
        """Return the tests of a table of losses and of so many of its pairs, if not too many.

        Compared are single rows of the first repeat, without clusters or times, in their order in
        each block that is not sorted by the true values or by the losses of a model.
        """
        layout = table.layout
        rows, places = None, np.arange(0)
        is_possible = layout.kind is not BlockKind.SUBSAMPLES and layout.has_rows
        if is_possible and layout.cluster is None and layout.time is None:
            rows, places = _choose_rows(table)
        return cls(
            layout.words,
            len(table.models),
            n_pairs if n_pairs <= MOST_PAIRS else 0,
            rows,
            places,
            layout.kind is BlockKind.HOLDOUT,
        )

    def judge_models(self, table: LossTable) -> Iterator[Caution]:
        """Yield a caution about each model whose neighbouring losses are alike."""
        for name, losses in table.models.items():
            yield from self._judge(losses, f"the {self.words.value} of {name!r}")

    def judge_difference(self, difference: BlockLosses, a: str, b: str) -> tuple[Caution, ...]:
        """Return a caution if neighbouring differences of a pair are alike."""
        if self.n_pairs == 0:
            return ()
        return tuple(self._judge(difference, f"the difference {a!r} - {b!r}"))

    def _judge(self, losses: BlockLosses, subject: str) -> Iterator[Caution]:
        if self.rows is None:
            return
        neighbours = self.rows.measure(losses.rows[self.places])
        if neighbours is not None and neighbours.depend_on_each_other(self.n_models + self.n_pairs):
            kind = NEIGHBOURS_ALIKE if self.is_one_set else NEIGHBOURS_ALIKE_WITHIN
            yield kind(
                self.words,
                subject=subject,
                correlation=f"{neighbours.correlation:.2f}",
                factor=f"{neighbours.factor:.1f}",
            )


def _choose_rows(table: LossTable) -> tuple[RowsInOrder | None, IntArray]:
    rows, starts = table.layout.get_first_repeat()
    sizes = np.diff(starts)
    are_usable = sizes >= FEWEST_ROWS_OF_BLOCK
    if table.layout.are_sorted_by_truth is not None:
        are_usable &= ~table.layout.are_sorted_by_truth
    if int(sizes[are_usable].sum()) >= FEWEST_NEIGHBOURS:
        for losses in table.models.values():
            are_usable &= ~are_monotone(losses.rows[rows], starts)
    sizes, places = sizes[are_usable], rows[np.repeat(are_usable, sizes)]
    return (RowsInOrder(sizes) if len(places) >= FEWEST_NEIGHBOURS else None), places


def _sum_lags(weights: FloatArray, n: int) -> tuple[float, ...]:
    """Return the sums of ``LagSums`` for one block of n rows."""
    lags = len(weights)
    n_pairs = np.maximum(n - np.arange(1, lags + 1), 0)
    ends = np.concatenate([[0.0], np.cumsum(weights)])
    at = np.minimum(np.arange(n), lags)
    of_rows = ends[at] + ends[at[::-1]]
    triples = sum(
        weights[a - 1] * weights[b - 1] * weights[a + b - 1] * max(n - a - b, 0)
        for a in range(1, lags)
        for b in range(1, lags - a + 1)
    )
    return (
        float(weights @ n_pairs),
        float(weights**2 @ n_pairs),
        float((of_rows**2).sum()),
        float(weights**3 @ n_pairs),
        float(triples),
    )


def _compute_upper_tail(z: float, skewness: float) -> float:
    """Return the probability above z of the standardised gamma distribution of that skewness."""
    shape = 4 / skewness**2
    return float(gammaincc(shape, max(0.0, shape + z * math.sqrt(shape))))
