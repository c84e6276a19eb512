"""Whether the losses of neighbouring rows are alike, and how much too short intervals then are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from thetahat.cautions import FEWEST_NEIGHBOURS, NEIGHBOURS_ALIKE, Caution
from thetahat.numerics.long_run_variance import (
    choose_lags,
    compute_autocovariances,
    make_bartlett_weights,
)
from thetahat.special_functions import gammaincc
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.sorted_rows import is_monotone
from thetahat.values.types import BlockKind, FloatArray
from thetahat.values.words import Words

FALSE_ALARMS: Final = 0.01
"""Chance of the caution in a result whose rows are independent; all its tests share it."""
MOST_PAIRS: Final = 1000
"""Pairs of which the differences are tested, which takes 0.05 ms each with 1000 rows; of more, the
models alone are."""


class RowDependence(NamedTuple):
    """How alike the values of neighbouring rows are."""

    correlation: float
    """Correlation of the value of a row with that of the next row."""
    factor: float
    """Newey-West standard error of the mean over that of independent rows."""
    p_value: float
    """Chance of a factor as large or larger where the rows are independent."""

    def depend_on_each_other(self, n_tests: int) -> bool:
        """Return whether neighbours are alike, by one of ``n_tests`` tests."""
        threshold = NEIGHBOURS_ALIKE.threshold
        return self.factor >= threshold and self.p_value <= FALSE_ALARMS / n_tests


class NeighbourTests(NamedTuple):
    """The tests of one result for neighbours that are alike."""

    words: Words
    """What sentences call a value."""
    n_models: int
    n_pairs: int
    """Number of models and pairs that are tested, which share ``FALSE_ALARMS``."""
    are_possible: bool
    """Whether the order of the rows can say anything: they are the single rows of one test set,
    without clusters or times, and they are not sorted by the true values or by the losses of a
    model."""

    @classmethod
    def prepare(cls, table: LossTable, n_pairs: int) -> NeighbourTests:
        """Return the tests of a table of losses and of so many of its pairs, if not too many."""
        layout = table.layout
        possible = (
            layout.kind is BlockKind.HOLDOUT
            and layout.has_rows
            and layout.n_splits == 1
            and layout.cluster is None
            and layout.time is None
            and not table.is_sorted_by_truth
            and layout.n_rows >= FEWEST_NEIGHBOURS
            and not any(is_monotone(losses.rows) for losses in table.models.values())
        )
        tested = n_pairs if n_pairs <= MOST_PAIRS else 0
        return cls(layout.words, len(table.models), tested, possible)

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
        if not self.are_possible:
            return
        n_tests = self.n_models + self.n_pairs
        neighbours = measure_neighbours(losses.rows)
        if neighbours is not None and neighbours.depend_on_each_other(n_tests):
            yield NEIGHBOURS_ALIKE(
                self.words,
                subject=subject,
                correlation=f"{neighbours.correlation:.2f}",
                factor=f"{neighbours.factor:.1f}",
            )


def measure_neighbours(values: FloatArray) -> RowDependence | None:
    """Return how alike neighbours are; None where all values are equal.

    The statistic is the sum of the autocorrelations with Bartlett's weights, of which the factor is
    a function. For independent rows it has the mean and the variance of a sum over random orders
    of the same values, and a tail that is taken from the gamma distribution (Pearson's type III).
    Its skewness would contain the square of the skewness of the values; the square of their third
    absolute moment is used instead, so that differences of which few are not 0 raise no false alarm
    either.
    """
    if values.max() == values.min():
        return None
    n = len(values)
    lags = choose_lags(n)
    weights = make_bartlett_weights(lags)
    autocovariances = compute_autocovariances(values, lags)
    correlations = autocovariances[1:] / autocovariances[0]
    total = float(weights @ correlations)
    mean = compute_mean_over_orders(weights, n)
    variance = float((weights**2).sum()) / n
    deviations = np.abs(values - values.mean())
    deviations /= deviations.max()
    third = float((deviations**3).mean()) / float((deviations**2).mean()) ** 1.5
    skewness = _compute_third_moment(weights, third) / (n**2 * variance**1.5)
    z = (total - mean) / math.sqrt(variance)
    return RowDependence(
        correlation=float(correlations[0]),
        factor=math.sqrt(max(0.0, 1 + 2 * total)),
        p_value=_compute_upper_tail(z, skewness),
    )


def compute_mean_over_orders(weights: FloatArray, n: int) -> float:
    """Return the mean of the weighted autocorrelations over all orders of n values."""
    return -float(weights @ (n - np.arange(1, len(weights) + 1))) / (n * (n - 1))


def _compute_third_moment(weights: FloatArray, third: float) -> float:
    """Return the third moment of the sum of weighted products, divided by n."""
    lags = len(weights)
    triples = sum(
        weights[a - 1] * weights[b - 1] * weights[a + b - 1]
        for a in range(1, lags)
        for b in range(1, lags - a + 1)
    )
    return float((weights**3).sum()) * third**2 + 6 * float(triples)


def _compute_upper_tail(z: float, skewness: float) -> float:
    """Return the probability above z of the standardised gamma distribution of that skewness."""
    shape = 4 / skewness**2
    return float(gammaincc(shape, max(0.0, shape + z * math.sqrt(shape))))
