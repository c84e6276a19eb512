"""Compiled loops of the bootstrap: drawing the units of resamples, and their sums.

The functions are plain Python over numpy arrays, so that numba can cache them on disk
(``thetahat.numerics.loops.compiling``) and a test can run them uncompiled.
"""

from __future__ import annotations

import numpy as np

from thetahat.numerics.loops.hashes import (
    FIRST_FACTOR,
    HALF,
    HASHES_PER_BATCH,
    LOW_32_BITS,
    RANGE,
    STEP,
    UInt32Array,
    UInt64Array,
    fill_hashes,
    mix,
)
from thetahat.values.types import FloatArray, IntArray


def draw_indices(starts: IntArray, keys: UInt64Array, out: UInt32Array) -> None:
    """Write to ``out`` (b, n) the units that each resample draws, of n from ``starts[0]`` on.

    Stratum k are the units ``starts[k]`` to ``starts[k + 1]``; as many are drawn from it as it
    has, with replacement. Every hash serves two draws, p and p + (n_k + 1) // 2 of a stratum: a
    half h of it gives floor(h n_k / 2^32). In the rare case in which that would favour some units
    the half is hashed again (Lemire), so that every unit is exactly as likely.
    """
    hashes = np.empty(HASHES_PER_BATCH, dtype=np.uint64)
    for b in range(out.shape[0]):
        key = keys[b]
        for k in range(len(starts) - 1):
            start, stop = starts[k], starts[k + 1]
            n_pairs = (stop - start + 1) // 2
            size = np.uint64(stop - start)
            unfair = RANGE % size
            offset = np.uint64(start)
            place = start - starts[0]
            lows = out[b, place : place + n_pairs]
            highs = out[b, place + n_pairs : stop - starts[0]]
            state = key + STEP * offset
            seen = np.uint64(0)
            for done in range(0, len(highs), HASHES_PER_BATCH):
                n_now = min(HASHES_PER_BATCH, len(highs) - done)
                fill_hashes(state, done, hashes, n_now)
                some_lows, some_highs = lows[done : done + n_now], highs[done : done + n_now]
                for p in range(n_now):
                    low = (hashes[p] & LOW_32_BITS) * size
                    high = (hashes[p] >> HALF) * size
                    some_lows[p] = offset + (low >> HALF)
                    some_highs[p] = offset + (high >> HALF)
                    seen |= np.uint64((low & LOW_32_BITS) < unfair) | np.uint64(
                        (high & LOW_32_BITS) < unfair
                    )
            for p in range(0 if seen else len(highs), n_pairs):
                x = mix(state + STEP * np.uint64(p + 1))
                for half in range(2):
                    product = (x >> HALF) * size if half else (x & LOW_32_BITS) * size
                    y = x ^ (FIRST_FACTOR * np.uint64(half + 1))
                    while (product & LOW_32_BITS) < unfair:
                        y = mix(y + STEP)
                        product = (y >> HALF) * size
                    if half == 0:
                        lows[p] = offset + (product >> HALF)
                    elif p < len(highs):
                        highs[p] = offset + (product >> HALF)


def gather_sums(column: FloatArray, indices: UInt32Array, out: FloatArray) -> None:
    """Add to ``out`` (b,) the sums of the drawn entries of ``column`` (n,)."""
    n = indices.shape[1]
    for b in range(indices.shape[0]):
        even, odd = 0.0, 0.0
        for i in range(0, n // 2 * 2, 2):
            even += column[indices[b, i]]
            odd += column[indices[b, i + 1]]
        if n % 2:
            even += column[indices[b, n - 1]]
        out[b] += even + odd


def count_draws(indices: UInt32Array, out: FloatArray) -> None:
    """Add to ``out`` (b, n) the number of times that each resample draws each unit."""
    for b in range(indices.shape[0]):
        for i in range(indices.shape[1]):
            out[b, indices[b, i]] += 1.0
