"""Weights by kernel mean matching of very many small data sets."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from thetahat.importance_weights._kernels import N_NEIGHBOURS
from thetahat.importance_weights.kernel_mean_matching import KernelMeanMatching
from thetahat.numerics.loops.compiling import compiled
from thetahat.numerics.quadratic_programme import TOLERANCE
from thetahat.values.types import FloatArray
from thetahat_replications.batches.weights import estimate_weights_one_by_one
from thetahat_replications.loops import gaussian_kernels, kernel_means

_SUM_TOLERANCE: Final = 1e-10
"""Relative tolerance of the sum of the weights."""
_MAX_STEPS: Final = 20
"""Newton steps for the sum of the weights."""
MAX_ROWS: Final = 200
"""Source rows up to which the loops are faster than the method itself."""


def estimate_kernel_mean_matching_weights(
    source: FloatArray,
    target: FloatArray,
    rng: np.random.Generator,
    method: KernelMeanMatching | None = None,
) -> FloatArray:
    """Return the (R, n) weights of (R, n, p) source rows; NaN if a data set is refused.

    Compiled loops solve the programme by exchanging blocks of coordinates. If they do not converge,
    if the upper bound is active, or if the width is not that of the nearest neighbours, the method
    itself is used. Both stop only when the optimality conditions hold to the same tolerance.

    Parameters
    ----------
    source, target : ndarray of float
        (R, n, p), and (R, m, p) or (1, m, p).
    rng : numpy.random.Generator
        Used only by the method itself.
    """
    method = method or KernelMeanMatching()
    n, m = source.shape[1], target.shape[1]
    if n > MAX_ROWS or m < N_NEIGHBOURS or method.width != "neighbours":
        return estimate_weights_one_by_one(method, source, target, rng)
    root = math.sqrt(n)
    share = (root - 1) / root if method.tolerance is None else method.tolerance
    lowest, highest = n * max(0.0, 1 - share), n * (1 + share)
    weights = np.full(source.shape[:2], np.nan)
    squares, kernel, unsolved = np.empty((n, m)), np.empty((n, n)), []
    nearest = compiled(kernel_means.fill_nearest_squares)
    exchange = compiled(kernel_means.exchange)
    fill = compiled(gaussian_kernels.fill_squares)
    exponentiate = compiled(gaussian_kernels.exponentiate)
    for r, x in enumerate(source):
        z = target[r if len(target) > 1 else 0]
        width = float(np.sqrt(nearest(x, np.ascontiguousarray(z), squares)).mean())
        is_solved = math.isfinite(width) and width > 0
        if is_solved:
            scale = -0.5 / width**2
            exponentiate(squares, scale)
            sums = n / m * squares.sum(axis=1)
            fill(x, x, kernel)
            exponentiate(kernel, scale)
            is_solved = _solve(exchange, kernel, sums, (lowest, highest), weights[r])
        if not (is_solved and 0 < float(weights[r].max()) <= method.bound):
            unsolved.append(r)
    unsolved_target = target if len(target) == 1 else target[unsolved]
    weights[unsolved] = estimate_weights_one_by_one(method, source[unsolved], unsolved_target, rng)
    return weights


def _solve(
    exchange: Callable[..., float],
    kernel: FloatArray,
    sums: FloatArray,
    between: tuple[float, float],
    w: FloatArray,
) -> bool:
    """Fill in the weights with a sum between two numbers; return whether the loops converged.

    If the sum is at one of the two, a constant is added to the linear term. The sum is piecewise
    linear in the constant, so that Newton steps end on the right piece.
    """
    constant, wanted = 0.0, 0.0
    w[:] = 0.0
    for _ in range(_MAX_STEPS):
        q = sums + constant
        grows = exchange(kernel, q, TOLERANCE * float(np.abs(q).max()), w)
        if grows < 0:
            return False
        total = float(w.sum())
        if not wanted:
            if between[0] <= total <= between[1]:
                return True
            wanted = between[0] if total < between[0] else between[1]
        if abs(total - wanted) <= _SUM_TOLERANCE * wanted:
            return True
        if not grows:
            return False
        constant += (wanted - total) / grows
    return False
