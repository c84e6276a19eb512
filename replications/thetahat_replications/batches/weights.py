"""Importance weights of very many small data sets."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.errors import EvaluationError
from thetahat.importance_weights import Samples, WeightEstimator
from thetahat.importance_weights.gaussian_ratio import GaussianRatio
from thetahat.values.types import FloatArray

_MAX_CONDITION: Final = 1e5
"""The largest condition number of an inverted covariance; above it the method itself is used."""
_MAX_EXPONENT: Final = 300.0


def estimate_weights_one_by_one(
    estimator: WeightEstimator, source: FloatArray, target: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Return the (R, n) weights of (R, n, p) source rows, one data set after another.

    The target samples are (R, m, p), or (1, m, p) if all data sets share one. Weights are NaN if
    the estimator refuses a data set.
    """
    weights = np.full(source.shape[:2], np.nan)
    for r, x in enumerate(source):
        try:
            samples = Samples(x, target[r if len(target) > 1 else 0])
            weights[r] = estimator.estimate(samples, rng).values
        except EvaluationError:
            continue
    return weights


def estimate_gaussian_ratios(source: FloatArray, target: FloatArray) -> FloatArray:
    """Return the (R, n) weights of (R, n, p) source rows by the method ``gaussian_ratio``.

    Data sets with a nearly singular covariance are given to the method itself; weights are NaN if
    it refuses them.
    """
    source_density, source_ok = _log_densities(source, source)
    target_density, target_ok = _log_densities(source, target)
    exponent = target_density - source_density
    is_usable = source_ok & target_ok & (np.abs(exponent).max(axis=1) <= _MAX_EXPONENT)
    weights = np.exp(exponent, where=is_usable[:, None], out=np.full(exponent.shape, np.nan))
    left = np.flatnonzero(~is_usable)
    rng = np.random.default_rng(0)  # the method draws nothing
    left_target = target if len(target) == 1 else target[left]
    weights[left] = estimate_weights_one_by_one(GaussianRatio(), source[left], left_target, rng)
    return weights


def _log_densities(rows: FloatArray, sample: FloatArray) -> tuple[FloatArray, np.ndarray]:
    """Return (R, n) log densities under the normals of the samples, and (R,) whether accurate."""
    m = sample.shape[1]
    mean = sample.mean(axis=1, keepdims=True)
    centred = sample - mean
    d, V = np.linalg.eigh(centred.swapaxes(1, 2) @ centred / max(m - 1, 1))
    is_usable = (d[:, -1] <= _MAX_CONDITION * d[:, 0]) & (m > sample.shape[2])
    d = np.where(is_usable[:, None], d, 1.0)
    z = (rows - mean) @ V
    return -0.5 * ((z * z) @ (1 / d)[..., None])[..., 0] - 0.5 * np.log(d).sum(axis=1)[
        :, None
    ], is_usable
