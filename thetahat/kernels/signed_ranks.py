"""Rank sums of sorted sizes in one pass."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.kernels.compiling import compiled
from thetahat.types import FloatArray

MANY_SIZES: Final = 50_000
"""Sizes from which the loop pays for being compiled."""

_ONE = np.uint64(1)


def rank_sums(
    keys: np.ndarray, slack: float, least_slack: float
) -> tuple[float, float, bool] | None:
    """Return the sum of ranks of the positive, the sum of all squares, and whether there are ties.

    Ranks start from 1; sizes no further apart than the slack share the mean of theirs. None where
    some neighbours are further apart than the least slack and not further than the largest: each
    size's own must then be looked at.

    Parameters
    ----------
    keys : ndarray of uint64
        (n,) ascending: the bits of each size, and in the lowest whether it is positive.
    slack, least_slack : float
        Largest and smallest rounding of a size.
    """
    out, n = np.empty(3), len(keys)
    compiled(add_ranks)(keys, (keys >> _ONE).view(np.float64), slack, least_slack, out)
    squares = n * (n + 1) * (2 * n + 1) / 6 - float(out[1]) / 12
    return None if out[2] else (float(out[0]), squares, bool(out[1]))


def add_ranks(
    keys: np.ndarray, sizes: FloatArray, slack: float, least_slack: float, out: FloatArray
) -> None:
    """Fill in the sum of ranks, the sum of t^3 - t over ties, and whether some gap is ambiguous.

    Sums of ranks are of halves, and exact below 2^52.
    """
    n, start = len(sizes), 0
    total, lost = 0.0, 0.0
    out[2] = 0.0
    while start < n:
        count, stop = keys[start] & _ONE, start + 1
        while stop < n and sizes[stop] - sizes[stop - 1] <= slack:
            if sizes[stop] - sizes[stop - 1] > least_slack:
                out[2] = 1.0
                return
            count += keys[stop] & _ONE
            stop += 1
        total += (start + stop + 1) / 2 * np.float64(count)
        if stop - start > 1:
            tied = float(stop - start)
            lost += tied * tied * tied - tied
        start = stop
    out[0], out[1] = total, lost
