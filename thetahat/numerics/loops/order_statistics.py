"""Compiled loop over sorted values: two neighbouring order statistics of many resamples.

A plain function over numpy arrays, as ``thetahat.numerics.loops.compiling`` takes it.
"""

from __future__ import annotations

import numpy as np

from thetahat.values.types import FloatArray, IntArray


def neighbours(counts: FloatArray, order: IntArray, k: int, out: IntArray) -> None:
    """Write to ``out`` (b, 2) the positions in ``order`` of the k-th and the next drawn value.

    ``counts`` (b, n) are those of the rows, ``order`` (n,) the rows by ascending value, and k is
    counted from 0. The next one of the last is the last.
    """
    for b in range(counts.shape[0]):
        seen = 0.0
        place = -1
        while seen <= k:
            place += 1
            seen += counts[b, order[place]]
        out[b, 0] = place
        while seen <= k + 1 and place + 1 < len(order):
            place += 1
            seen += counts[b, order[place]]
        out[b, 1] = place if seen > k + 1 else out[b, 0]


def neighbours_by_numpy(counts: FloatArray, order: IntArray, k: int) -> IntArray:
    """Return the same (b, 2) positions with numpy."""
    seen = np.cumsum(counts[:, order], axis=1)
    last = seen[:, -1] - 1
    places = [(seen <= np.minimum(at, last)[:, None]).sum(axis=1) for at in (k, k + 1)]
    return np.stack(places, axis=1)
