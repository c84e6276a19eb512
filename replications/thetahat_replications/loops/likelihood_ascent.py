"""A compiled loop for the published gradient ascent of KLIEP, for very many small samples."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.values.types import FloatArray

BLOCK: Final = 256
"""Target rows whose ratios and slopes are computed together, while their kernels are cached."""
_MIN_VALUE: Final = 1e-290
_MAX_VALUE: Final = 1e290
"""Products between these two lose no digits."""


def ascend(  # noqa: C901 - one compiled loop
    A: FloatArray, b: FloatArray, rates: FloatArray, most: int, alpha: FloatArray
) -> tuple[float, int]:
    """Fill in the (L,) coefficients; return the mean log ratio of the target and the steps.

    The points are those of the early-stopped mode of ``kliep``, in its order; if two objectives are
    equal up to rounding, either may count as the larger. One pass over the kernels computes the
    ratios at a point and the slopes there; only a better point needs the slopes, but nearly all
    points are better. If the starting point gives a target row no weight, nothing is filled in and
    the result is -inf and 0 steps.

    Parameters
    ----------
    A : ndarray of float
        (m, L) kernels of the target rows.
    b : ndarray of float
        (L,) mean kernels of the source rows, not all 0.
    rates : ndarray of float
        Step sizes, tried one after another.
    most : int
        The most steps with one size.
    alpha : ndarray of float
        (L,) array to fill in.
    """
    m, L = A.shape
    square = (b * b).sum()
    new, slopes, uphill = np.ones(L), np.empty(L), np.zeros(L)
    part, ratios, inverses = np.empty(L), np.empty(BLOCK), np.empty(BLOCK)
    best, at, tries, n_steps = -np.inf, -1, 0, 0
    while at < len(rates):
        short = (1.0 - (b * new).sum()) / square
        reach = 0.0
        for k in range(L):
            moved = new[k] + short * b[k]
            new[k] = max(moved, 0.0)
            reach += b[k] * new[k]
        new /= reach
        total = 0.0
        slopes[:] = 0.0
        for start in range(0, m, BLOCK):
            rows = A[start : start + BLOCK]
            size = len(rows)
            new_ratios, inverse = ratios[:size], inverses[:size]
            np.dot(rows, new, new_ratios)
            for j in range(0, size, 4):
                last = min(j + 4, size)
                first = new_ratios[j] * new_ratios[last - 1] if last == j + 4 else 0.0
                second = new_ratios[j + 1] * new_ratios[j + 2] if last == j + 4 else 0.0
                if (
                    min(first, second, first * second) > _MIN_VALUE
                    and max(first, second, first * second) < _MAX_VALUE
                ):
                    total += np.log(first * second)  # one logarithm for four
                    continue
                for i in range(j, last):
                    total += np.log(new_ratios[i]) if new_ratios[i] > 0.0 else -np.inf
            if not total > -np.inf:
                break
            np.divide(1.0, new_ratios, inverse)
            np.dot(inverse, rows, part)
            slopes += part
        objective = total / m
        if objective > best:
            best = objective
            alpha[:] = new
            uphill[:] = slopes
            tries += 1
        elif at < 0:
            return -np.inf, 0
        else:
            tries = most
        n_steps += 1
        if at < 0 or tries == most:
            at += 1
            tries = 0
        if at < len(rates):
            new = alpha + rates[at] * uphill
    return best, n_steps - 1
