"""Rank sums of the positive differences of many pairs."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.numerics.loops.compiling import compiled
from thetahat.values.types import FloatArray

_ONE: Final = np.uint64(1)


def positive_sums(keys: np.ndarray) -> tuple[FloatArray, FloatArray]:
    """Return (p,) rank sums R+ of rows without ties, and the smallest gap of each row.

    Parameters
    ----------
    keys : ndarray of uint64
        (p, u) the bits of the size of each difference, shifted up by one, and in the lowest
        whether it is positive; each row in order.
    """
    sums, bits = np.empty((2, len(keys))), np.empty(keys.shape[1], dtype=np.uint64)
    compiled(add_rows)(keys, bits, bits.view(np.float64), sums)
    return sums[0], sums[1]


def add_rows(keys: np.ndarray, bits: np.ndarray, sizes: FloatArray, out: FloatArray) -> None:
    """Write the rows of ``positive_sums``; ``bits`` and ``sizes`` share their memory."""
    for row in range(len(keys)):
        own = keys[row]
        total, least = np.int64(0), np.inf
        for i in range(len(own)):
            bits[i] = own[i] >> _ONE
            total += np.int64(own[i] & _ONE) * (i + 1)
        for i in range(1, len(own)):
            gap = sizes[i] - sizes[i - 1]
            least = min(least, gap)
        out[0, row], out[1, row] = total, least
