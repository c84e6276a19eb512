"""Compiled loops of the bootstrap of many units, drawn from cells of 2^k units.

How many draws fall in a cell is known beforehand; where they fall in it are some bits of a hash
each, five draws of 12 bits to a hash: nothing is multiplied, and no unit is more likely than
another. A cell stays in the fastest cache while all resamples draw from it. The hash is
splitmix64, as in ``thetahat.numerics.loops.bootstrap``; word w of cell c has the counter
2^32 (c + 1) + w + 1.

The functions are plain Python over numpy arrays, each whole in itself, as
``thetahat.numerics.loops.compiling`` takes them.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.numerics.loops.compiling import inlined
from thetahat.numerics.loops.hashes import HALF, HASHES_PER_BATCH, STEP, UInt64Array, fill_hashes
from thetahat.values.types import FloatArray, IntArray

UInt16Array = np.ndarray[tuple[int, ...], np.dtype[np.uint16]]

CELL_BITS: Final = 12
"""A cell has at most 2^12 units: 32 KB of losses."""
DRAWS_OF_A_WORD: Final = 5

PER_WORD = DRAWS_OF_A_WORD
FIELD_1, FIELD_2, FIELD_3, FIELD_4 = (np.uint64(CELL_BITS * i) for i in range(1, 5))
FIELD = FIELD_1


def add_cell_sums(  # noqa: PLR0913 - a column, the cells, and what is drawn from each
    column: FloatArray,
    starts: IntArray,
    sizes: IntArray,
    held: IntArray,
    keys: UInt64Array,
    out: FloatArray,
) -> None:
    """Add the sums of the drawn entries of ``column`` to ``out`` (b,), cell by cell.

    ``starts`` and ``sizes`` (C,) are those of the cells, and ``held`` (b, C) how many draws of
    each resample fall in each cell.
    """
    hashes = np.empty(HASHES_PER_BATCH, dtype=np.uint64)
    for c in range(len(starts)):
        cell = column[starts[c] : starts[c] + sizes[c]]
        mask = np.uint64(sizes[c] - 1)
        offset = STEP * (np.uint64(c + 1) << HALF)
        for b in range(len(keys)):
            n_words = held[b, c] // PER_WORD
            s0 = s1 = s2 = s3 = s4 = 0.0
            for done in range(0, n_words + 1, HASHES_PER_BATCH):
                n_now = min(HASHES_PER_BATCH, n_words + 1 - done)
                fill_hashes(keys[b] + offset, done, hashes, n_now)
                for p in range(min(n_now, n_words - done)):
                    x = hashes[p]
                    s0 += cell[x & mask]
                    s1 += cell[(x >> FIELD_1) & mask]
                    s2 += cell[(x >> FIELD_2) & mask]
                    s3 += cell[(x >> FIELD_3) & mask]
                    s4 += cell[(x >> FIELD_4) & mask]
            x = hashes[n_words % HASHES_PER_BATCH]  # the last word, of which some fields are drawn
            for _ in range(held[b, c] - n_words * PER_WORD):
                s0 += cell[x & mask]
                x >>= FIELD
            out[b] += ((s0 + s1) + (s2 + s3)) + s4


@inlined
def count_draws_of_cell(
    counts: np.ndarray,
    n_draws: int,
    state: np.uint64,
    mask: np.uint64,
    hashes: UInt64Array,
) -> None:
    """Add to ``counts`` of a cell's units the number of times that each is drawn."""
    n_words = n_draws // PER_WORD
    for done in range(0, n_words + 1, HASHES_PER_BATCH):
        n_now = min(HASHES_PER_BATCH, n_words + 1 - done)
        fill_hashes(state, done, hashes, n_now)
        for p in range(min(n_now, n_words - done)):
            x = hashes[p]
            counts[x & mask] += 1
            counts[(x >> FIELD_1) & mask] += 1
            counts[(x >> FIELD_2) & mask] += 1
            counts[(x >> FIELD_3) & mask] += 1
            counts[(x >> FIELD_4) & mask] += 1
    x = hashes[n_words % HASHES_PER_BATCH]  # the last word, of which some fields are drawn
    for _ in range(n_draws - n_words * PER_WORD):
        counts[x & mask] += 1
        x >>= FIELD


def fill_cell_counts(  # noqa: PLR0913 - the cells, what is drawn from each, and which they are
    starts: IntArray,
    sizes: IntArray,
    held: IntArray,
    keys: UInt64Array,
    first: int,
    out: FloatArray,
) -> None:
    """Write to ``out`` (b, n) the number of times each resample draws each unit of the cells.

    The cells are those from number ``first`` on.
    """
    hashes = np.empty(HASHES_PER_BATCH, dtype=np.uint64)
    for c in range(len(starts)):
        mask = np.uint64(sizes[c] - 1)
        offset = STEP * (np.uint64(first + c + 1) << HALF)
        for b in range(len(keys)):
            cell = out[b, starts[c] : starts[c] + sizes[c]]
            cell[:] = 0.0
            count_draws_of_cell(cell, held[b, c], keys[b] + offset, mask, hashes)


def count_kinds(  # noqa: PLR0913 - the kinds, the cells, and what is drawn from each
    kinds: UInt16Array,
    starts: IntArray,
    sizes: IntArray,
    held: IntArray,
    keys: UInt64Array,
    out: FloatArray,
) -> None:
    """Add to ``out`` (b, K) the number of units of each kind that resamples draw from the cells.

    ``kinds`` (n,) are below K. Five counters of each: an addition seldom waits for another.
    """
    hashes = np.empty(HASHES_PER_BATCH, dtype=np.uint64)
    counters = np.empty((PER_WORD, out.shape[1]), dtype=np.int32)
    n0, n1, n2, n3, n4 = counters[0], counters[1], counters[2], counters[3], counters[4]
    for b in range(len(keys)):
        counters[:] = 0
        for c in range(len(starts)):
            cell = kinds[starts[c] : starts[c] + sizes[c]]
            mask = np.uint64(sizes[c] - 1)
            offset = STEP * (np.uint64(c + 1) << HALF)
            n_words = held[b, c] // PER_WORD
            for done in range(0, n_words + 1, HASHES_PER_BATCH):
                n_now = min(HASHES_PER_BATCH, n_words + 1 - done)
                fill_hashes(keys[b] + offset, done, hashes, n_now)
                for p in range(min(n_now, n_words - done)):
                    x = hashes[p]
                    n0[cell[x & mask]] += 1
                    n1[cell[(x >> FIELD_1) & mask]] += 1
                    n2[cell[(x >> FIELD_2) & mask]] += 1
                    n3[cell[(x >> FIELD_3) & mask]] += 1
                    n4[cell[(x >> FIELD_4) & mask]] += 1
            x = hashes[n_words % HASHES_PER_BATCH]
            for _ in range(held[b, c] - n_words * PER_WORD):
                n0[cell[x & mask]] += 1
                x >>= FIELD
        for k in range(out.shape[1]):
            out[b, k] += n0[k] + n1[k] + n2[k] + n3[k] + n4[k]
