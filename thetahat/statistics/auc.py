"""Area under the ROC curve of scores and labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.metrics._ranking import Ranking, compute_roc_areas
from thetahat.numerics.loops.ranked_areas import roc_areas
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.statistics._columns import require_two_columns
from thetahat.statistics.base import AcceptedSamples, Sample, Statistic
from thetahat.values.types import FloatArray, IntArray


class _AucFunctional:
    """The area on (n,) scores and labels."""

    shift = 0.0
    divisor = 1.0

    def __init__(self, scores: FloatArray, positive: np.ndarray, *, fast: bool) -> None:
        self._ranking = Ranking(scores, positive)
        self._positive = positive
        self._fast = fast

    def evaluate_counts(self, counts: FloatArray) -> FloatArray:
        """Return the (b,) areas from (b, n) counts; NaN if a class is missing."""
        if self._fast:
            return self._ranking.compute_by_kernel(roc_areas, counts)
        return compute_roc_areas(*self._ranking.sum_by_class(counts))

    def kinds(self) -> tuple[IntArray, int]:
        """Return each row's group of equal scores and class."""
        return self._ranking.kinds()

    def evaluate_kinds(self, counts: FloatArray) -> FloatArray:
        """Return the (b,) areas from (b, 2 G) counts of negatives and positives in each group."""
        return compute_roc_areas(counts[:, 1::2], counts[:, ::2])

    def jackknife(self) -> FloatArray:
        """Return the (n,) areas without each row; NaN if a class is then missing."""
        positives, negatives = self._ranking.compute_unit_weights()
        of_positive, of_negative = _compute_areas_without_one(positives[None], negatives[None])
        group = self._ranking.group
        by_order = np.where(
            self._ranking.positive > 0, of_positive[0, group], of_negative[0, group]
        )
        return self._ranking.to_rows(by_order)

    def jackknife_variances(self, counts: FloatArray) -> FloatArray:
        """Return the (b,) jackknife variances from (b, n) counts; NaN if a class has one row."""
        positives, negatives = self._ranking.sum_by_class(counts)
        parts = tuple(
            zip(
                (positives, negatives),
                _compute_areas_without_one(positives, negatives),
                strict=True,
            )
        )
        n = positives.sum(axis=1) + negatives.sum(axis=1)
        mean = sum(_sum_areas(counts, value) for counts, value in parts) / n
        squares = sum(_sum_areas(counts, (value - mean[:, None]) ** 2) for counts, value in parts)
        return np.asarray((n - 1) / n * squares)


def _compute_areas_without_one(
    positives: FloatArray, negatives: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return (b, G) areas without one positive, and without one negative, of each score group."""
    below = np.cumsum(negatives, axis=1) - 0.5 * negatives
    n_positives = positives.sum(axis=1, keepdims=True)
    n_negatives = negatives.sum(axis=1, keepdims=True)
    above = n_positives - np.cumsum(positives, axis=1) + 0.5 * positives
    wins = np.einsum("bg,bg->b", positives, below)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        return (
            np.where(n_positives > 1, (wins - below) / ((n_positives - 1) * n_negatives), np.nan),
            np.where(n_negatives > 1, (wins - above) / (n_positives * (n_negatives - 1)), np.nan),
        )


def _sum_areas(counts: FloatArray, values: FloatArray) -> FloatArray:
    return np.asarray(np.where(counts > 0, counts * values, 0.0).sum(axis=1))


@dataclass(frozen=True, slots=True)
class Auc(Statistic):
    """Probability that a positive row scores above a negative one, with ties as one half.

    P rows have label y = 1 and Q rows have label 0; x are the scores. Rows are resampled, so that
    the numbers of the classes vary between resamples. Chapter 6 of efron1993.

    Degenerate cases: a resample that lacks a class has no area; it is drawn again, and the result
    says how many were. Where the classes are separated the area of every resample is 1, and no
    interval is built on it.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Area under the ROC curve of a sample",
        summary=(
            "The probability that a score x with label y = 1 is above one with label 0, with ties "
            "as one half. Rows are resampled."
        ),
        formula=(
            r"\frac{1}{P Q} \sum_{i=1}^P \sum_{j=1}^Q 1\{x_i > x_j\} + \tfrac12 1\{x_i = x_j\}"
            r" \text{ over rows } i \text{ with label 1 and } j \text{ with label 0}"
        ),
        references=("delong1988", "efron1993"),
        assumptions="Independent rows. The scores are those of one trained model.",
        errs=(
            "Intervals are too short with few rows of a class or an area near 1, and resamples "
            "that lack a class are drawn again."
        ),
        blocks=EVERY_BLOCK_KIND,
    )

    @property
    def takes(self) -> AcceptedSamples:
        """Rows of x and y."""
        return "pairs"

    def undefined(self) -> str:
        """Return when a resample has no value, as the end of a sentence."""
        return "a class is missing"

    def build_functional(self, sample: Sample, *, fast: bool) -> _AucFunctional:
        """Return the area on that sample as a function of row counts."""
        x, y = require_two_columns("auc", sample, 2)
        fit = (y == 0) | (y == 1)
        if not fit.all():
            row = int(np.argmin(fit))
            raise InvalidParameter(
                f"Label {row} is {y[row]:g}, and labels of an auc are 0 and 1.",
                loc=("y", row),
                value=float(y[row]),
            )
        positive = y == 1
        if positive.all() or not positive.any():
            raise InsufficientData(
                f"An auc needs both labels, and all are {int(y[0])}.", loc=("y",), value=float(y[0])
            )
        return _AucFunctional(x, positive, fast=fast)
