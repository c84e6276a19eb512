"""All rows of a table of counts, and the counts of each class in any training part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from thetahat.learners._training_parts import class_weights
from thetahat.learners.base import Part
from thetahat.learners.fast.naive_bayes import class_sums as _class_sums
from thetahat.numerics.loops import sparse_counts
from thetahat.values.types import FloatArray, IntArray

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix

MAX_CELLS: Final = 8_000_000
"""Largest number of entries of the tables for the splits of one pass."""
_MAX_COUNTED: Final = 2.0**31


@dataclass(frozen=True, eq=False)
class CountRows:
    """All rows, their counts by class, and those of the training part of a split.

    A split's counts are those of all rows minus those of the left-out rows if every count is a
    whole number, so that nothing is lost; otherwise they are summed over the training part. Either
    way they equal the counts of ``fit``, without a copy of the rows.

    Parameters
    ----------
    matrix : ndarray or csr_array
        (n, p) counts, or ones and zeros.
    y : ndarray of int
        (n,) codes.
    weights : ndarray of float
        (n,).
    n_classes : int
        C.
    """

    matrix: FloatArray | CsrMatrix
    y: np.ndarray
    weights: FloatArray
    n_classes: int

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

    @cached_property
    def counts_many(self) -> bool:
        """Whether the counts of many blocks can be summed in one pass with four-byte integers."""
        if isinstance(self.matrix, np.ndarray):
            return False
        return _class_sums.is_for_loops(self.matrix) and self.largest_sum < _MAX_COUNTED

    @cached_property
    def whole_sums(self) -> IntArray:
        """(C, p) counts of each class over all rows, if ``counts_many``."""
        return self.sums.astype(np.intp)

    @cached_property
    def largest_count(self) -> int | None:
        """Largest count of a class; None unless all are whole numbers."""
        if not self.counts_many:
            return None
        return int(max(self.sums.max(initial=0.0), self.totals.max()))

    def disjoint_groups(self, parts: Sequence[Part]) -> Iterator[list[Part]]:
        """Yield groups of parts in which no row is left out twice.

        The size of a group is limited by memory, and the left-out rows of its parts are their test
        rows, two or more.
        """
        if not self.counts_many:
            yield from ([part] for part in parts)
            return
        most = max(1, MAX_CELLS // (self.matrix.shape[1] * max(2, self.n_classes)))
        run, taken = list[Part](), np.zeros(len(self.y), dtype=np.bool_)
        for part in parts:
            joins = part.is_complement and not part.is_leave_one_out
            if run and (len(run) == most or not joins or taken[part.test].any()):
                yield run
                run, taken = [], np.zeros(len(self.y), dtype=np.bool_)
            run.append(part)
            taken[part.test if joins else slice(None)] = True
        if run:
            yield run

    def cells(self, block: IntArray, n_blocks: int) -> IntArray:
        """Return the (n,) index of block and class of each row.

        The last index for rows of no block.
        """
        none = n_blocks * self.n_classes
        return np.where(block < n_blocks, block * self.n_classes + self.y, none)

    def totals_of_blocks(self, cells: IntArray, n_blocks: int) -> FloatArray:
        """Return the (n_blocks, C) class weights of disjoint blocks."""
        n_cells = n_blocks * self.n_classes
        return class_weights(cells, self.weights, n_cells + 1)[:n_cells].reshape(n_blocks, -1)

    def sums_of_blocks(self, cells: IntArray, n_blocks: int) -> np.ndarray:
        """Return the (n_blocks, C, p) class counts of disjoint blocks."""
        assert not isinstance(self.matrix, np.ndarray)  # noqa: S101 - asked for by counts_many
        n_cells = n_blocks * self.n_classes
        flat_sums = sparse_counts.whole_sums_by_kernel(self.matrix, cells, self.weights, n_cells)
        sums = flat_sums.reshape(n_blocks, self.n_classes, -1)
        if "sums" not in self.__dict__ and (cells < n_cells).all():
            # Added up in four bytes, for which there is room, because that is faster.
            self.__dict__["sums"] = sums.sum(axis=0, dtype=np.int32).astype(np.float64)
        return sums
