"""Kullback-Leibler importance estimation of very many small data sets."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from replications.batches.weights import one_by_one
from replications.loops import gaussian_kernels, kernel_means, likelihood_ascent
from thetahat.errors import EvaluationError
from thetahat.importance_weights import Samples
from thetahat.importance_weights._kernels import N_NEIGHBOURS, centres_of
from thetahat.importance_weights.kliep import RATES, STEPS, Kliep, reached
from thetahat.numerics.loops.compiling import compiled
from thetahat.values.types import FloatArray

MOST_CELLS: Final = 1_000_000
"""Of the target's kernels with the centres; more are done one by one."""


def likeliest(
    source: FloatArray, target: FloatArray, rng: np.random.Generator, method: Kliep
) -> FloatArray:
    """(R, n) weights of (R, n, p) source rows as ``one_by_one`` gives them; NaN where refused.

    Compiled loops do the early-stopped mode with the width of the nearest neighbours, with the
    centres that the method would draw; all else the method does itself.

    Parameters
    ----------
    source, target : ndarray of float
        (R, n, p), and (R, m, p) or (1, m, p).
    rng : numpy.random.Generator
        Draws the centres.
    method : Kliep
        What one data set is done by.
    """
    m = target.shape[1]
    few = m >= N_NEIGHBOURS and m * min(m, method.n_centres) <= MOST_CELLS
    if not few or method.mode != "early_stopped" or method.width != "neighbours":
        return one_by_one(method, source, target, rng)
    found = np.full(source.shape[:2], np.nan)
    squares = np.empty((source.shape[1], m))
    nearest = compiled(kernel_means.nearest_squares)
    for r, x in enumerate(source):
        try:
            samples = Samples(x, np.ascontiguousarray(target[r if len(target) > 1 else 0]))
            width = float(np.sqrt(nearest(x, samples.target, squares)).mean())
            if math.isfinite(width) and width > 0:
                found[r] = _weights(samples, centres_of(samples, method.n_centres, rng), width)
        except EvaluationError:
            continue
    return found


def _weights(samples: Samples, centres: FloatArray, width: float) -> FloatArray:
    """(n,) weights with these centres; NaN where refused."""
    fill = compiled(gaussian_kernels.fill_squares)
    exponentiate = compiled(gaussian_kernels.exponentiate)
    A, K = np.empty((samples.m, len(centres))), np.empty((samples.n, len(centres)))
    for rows, kernels in ((samples.target, A), (samples.source, K)):
        fill(rows, centres, kernels)
        exponentiate(kernels, -0.5 / width**2)
    alpha = np.full(len(centres), np.nan)
    if reached(A, K):
        compiled(likelihood_ascent.ascend)(A, K.mean(axis=0), np.array(RATES), STEPS, alpha)
    return np.asarray(K @ alpha)
