"""Compiled loops for kernel mean matching of very many small samples."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.values.types import FloatArray

MAX_EXCHANGES: Final = 60
"""Largest number of exchanges before the algorithm fails."""
_SLACK: Final = 3
"""Largest number of exchanges in a row that do not reduce the number of violated conditions."""
_MIN_PIVOT: Final = 1e-13
"""The smallest pivot of a kernel matrix with diagonal 1; smaller ones are rounding errors."""


def fill_nearest_squares(source: FloatArray, target: FloatArray, squares: FloatArray) -> FloatArray:
    """Fill in the (n, m) squared distances; return the (n, 5) smallest of each row, unordered."""
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


def exchange(  # noqa: C901 - one compiled loop
    K: FloatArray, q: FloatArray, tolerance: float, w: FloatArray
) -> float:
    """Minimise w'Kw/2 - q'w over w >= 0 by exchanging blocks of coordinates; -1 on failure.

    At the start the coordinates with w > 0 are free. In each step all coordinates that violate an
    optimality condition are exchanged between free and fixed, as long as their number falls and for
    a few steps more. The loop ends when all conditions hold to the tolerance. It returns the
    derivative of the sum of w with respect to a constant added to q.
    """
    n = len(q)
    free = w > 0.0
    fewest, left = n + 1, _SLACK
    for _ in range(MAX_EXCHANGES):
        index = np.flatnonzero(free)
        f = len(index)
        rows = K[index]
        # the factor is stored transposed, so that the inner loops run along memory
        factor = rows[:, index]
        # right-hand sides: q, and ones for the derivative of the sum
        z, growth = q[index], np.ones(f)
        for a in range(f):
            if factor[a, a] <= _MIN_PIVOT:
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
        # 1' K^-1 1 is the squared length of the half-solved vector of ones
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
