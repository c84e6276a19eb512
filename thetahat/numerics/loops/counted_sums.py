"""Compiled loop of the bootstrap of many units: sums of several columns per resample.

What a resample draws of a stratum is counted, from cells as in ``thetahat.numerics.loops.cells``,
and the
counts are at once multiplied with the columns: they never leave the fastest cache. The product of
a matrix of counts with few columns would read and write each count several times.

The function is plain Python over numpy arrays, whole in itself, as
``thetahat.numerics.loops.compiling``
takes it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.numerics.loops.bootstrap import (
    FIRST_FACTOR,
    HALF,
    S27,
    S30,
    S31,
    SECOND_FACTOR,
    STEP,
    UInt64Array,
)
from thetahat.numerics.loops.cells import (
    FIELD,
    FIELD_1,
    FIELD_2,
    FIELD_3,
    FIELD_4,
    PER_WORD,
    RESAMPLES_PER_BATCH,
)
from thetahat.numerics.loops.compiling import compiled_with_reordered_sums
from thetahat.values.types import FloatArray, IntArray

FEW_COLUMNS: Final = 14
"""Largest number of columns for which the loop is faster than counts and a matrix product."""
MAX_UNITS: Final = 8192
"""Columns of longer strata would not stay in the cache from one resample to the next."""
FIVE = 5  # columns that one pass over the counts sums


def sums_by_kernel(  # noqa: PLR0913 - the columns, the cells, and which draws they are
    columns: FloatArray,
    starts: IntArray,
    sizes: IntArray,
    held: IntArray,
    keys: UInt64Array,
    first: int,
) -> FloatArray:
    """Return the (b, q) sums of the rows of (n, q) columns that each resample draws from cells.

    ``starts`` and ``sizes`` (C,) are those of the cells, which are numbered from ``first`` on, and
    ``held`` (b, C) how many draws of each resample fall in each cell.
    """
    own, sums = np.ascontiguousarray(columns.T), np.empty((len(keys), columns.shape[1]))
    compiled_with_reordered_sums(sum_counted)(own, starts, sizes, held, keys, first, sums)
    return sums


def sum_counted(  # noqa: C901, PLR0913 - whole in itself, so that numba can keep it
    columns: FloatArray,
    starts: IntArray,
    sizes: IntArray,
    held: IntArray,
    keys: UInt64Array,
    first: int,
    out: FloatArray,
) -> None:
    """Write to ``out`` (b, q) the sums of the entries of ``columns`` (q, n) that are drawn."""
    n_columns, n = columns.shape
    hashes = np.empty(RESAMPLES_PER_BATCH, dtype=np.uint64)
    counts = np.empty(n, dtype=np.int32)
    for b in range(len(keys)):
        counts[:] = 0
        for c in range(len(starts)):
            cell = counts[starts[c] : starts[c] + sizes[c]]
            mask = np.uint64(sizes[c] - 1)
            offset = STEP * (np.uint64(first + c + 1) << HALF)
            n_words = held[b, c] // PER_WORD
            for done in range(0, n_words + 1, RESAMPLES_PER_BATCH):
                n_now = min(RESAMPLES_PER_BATCH, n_words + 1 - done)
                state = keys[b] + offset + STEP * np.uint64(done)
                for p in range(n_now):
                    x = state + STEP * np.uint64(p + 1)
                    x = (x ^ (x >> S30)) * FIRST_FACTOR
                    x = (x ^ (x >> S27)) * SECOND_FACTOR
                    hashes[p] = x ^ (x >> S31)
                for p in range(min(n_now, n_words - done)):
                    x = hashes[p]
                    cell[x & mask] += 1
                    cell[(x >> FIELD_1) & mask] += 1
                    cell[(x >> FIELD_2) & mask] += 1
                    cell[(x >> FIELD_3) & mask] += 1
                    cell[(x >> FIELD_4) & mask] += 1
            x = hashes[n_words % RESAMPLES_PER_BATCH]
            for _ in range(held[b, c] - n_words * PER_WORD):
                cell[x & mask] += 1
                x >>= FIELD
        whole = n_columns // FIVE * FIVE
        for j in range(0, whole, FIVE):
            c0, c1, c2 = columns[j], columns[j + 1], columns[j + 2]
            c3, c4 = columns[j + 3], columns[j + 4]
            s0 = s1 = s2 = s3 = s4 = 0.0
            for i in range(n):
                count = np.float64(counts[i])
                s0 += count * c0[i]
                s1 += count * c1[i]
                s2 += count * c2[i]
                s3 += count * c3[i]
                s4 += count * c4[i]
            out[b, j], out[b, j + 1], out[b, j + 2] = s0, s1, s2
            out[b, j + 3], out[b, j + 4] = s3, s4
        for j in range(whole, n_columns):
            c0, s0 = columns[j], 0.0
            for i in range(n):
                s0 += np.float64(counts[i]) * c0[i]
            out[b, j] = s0
