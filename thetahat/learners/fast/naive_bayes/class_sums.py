"""Sums by class and products with tables, for the naive Bayes learners of counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thetahat.learners.fast.thresholds import MIN_VALUES_FOR_LOOPS
from thetahat.numerics.loops import sparse_counts
from thetahat.numerics.loops.compiling import uses_loops
from thetahat.tables.features import Features
from thetahat.values.batch_sizes import NUMBERS_IN_32_MB, NUMBERS_IN_256_KB
from thetahat.values.types import FloatArray, IntArray

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix


MAX_EXACT_INTEGER: Final = 2.0**53
"""Whole numbers below this are exact in double precision."""


def read_matrix(features: Features) -> FloatArray | CsrMatrix:
    """Return the (n, p) matrix without missing values, sparse if some columns are."""
    return features.sparse_matrix() if features.wide else features.complete_matrix()


def is_for_loops(matrix: CsrMatrix) -> bool:
    """Return whether the matrix has so many values that compiled loops are used."""
    return uses_loops(int(matrix.nnz), MIN_VALUES_FOR_LOOPS)


def sums_by_class(
    matrix: FloatArray | CsrMatrix,
    rows: IntArray,
    y: np.ndarray,
    weights: FloatArray,
    n_classes: int,
) -> FloatArray:
    """Return (C, p) weighted column sums of some rows by class."""
    if isinstance(matrix, np.ndarray):
        sums = np.zeros((n_classes, matrix.shape[1]))
        for code in np.unique(y[rows]):
            of_class = rows[y[rows] == code]
            sums[code] = weights[of_class] @ matrix[of_class]
        return sums
    if is_for_loops(matrix):
        return sparse_counts.sums_by_kernel(matrix, rows, y, weights, n_classes)
    from scipy.sparse import csr_array  # noqa: PLC0415 - few features are sparse

    shape = (n_classes, matrix.shape[0])
    member = csr_array((weights[rows], (y[rows], rows)), shape=shape)
    return np.asarray((member @ matrix).toarray())


def scores(matrix: FloatArray | CsrMatrix, rows: IntArray | None, table: FloatArray) -> FloatArray:
    """Return the (m, W) products of some or all rows with a (W, p) table."""
    if not isinstance(matrix, np.ndarray) and is_for_loops(matrix):
        some = np.arange(matrix.shape[0]) if rows is None else rows
        return sparse_counts.scores_by_kernel(matrix, some, table)
    some_rows = matrix if rows is None else matrix[rows]
    return np.asarray(some_rows @ table.T)


def score_blocks(matrix: FloatArray | CsrMatrix, block: IntArray, tables: FloatArray) -> FloatArray:
    """Return (n, W) products of each row with the table of its block; 0 for rows of no block."""
    assert not isinstance(matrix, np.ndarray)  # noqa: S101 - for what is large and sparse
    every = np.arange(len(block))
    return sparse_counts.scores_of_blocks_by_kernel(matrix, every, block, tables)


def entries(
    matrix: FloatArray | CsrMatrix,
) -> Iterator[tuple[slice, IntArray, IntArray, FloatArray]]:
    """Yield the nonzero values, in batches of rows.

    Yields
    ------
    rows : slice
        Which rows.
    row, column : ndarray of int
        (m,) position of each value; rows count from the first one of the batch.
    value : ndarray of float
        (m,).
    """
    n, p = matrix.shape
    stored = n * p if isinstance(matrix, np.ndarray) else int(matrix.nnz)
    step = max(1, NUMBERS_IN_32_MB * n // max(1, stored))
    for start in range(0, n, step):
        some = matrix[start : start + step]
        if isinstance(some, np.ndarray):
            row, column = np.nonzero(some)
            value = some[row, column]
        else:
            row = np.repeat(np.arange(some.shape[0]), np.diff(some.indptr))
            column, value = some.indices.astype(np.intp), some.data
        yield slice(start, start + some.shape[0]), row, column, value


def with_values(matrix: CsrMatrix, values: np.ndarray) -> CsrMatrix:
    """Return a matrix with other values at the same positions."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - few features are sparse

    parts: Any = (values, matrix.indices, matrix.indptr)
    return csr_array(parts, shape=matrix.shape)


def largest_sum(matrix: FloatArray | CsrMatrix, weights: FloatArray) -> float:
    """Return a bound on every weighted sum; infinite unless all values are whole numbers."""
    if not np.isfinite(_find_largest_whole_number(weights)):
        return np.inf
    values = matrix if isinstance(matrix, np.ndarray) else matrix.data
    return max(1.0, _find_largest_whole_number(values)) * float(weights.sum())


def _find_largest_whole_number(values: np.ndarray) -> float:
    """Return the largest absolute value; infinite unless all values are whole numbers."""
    flat, largest = values.reshape(-1), 0.0
    if flat.dtype.kind == "u":
        return float(flat.max(initial=0))
    for at in range(0, len(flat), NUMBERS_IN_256_KB):
        piece = flat[at : at + NUMBERS_IN_256_KB]
        if not np.array_equal(piece, np.rint(piece)):
            return np.inf
        largest = max(largest, float(np.abs(piece).max()))
    return largest
