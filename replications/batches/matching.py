"""Kernel mean matching of very many small data sets."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from replications.batches.weights import one_by_one
from replications.loops import gaussian_kernels, kernel_means
from thetahat.importance_weights._kernels import N_NEIGHBOURS
from thetahat.importance_weights.kernel_mean_matching import KernelMeanMatching
from thetahat.numerics.loops.compiling import compiled
from thetahat.numerics.quadratic_programme import TOLERANCE
from thetahat.values.types import FloatArray

_SUM: Final = 1e-10
_MOST_STEPS: Final = 20
MOST_ROWS: Final = 200
"""Source rows up to which the loops are quicker than the method's own way."""


def matched(
    source: FloatArray,
    target: FloatArray,
    rng: np.random.Generator,
    method: KernelMeanMatching | None = None,
) -> FloatArray:
    """(R, n) weights of (R, n, p) source rows by kernel mean matching; NaN where refused.

    Compiled loops exchange blocks of coordinates. Where they give up or the bound binds, and for
    another width than that of the nearest neighbours, the method itself does it. Both end only
    where the conditions of the optimum hold, to the same tolerance.

    Parameters
    ----------
    source, target : ndarray of float
        (R, n, p), and (R, m, p) or (1, m, p).
    rng : numpy.random.Generator
        For the method itself.
    """
    method = method or KernelMeanMatching()
    n, m = source.shape[1], target.shape[1]
    if n > MOST_ROWS or m < N_NEIGHBOURS or method.width != "neighbours":
        return one_by_one(method, source, target, rng)
    root = math.sqrt(n)
    share = (root - 1) / root if method.tolerance is None else method.tolerance
    lowest, highest = n * max(0.0, 1 - share), n * (1 + share)
    found = np.full(source.shape[:2], np.nan)
    squares, kernel, none = np.empty((n, m)), np.empty((n, n)), []
    nearest = compiled(kernel_means.nearest_squares)
    exchange = compiled(kernel_means.exchange)
    fill = compiled(gaussian_kernels.fill_squares)
    exponentiate = compiled(gaussian_kernels.exponentiate)
    for r, x in enumerate(source):
        z = target[r if len(target) > 1 else 0]
        width = float(np.sqrt(nearest(x, np.ascontiguousarray(z), squares)).mean())
        good = math.isfinite(width) and width > 0
        if good:
            scale = -0.5 / width**2
            exponentiate(squares, scale)
            sums = n / m * squares.sum(axis=1)
            fill(x, x, kernel)
            exponentiate(kernel, scale)
            good = _matched(exchange, kernel, sums, (lowest, highest), found[r])
        if not (good and 0 < float(found[r].max()) <= method.bound):
            none.append(r)
    there = target if len(target) == 1 else target[none]
    found[none] = one_by_one(method, source[none], there, rng)
    return found


def _matched(
    exchange: Callable[..., float],
    kernel: FloatArray,
    sums: FloatArray,
    between: tuple[float, float],
    w: FloatArray,
) -> bool:
    """Fill in the weights whose sum is between the two; false where the loops give up.

    Where the sum's end binds, a constant is added to the linear term. The sum is piecewise linear
    in it: Newton's steps end on the right piece.
    """
    constant, wanted = 0.0, 0.0
    w[:] = 0.0
    for _ in range(_MOST_STEPS):
        q = sums + constant
        grows = exchange(kernel, q, TOLERANCE * float(np.abs(q).max()), w)
        if grows < 0:
            return False
        total = float(w.sum())
        if not wanted:
            if between[0] <= total <= between[1]:
                return True
            wanted = between[0] if total < between[0] else between[1]
        if abs(total - wanted) <= _SUM * wanted:
            return True
        if not grows:
            return False
        constant += (wanted - total) / grows
    return False
