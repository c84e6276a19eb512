"""The published algorithm of Kullback-Leibler importance estimation."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.values.types import FloatArray

RATES: Final = (1e3, 1e2, 1e1, 1e0, 1e-1, 1e-2, 1e-3)
STEPS: Final = 100


def early_stopped(A: FloatArray, b: FloatArray) -> tuple[FloatArray, float, int]:
    """Return (L,) coefficients, the mean log ratio of the target and the steps taken.

    Gradient ascent with the constraints put back after each step; a rate is left at its first
    step that does not improve. From a start that leaves a target row without weight, which is
    -inf, there is no step.

    Parameters
    ----------
    A : ndarray of float
        (m, L) kernels of the target rows.
    b : ndarray of float
        (L,) mean kernels of the source rows.
    """
    alpha = _feasible(np.ones(A.shape[1]), b)
    ratios = A @ alpha
    best, n_steps = _objective(ratios), 0
    if best == -np.inf:
        return alpha, best, 0
    with np.errstate(all="ignore"):  # what leaves the range of numbers improves nothing
        for rate in RATES:
            for _ in range(STEPS):
                new = _feasible(alpha + rate * ((1 / ratios) @ A), b)
                there = A @ new
                found = _objective(there)
                n_steps += 1
                if not found > best:
                    break
                alpha, ratios, best = new, there, found
    return alpha, best, n_steps


def _objective(ratios: FloatArray) -> float:
    return float(np.log(ratios).mean()) if ratios.min() > 0 else -np.inf


def _feasible(alpha: FloatArray, b: FloatArray) -> FloatArray:
    """Return coefficients that are not negative and give the source a mean weight of one."""
    alpha = np.maximum(alpha + (1 - b @ alpha) / (b @ b) * b, 0)
    return np.asarray(alpha / (b @ alpha))
