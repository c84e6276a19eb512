"""Kernel mean matching of very many small samples: widths, kernel sums and the programme."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.types import FloatArray

MOST_EXCHANGES: Final = 60
"""Exchanges of the block algorithm before a data set is left to the other one."""
_SLACK: Final = 3
_LEAST_PIVOT: Final = 1e-13
"""Of a kernel matrix, whose diagonal is 1: below, the factor is rounding."""


def nearest_squares(source: FloatArray, target: FloatArray, squares: FloatArray) -> FloatArray:
    """Fill (n, m) squared distances; return the (n, 5) least of each row, not in order."""
    n, p = source.shape
    m = target.shape[0]
    best = np.full((n, 5), np.inf)
    for i in range(n):
        row, five = squares[i], best[i]
        for j in range(m):
            row[j] = 0.0
        for a in range(p):
            x = source[i, a]
            for j in range(m):
                apart = x - target[j, a]
                row[j] += apart * apart
        worst, at = np.inf, 0
        for j in range(m):
            if row[j] < worst:
                five[at] = row[j]
                worst = five[0]
                at = 0
                for k in range(1, 5):
                    if five[k] > worst:
                        worst, at = five[k], k
    return best


def exchange(  # noqa: C901 - one loop: what is compiled calls nothing that is not
    K: FloatArray, q: FloatArray, tolerance: float, w: FloatArray
) -> bool:
    """Minimise w'Kw/2 - q'w over w >= 0 by exchanging whole blocks; false where it gives up.

    All coordinates with the wrong sign change sides at once while their number falls, and for a
    few steps more. It ends only where all conditions of the optimum hold to the tolerance.
    """
    n = len(q)
    free = np.zeros(n, dtype=np.bool_)
    gradient = -q
    fewest, left = n + 1, _SLACK
    w[:] = 0.0
    for _ in range(MOST_EXCHANGES):
        wrong = np.where(free, w < 0.0, gradient < -tolerance)
        count = wrong.sum()
        if count == 0:
            return bool(np.abs(gradient[free]).sum() <= tolerance)
        left = _SLACK if count < fewest else left - 1
        if left < 0:
            return False
        fewest = min(fewest, count)
        free ^= wrong
        index = np.flatnonzero(free)
        f = len(index)
        rows = K[index]
        # the factor's columns stand in its rows, so that the inner loops run along memory
        factor = rows[:, index]
        for a in range(f):
            if factor[a, a] <= _LEAST_PIVOT:
                return False
            pivot = np.sqrt(factor[a, a])
            for b in range(a, f):
                factor[a, b] /= pivot
            for c in range(a + 1, f):
                by = factor[a, c]
                for b in range(c, f):
                    factor[c, b] -= by * factor[a, b]
        z = q[index]
        for a in range(f):
            z[a] /= factor[a, a]
            for b in range(a + 1, f):
                z[b] -= factor[a, b] * z[a]
        for a in range(f - 1, -1, -1):
            z[a] = (z[a] - (factor[a, a + 1 :] * z[a + 1 :]).sum()) / factor[a, a]
        w[:] = 0.0
        w[index] = z
        gradient = -q
        for a in range(f):
            gradient += rows[a] * z[a]
    return False
