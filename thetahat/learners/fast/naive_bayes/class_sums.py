"""Sums by class and products with tables, for the naive Bayes learners of counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

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
    from scipy.sparse import csr_array  # noqa: PLC0415 - few features are sparse

    shape = (n_classes, matrix.shape[0])
    member = csr_array((weights[rows], (y[rows], rows)), shape=shape)
    return np.asarray((member @ matrix).toarray())


def scores(matrix: FloatArray | CsrMatrix, rows: IntArray | None, table: FloatArray) -> FloatArray:
    """Return the (m, W) products of some or all rows with a (W, p) table."""
    some_rows = matrix if rows is None else matrix[rows]
    return np.asarray(some_rows @ table.T)


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
