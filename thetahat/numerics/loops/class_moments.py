"""Compiled loops over the rows of a matrix: sums by class, and distances to the classes.

Plain functions over numpy arrays, as ``thetahat.numerics.loops.compiling`` takes them. Rows are
read where
they stand; nothing of the size of the matrix is written.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.numerics.loops.compiling import as_read_only, compiled
from thetahat.numerics.loops.sparse_counts import Unsigned, unsigned
from thetahat.values.types import FloatArray, IntArray

_ROWS: Final = 64
"""Number of rows whose distances are summed side by side."""


def add_moments(  # noqa: PLR0913 - the rows, what they count, and where to
    X: FloatArray,
    rows: Unsigned,
    codes: Unsigned,
    weights: FloatArray,
    sums: FloatArray,
    squares: FloatArray,
) -> None:
    """Add the rows with these numbers, and their squares, to the (C, p) sums of their classes.

    ``codes`` and ``weights`` are (n,), of all rows.
    """
    for i in rows:
        row, weight = X[i], weights[i]
        of_class, squares_of_class = sums[codes[i]], squares[codes[i]]
        for j in range(X.shape[1]):
            of_class[j] += weight * row[j]
            squares_of_class[j] += weight * (row[j] * row[j])


def write_distances(
    X: FloatArray, rows: Unsigned, means: FloatArray, precise: FloatArray, out: FloatArray
) -> None:
    """Write the (C, m) scaled squared distances of rows to (C, p) means.

    ``precise`` is (C, p), one by the variances. A distance is summed column by column, and those
    of many rows side by side, which the processor does four at a time.
    """
    p, m = X.shape[1], len(rows)
    columns, apart = np.zeros((p, _ROWS)), np.zeros(_ROWS)
    for start in range(0, m, _ROWS):
        stop = min(_ROWS, m - start)
        for at in range(stop):
            row = X[rows[start + at]]
            for j in range(p):
                columns[j, at] = row[j]
        for c in range(len(means)):
            apart[:] = 0.0
            for j in range(p):
                column, mean, scale = columns[j], means[c, j], precise[c, j]
                for at in range(_ROWS):
                    gap = column[at] - mean
                    apart[at] += gap * gap * scale
            for at in range(stop):
                out[c, start + at] = apart[at]


def moments_by_kernel(
    X: FloatArray, rows: IntArray, codes: IntArray, weights: FloatArray, n_codes: int
) -> tuple[FloatArray, FloatArray]:
    """Return (n_codes, p) weighted sums of the listed rows by code, and of their squares."""
    sums, squares = np.zeros((2, n_codes, X.shape[1]))
    compiled(add_moments)(X, unsigned(rows), unsigned(codes), as_read_only(weights), sums, squares)
    return sums, squares


def distances_by_kernel(
    X: FloatArray, rows: IntArray, means: FloatArray, variances: FloatArray
) -> FloatArray:
    """Return the (C, m) scaled squared distances of the listed rows to (C, p) means."""
    apart = np.empty((len(means), len(rows)))
    compiled(write_distances)(X, unsigned(rows), means, 1 / variances, apart)
    return apart
