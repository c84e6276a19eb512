"""Weights by Kullback-Leibler importance estimation (KLIEP) of very many small data sets."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from thetahat.errors import EvaluationError
from thetahat.importance_weights import Samples
from thetahat.importance_weights._kernels import N_NEIGHBOURS, draw_centres
from thetahat.importance_weights.kliep import (
    MAX_STEPS_PER_SIZE,
    STEP_SIZES,
    Kliep,
    are_within_reach,
)
from thetahat.numerics.loops.compiling import compiled
from thetahat.values.types import FloatArray
from thetahat_replications.batches.weights import estimate_weights_one_by_one
from thetahat_replications.loops import gaussian_kernels, kernel_means, likelihood_ascent

MAX_CELLS: Final = 1_000_000
"""The largest number of kernels of target rows with centres; with more, data sets are given to the
method one by one."""


def estimate_kliep_weights(
    source: FloatArray, target: FloatArray, rng: np.random.Generator, method: Kliep
) -> FloatArray:
    """Return the (R, n) weights of (R, n, p) source rows; NaN if a data set is refused.

    The numbers are those of ``estimate_weights_one_by_one``. Compiled loops compute the
    early-stopped mode with the width of the nearest neighbours and the centres that the method
    would draw; every other setting is computed by the method itself.

    Parameters
    ----------
    source, target : ndarray of float
        (R, n, p), and (R, m, p) or (1, m, p).
    rng : numpy.random.Generator
        Draws the centres.
    method : Kliep
        The method for one data set.
    """
    m = target.shape[1]
    is_small = m >= N_NEIGHBOURS and m * min(m, method.n_centres) <= MAX_CELLS
    if not is_small or method.mode != "early_stopped" or method.width != "neighbours":
        return estimate_weights_one_by_one(method, source, target, rng)
    weights = np.full(source.shape[:2], np.nan)
    squares = np.empty((source.shape[1], m))
    nearest = compiled(kernel_means.fill_nearest_squares)
    for r, x in enumerate(source):
        try:
            samples = Samples(x, np.ascontiguousarray(target[r if len(target) > 1 else 0]))
            width = float(np.sqrt(nearest(x, samples.target, squares)).mean())
            if math.isfinite(width) and width > 0:
                weights[r] = _estimate_weights(
                    samples, draw_centres(samples, method.n_centres, rng), width
                )
        except EvaluationError:
            continue
    return weights


def _estimate_weights(samples: Samples, centres: FloatArray, width: float) -> FloatArray:
    """Return the (n,) weights with these centres; NaN if the data set is refused."""
    fill = compiled(gaussian_kernels.fill_squares)
    exponentiate = compiled(gaussian_kernels.exponentiate)
    A, K = np.empty((samples.m, len(centres))), np.empty((samples.n, len(centres)))
    for rows, kernels in ((samples.target, A), (samples.source, K)):
        fill(rows, centres, kernels)
        exponentiate(kernels, -0.5 / width**2)
    alpha = np.full(len(centres), np.nan)
    if are_within_reach(A, K):
        compiled(likelihood_ascent.ascend)(
            A, K.mean(axis=0), np.array(STEP_SIZES), MAX_STEPS_PER_SIZE, alpha
        )
    return np.asarray(K @ alpha)
