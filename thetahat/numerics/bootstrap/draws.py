"""Draws of units from strata and from cells of strata, with numpy."""

from __future__ import annotations

import numpy as np

from thetahat.numerics.loops.cells import CELL_BITS, DRAWS_OF_A_WORD
from thetahat.numerics.loops.hashes import (
    FIRST_FACTOR,
    HALF,
    LOW_32_BITS,
    RANGE,
    STEP,
    UInt32Array,
    UInt64Array,
    mix,
)
from thetahat.values.types import FloatArray, IntArray


def indices_by_numpy(starts: IntArray, keys: UInt64Array) -> UInt32Array:
    """Return the same (b, U) units as the compiled ``draw_indices``, with numpy.

    U is the number of units from ``starts[0]`` on.
    """
    sizes = np.diff(starts)
    pairs = (sizes + 1) // 2
    start, size, n_pairs = (np.repeat(a, sizes) for a in (starts[:-1], sizes, pairs))
    place = np.arange(starts[0], starts[-1]) - start
    half = (place >= n_pairs).astype(np.uint64)
    counter = (start + place - n_pairs * (place >= n_pairs) + 1).astype(np.uint64)
    hashes: UInt64Array = mix(keys[:, None] + STEP * counter)
    bound = size.astype(np.uint64)
    products = np.where(half == 1, hashes >> HALF, hashes & LOW_32_BITS) * bound
    unfair = RANGE % bound
    if ((products & LOW_32_BITS) >= unfair).all():  # nearly always
        return (start.astype(np.uint64) + (products >> HALF)).astype(np.uint32)
    again = hashes ^ (FIRST_FACTOR * (half + np.uint64(1)))
    while (bad := (products & LOW_32_BITS) < unfair).any():
        again = np.where(bad, mix(again + STEP), again)
        products = np.where(bad, (again >> HALF) * bound, products)
    return (start.astype(np.uint64) + (products >> HALF)).astype(np.uint32)


def fill_cell_counts_by_numpy(  # noqa: PLR0913 - as the compiled loop
    starts: IntArray,
    sizes: IntArray,
    held: IntArray,
    keys: UInt64Array,
    first: int,
    out: FloatArray,
) -> None:
    """Write the same counts as the compiled ``fill_cell_counts``, with numpy."""
    shifts = np.uint64(CELL_BITS) * np.arange(DRAWS_OF_A_WORD, dtype=np.uint64)
    for c, (start, size) in enumerate(zip(starts.tolist(), sizes.tolist(), strict=True)):
        n_words = -(-int(held[:, c].max()) // DRAWS_OF_A_WORD)
        counters = (np.uint64(first + c + 1) << HALF) + np.arange(1, n_words + 1, dtype=np.uint64)
        hashes = mix(keys[:, None] + STEP * counters)
        places = (hashes[:, :, None] >> shifts).reshape(len(keys), -1) & np.uint64(size - 1)
        places += np.uint64(size) * np.arange(len(keys), dtype=np.uint64)[:, None]
        drawn = places[np.arange(places.shape[1]) < held[:, [c]]].astype(np.intp)
        counts = np.bincount(drawn, minlength=len(keys) * size)
        out[:, start : start + size] = counts.reshape(len(keys), size)
