"""Compiled loops over compressed sparse rows: sums by class, and products with a table.

Plain functions over numpy arrays, as ``thetahat.numerics.loops.compiling`` takes them. Stored
values are of eight bytes, or of two where they are ones and zeros. Indices are unsigned: for signed
ones numba looks at each whether it counts from the end, which takes as long as the rest. Each cell
is summed in the order of the rows, as ``scipy.sparse`` sums it, so that the numbers are the same
bit by bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thetahat.numerics.loops.compiling import as_read_only, compiled
from thetahat.values.types import FloatArray, IntArray

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix

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
    """Add the weighted values of the listed rows to the (C, p) sums of their classes.

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
    which: Unsigned,
    tables: FloatArray,
    out: FloatArray,
) -> None:
    """Add to (m, W) the products of the listed rows with the (K, p, W) table of their block.

    ``which`` is (m,); rows of table K are left out.
    """
    width = tables.shape[2]
    for at in range(len(rows)):
        i = rows[at]
        if which[at] >= len(tables):
            continue
        table = tables[which[at]]
        if width == 1:
            of_column, only = table[:, 0], 0.0
            for k in range(indptr[i], indptr[i + 1]):
                only += np.float64(data[k]) * of_column[indices[k]]
            out[at, 0] += only
        elif width == 2:
            first, second = 0.0, 0.0
            for k in range(indptr[i], indptr[i + 1]):
                value, column = np.float64(data[k]), indices[k]
                first += value * table[column, 0]
                second += value * table[column, 1]
            out[at, 0] += first
            out[at, 1] += second
        else:
            for k in range(indptr[i], indptr[i + 1]):
                value, column = np.float64(data[k]), indices[k]
                for c in range(width):
                    out[at, c] += value * table[column, c]


def left_out(  # noqa: PLR0913 - as class_sums
    indptr: Unsigned,
    indices: Unsigned,
    data: FloatArray,
    codes: Unsigned,
    weights: FloatArray,
    sums: Unsigned,
    logs: FloatArray,
    out: FloatArray,
    lengths: FloatArray,
) -> None:
    """Write the products of all rows with the log sums of their class without the row.

    ``logs`` are those of 0, 1, 2, ...; (n,) ``lengths`` are the sums of the rows' values.
    """
    for i in range(len(codes)):
        of_class, weight = sums[codes[i]], np.uint64(weights[i])
        score, length = 0.0, 0.0
        for k in range(indptr[i], indptr[i + 1]):
            value = np.float64(data[k])
            score += value * logs[of_class[indices[k]] - weight * np.uint64(data[k])]
            length += value
        out[i], lengths[i] = score, length


def sums_by_kernel(
    matrix: CsrMatrix, rows: IntArray, codes: IntArray, weights: FloatArray, n_codes: int
) -> FloatArray:
    """Return (n_codes, p) weighted sums of the listed rows by code."""
    sums = np.zeros((n_codes, matrix.shape[1]))
    loop = compiled(class_sums)
    loop(*_list_parts(matrix), unsigned(rows), unsigned(codes), as_read_only(weights), sums)
    return sums


def left_out_by_kernel(
    matrix: CsrMatrix, codes: IntArray, weights: FloatArray, sums: IntArray, logs: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return (n,) products of each row with the log sums of its class without it, and (n,) lengths.

    All values are whole; ``sums`` is (C, p), of all rows by class, and ``logs`` those of each
    whole number up to the largest of the sums.
    """
    scores, lengths = np.empty((2, len(codes)))
    compiled(left_out)(
        *_list_parts(matrix),
        unsigned(codes),
        as_read_only(weights),
        unsigned(sums),
        as_read_only(logs),
        scores,
        lengths,
    )
    return scores, lengths


def scores_by_kernel(matrix: CsrMatrix, rows: IntArray, table: FloatArray) -> FloatArray:
    """Return the (m, W) products of the listed rows with a (W, p) table."""
    which = np.zeros(len(rows), dtype=np.intp)
    return scores_of_blocks_by_kernel(matrix, rows, which, np.ascontiguousarray(table.T)[None])


def scores_of_blocks_by_kernel(
    matrix: CsrMatrix, rows: IntArray, which: IntArray, tables: FloatArray
) -> FloatArray:
    """Return (m, W) products of rows with the table of their block; 0 for rows of no block."""
    out = np.zeros((len(rows), tables.shape[2]))
    listed = unsigned(rows), unsigned(which)
    compiled(row_scores)(*_list_parts(matrix), *listed, as_read_only(tables), out)
    return out


def _list_parts(matrix: CsrMatrix) -> tuple[Unsigned, Unsigned, FloatArray]:
    return unsigned(matrix.indptr), unsigned(matrix.indices), as_read_only(matrix.data)


def unsigned(numbers: np.ndarray) -> Unsigned:
    """Return non-negative integers as an unsigned type of the same size."""
    return as_read_only(numbers.view(np.dtype(f"u{numbers.dtype.itemsize}")))
