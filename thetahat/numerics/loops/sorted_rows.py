"""Rank sums of the positive values of many short rows, sorted side by side.

A network of comparisons sorts any row of its length by the same steps, so that ``LANES`` rows take
each step together, as vector instructions. What is compared are the bits of a value's size,
shifted up by one, with its sign in the lowest: as many differences as there are stay one number.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from thetahat.numerics.loops.compiling import as_read_only, compiled
from thetahat.values.types import FloatArray, IntArray

MAX_VALUES_IN_ROW: Final = 64
"""Values of a row up to which the network beats sorting one row after the other."""

LANES: Final = 64

_ONE = np.uint64(1)
_TOP = np.uint64(2**63)  # turned over, unsigned numbers order as signed ones do


def positive_sums_of_rows(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (p,) rank sums of the positive values, and the smallest gap of each row.

    The sums hold where no gap is 0.

    Parameters
    ----------
    values : ndarray of float
        (p, u), none of them NaN, u at most ``MAX_VALUES_IN_ROW``.
    """
    p, u = values.shape
    sums, gaps, keys = np.empty(p), np.empty(p), np.zeros((u, LANES), dtype=np.int64)
    seen = as_read_only(values)
    room = keys, keys.view(np.uint64), keys.view(np.float64)
    compiled(sort_rows)(seen, seen.view(np.uint64), network(u), *room, sums, gaps)
    return sums, gaps


@lru_cache(maxsize=MAX_VALUES_IN_ROW)
def network(n: int) -> IntArray:
    """Return the (c, 2) compare-and-swap positions of a sorting network for n numbers.

    Batcher's merge exchange: n log(n)^2 / 4 steps or so.
    """
    pairs = []
    top = 2 ** max(0, (n - 1).bit_length() - 1)
    p = top if n > 1 else 0
    while p > 0:
        q, r, d = top, 0, p
        while True:
            pairs += [(i, i + d) for i in range(n - d) if i & p == r]
            if q == p:
                break
            d, q, r = q - p, q // 2, p
        p //= 2
    steps = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    steps.setflags(write=False)
    return steps


def sort_rows(  # noqa: C901, PLR0913 - the values, room for some of them, and two results
    values: FloatArray,
    bits: np.ndarray,
    steps: IntArray,
    keys: IntArray,
    unsigned: np.ndarray,
    sizes: FloatArray,
    sums: FloatArray,
    gaps: FloatArray,
) -> None:
    """Write sums and gaps, ``LANES`` rows at a time.

    ``bits`` are those of the values; ``keys``, ``unsigned`` and ``sizes`` (u, LANES) are one
    stretch of memory. A sum of ranks is that of the number of positive values from each place on.
    """
    u = len(keys)
    count, total = np.empty(LANES, dtype=np.int64), np.empty(LANES, dtype=np.int64)
    last, least = np.empty(LANES), np.empty(LANES)
    for low in range(0, len(values), LANES):
        n = min(LANES, len(values) - low)
        for b in range(n):
            own, own_bits = values[low + b], bits[low + b]
            for i in range(u):
                unsigned[i, b] = ((own_bits[i] << _ONE) | np.uint64(own[i] > 0)) ^ _TOP
        for step in range(len(steps)):
            x, y = keys[steps[step, 0]], keys[steps[step, 1]]
            for b in range(LANES):
                s, t = x[b], y[b]
                swap = t < s
                x[b] = t if swap else s
                y[b] = s if swap else t
        count[:] = 0
        total[:] = 0
        for i in range(u - 1, -1, -1):
            row = keys[i]
            for b in range(LANES):
                count[b] += row[b] & 1
                total[b] += count[b]
        last[:] = -np.inf
        least[:] = np.inf
        for i in range(u):
            ordered, size = unsigned[i], sizes[i]
            for b in range(LANES):
                ordered[b] = (ordered[b] ^ _TOP) >> _ONE
            for b in range(LANES):
                gap = size[b] - last[b]
                least[b] = min(least[b], gap)
                last[b] = size[b]
        sums[low : low + n] = total[:n]
        gaps[low : low + n] = least[:n]
