"""Compiled loops over the rows of a compressed matrix: sums by class, and scores from a table.

Plain functions over numpy arrays, as ``thetahat.kernels.compiling`` takes them. Indices are
unsigned: for signed ones numba looks at each whether it counts from the end, which takes as long
as the rest. Each cell is summed in the order of the rows, as ``scipy.sparse`` sums it, so that the
numbers are the same bit by bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thetahat.kernels.compiling import compiled
from thetahat.types import FloatArray, IntArray

if TYPE_CHECKING:
    from thetahat.sparse import CsrMatrix

Unsigned = np.ndarray[tuple[int, ...], np.dtype[np.unsignedinteger[Any]]]


def class_sums(  # noqa: PLR0913 - the parts of a compressed matrix, and of what is counted
    indptr: Unsigned,
    indices: Unsigned,
    data: FloatArray,
    rows: Unsigned,
    codes: Unsigned,
    weights: FloatArray,
    sums: FloatArray,
) -> None:
    """Add the weighted values of some rows to the (C, p) sums of their classes.

    ``codes`` and ``weights`` are (n,), of all rows.
    """
    for i in rows:
        code, weight = codes[i], weights[i]
        for k in range(indptr[i], indptr[i + 1]):
            sums[code, indices[k]] += weight * data[k]


def row_scores(  # noqa: PLR0913 - as class_sums
    indptr: Unsigned,
    indices: Unsigned,
    data: FloatArray,
    rows: Unsigned,
    table: FloatArray,
    out: FloatArray,
) -> None:
    """Add to (m, C) the products of some rows with a (p, C) table."""
    width = table.shape[1]
    for at in range(len(rows)):
        i = rows[at]
        for k in range(indptr[i], indptr[i + 1]):
            value, column = data[k], indices[k]
            for c in range(width):
                out[at, c] += value * table[column, c]


def sums_by_kernel(
    matrix: CsrMatrix, rows: IntArray, codes: IntArray, weights: FloatArray, n_codes: int
) -> FloatArray:
    """(n_codes, p) weighted sums of some rows by code; codes and weights are of all rows."""
    sums = np.zeros((n_codes, matrix.shape[1]))
    loop = compiled(class_sums)
    loop(*_parts(matrix), unsigned(rows), unsigned(codes), weights, sums)
    return sums


def scores_by_kernel(matrix: CsrMatrix, rows: IntArray, table: FloatArray) -> FloatArray:
    """(m, C) products of some rows with a (C, p) table."""
    out = np.zeros((len(rows), len(table)))
    compiled(row_scores)(*_parts(matrix), unsigned(rows), np.ascontiguousarray(table.T), out)
    return out


def _parts(matrix: CsrMatrix) -> tuple[Unsigned, Unsigned, FloatArray]:
    return unsigned(matrix.indptr), unsigned(matrix.indices), matrix.data


def unsigned(numbers: np.ndarray) -> Unsigned:
    """Return whole numbers that are not negative as an unsigned type of their size."""
    return numbers.view(np.dtype(f"u{numbers.dtype.itemsize}"))
