"""Kernel mean matching of very many small samples: widths, kernel sums and the programme."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.values.types import FloatArray

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
) -> float:
    """Minimise w'Kw/2 - q'w over w >= 0 by exchanging whole blocks; -1 where it gives up.

    It begins with the coordinates free that are above 0 in w. All with the wrong sign change sides
    at once while their number falls, and for a few steps more. It ends only where all conditions
    of the optimum hold to the tolerance, and returns how fast the sum of w grows with a constant
    added to q.
    """
    n = len(q)
    free = w > 0.0
    fewest, left = n + 1, _SLACK
    for _ in range(MOST_EXCHANGES):
        index = np.flatnonzero(free)
        f = len(index)
        rows = K[index]
        # the factor's columns stand in its rows, so that the inner loops run along memory
        factor = rows[:, index]
        # right-hand sides: q, and ones for the growth
        z, growth = q[index], np.ones(f)
        for a in range(f):
            if factor[a, a] <= _LEAST_PIVOT:
                return -1.0
            pivot = np.sqrt(factor[a, a])
            for b in range(a, f):
                factor[a, b] /= pivot
            for c in range(a + 1, f):
                by = factor[a, c]
                for b in range(c, f):
                    factor[c, b] -= by * factor[a, b]
            z[a] /= pivot
            growth[a] /= pivot
            for b in range(a + 1, f):
                z[b] -= factor[a, b] * z[a]
                growth[b] -= factor[a, b] * growth[a]
        # ones' K^-1 ones is the square of the half-solved ones
        grows = (growth * growth).sum()
        for a in range(f - 1, -1, -1):
            z[a] = (z[a] - (factor[a, a + 1 :] * z[a + 1 :]).sum()) / factor[a, a]
        w[:] = 0.0
        w[index] = z
        gradient = -q
        for a in range(f):
            gradient += rows[a] * z[a]
        wrong = np.where(free, w < 0.0, gradient < -tolerance)
        count = wrong.sum()
        if count == 0:
            return float(grows) if np.abs(gradient[free]).sum() <= tolerance else -1.0
        left = _SLACK if count < fewest else left - 1
        if left < 0:
            return -1.0
        fewest = min(fewest, count)
        free ^= wrong
    return -1.0
