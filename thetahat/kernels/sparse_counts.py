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
        if width == 2:
            first, second = 0.0, 0.0
            for k in range(indptr[i], indptr[i + 1]):
                value, column = data[k], indices[k]
                first += value * table[column, 0]
                second += value * table[column, 1]
            out[at, 0] += first
            out[at, 1] += second
        else:
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
    loop(*_parts(matrix), unsigned(rows), unsigned(codes), _fixed(weights), sums)
    return sums


def scores_by_kernel(matrix: CsrMatrix, rows: IntArray, table: FloatArray) -> FloatArray:
    """(m, C) products of some rows with a (C, p) table."""
    out = np.zeros((len(rows), len(table)))
    columns = _fixed(np.ascontiguousarray(table.T))
    compiled(row_scores)(*_parts(matrix), unsigned(rows), columns, out)
    return out


def _parts(matrix: CsrMatrix) -> tuple[Unsigned, Unsigned, FloatArray]:
    return unsigned(matrix.indptr), unsigned(matrix.indices), _fixed(matrix.data)


def unsigned(numbers: np.ndarray) -> Unsigned:
    """Return whole numbers that are not negative as an unsigned type of their size."""
    return _fixed(numbers.view(np.dtype(f"u{numbers.dtype.itemsize}")))


def _fixed(values: np.ndarray) -> np.ndarray:
    """Return a view that cannot be written to.

    A matrix may be a map of a file, and to numba that is another type, compiled for once more.
    """
    view = values.view()
    view.flags.writeable = False
    return view
