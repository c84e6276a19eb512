"""All rows of a table of counts, and the counts of each class in any training part."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from thetahat.learners._training_parts import class_weights
from thetahat.learners.base import Part
from thetahat.learners.fast.naive_bayes import class_sums as _class_sums
from thetahat.values.types import FloatArray, IntArray

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix


@dataclass(frozen=True, eq=False)
class CountRows:
    """All rows, their counts by class, and those of the training part of a split.

    A split's counts are those of all rows minus those of the left-out rows if every count is a
    whole number, so that nothing is lost; otherwise they are summed over the training part. Either
    way they equal the counts of ``fit``, without a copy of the rows.
    """

    matrix: FloatArray | CsrMatrix
    """(n, p) counts, or ones and zeros."""
    y: np.ndarray
    """(n,) codes."""
    weights: FloatArray
    """(n,)."""
    n_classes: int
    """C."""

    @cached_property
    def largest_sum(self) -> float:
        """Bound on every weighted sum of counts; infinite unless all are whole numbers."""
        return _class_sums.largest_sum(self.matrix, self.weights)

    @property
    def is_exact(self) -> bool:
        """Whether counts can be subtracted without loss."""
        return self.largest_sum < _class_sums.MAX_EXACT_INTEGER

    @cached_property
    def totals(self) -> FloatArray:
        """(C,) weight of each class over all rows."""
        return class_weights(self.y, self.weights, self.n_classes)

    @cached_property
    def present(self) -> IntArray:
        """(C',) classes that have weight."""
        return np.flatnonzero(self.totals)

    @cached_property
    def sums(self) -> FloatArray:
        """(C, p) counts of each class over all rows."""
        return self.sum_class_counts(np.arange(len(self.y)), self.weights)

    def sum_class_counts(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """Return the (C, p) weighted counts of each class over some rows."""
        return _class_sums.sums_by_class(self.matrix, rows, self.y, weights, self.n_classes)

    def sum_training_weights(self, part: Part) -> FloatArray:
        """Return the (C,) weight of each class in the training part."""
        if part.left_out is None or not self.is_exact:
            return class_weights(self.y[part.train], self.weights[part.train], self.n_classes)
        left_out = part.left_out
        return self.totals - class_weights(self.y[left_out], self.weights[left_out], self.n_classes)

    def sum_training_counts(self, part: Part) -> FloatArray:
        """Return the (C, p) weighted counts of each class in the training part."""
        n = len(self.y)
        if part.left_out is None:
            times = np.bincount(part.train, minlength=n)
            return self.sum_class_counts(np.flatnonzero(times), self.weights * times)
        if self.is_exact and 2 * len(part.left_out) < n:
            return self.sums - self.sum_class_counts(part.left_out, self.weights)
        return self.sum_class_counts(part.train, self.weights)
