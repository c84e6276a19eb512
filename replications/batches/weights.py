"""Importance weights of very many data sets."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.errors import EvaluationError
from thetahat.importance_weights import Samples, WeightEstimator
from thetahat.importance_weights.gaussian_ratio import GaussianRatio
from thetahat.values.types import FloatArray

_LARGEST_CONDITION: Final = 1e5
"""Of a covariance; above, its square root is taken of the rows themselves."""
_LARGEST_EXPONENT: Final = 300.0


def one_by_one(
    estimator: WeightEstimator, source: FloatArray, target: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """(R, n) weights of (R, n, p) source rows, one data set after another; NaN where refused.

    The target samples are (R, m, p), or (1, m, p), the same for all.
    """
    found = np.full(source.shape[:2], np.nan)
    for r, x in enumerate(source):
        try:
            samples = Samples(x, target[r if len(target) > 1 else 0])
            found[r] = estimator.estimate(samples, rng).values
        except EvaluationError:
            continue
    return found


def gaussian_ratios(source: FloatArray, target: FloatArray) -> FloatArray:
    """(R, n) ratios of two fitted normals at (R, n, p) source rows: as ``gaussian_ratio`` gives.

    Data sets with a covariance near singular are done by that method; NaN where it refuses.
    """
    of_source, fit_source = _log_densities(source, source)
    of_target, fit_target = _log_densities(source, target)
    exponent = of_target - of_source
    fit = fit_source & fit_target & (np.abs(exponent).max(axis=1) <= _LARGEST_EXPONENT)
    found = np.exp(exponent, where=fit[:, None], out=np.full(exponent.shape, np.nan))
    left = np.flatnonzero(~fit)
    rng = np.random.default_rng(0)  # the method draws nothing
    there = target if len(target) == 1 else target[left]
    found[left] = one_by_one(GaussianRatio(), source[left], there, rng)
    return found


def _log_densities(rows: FloatArray, sample: FloatArray) -> tuple[FloatArray, np.ndarray]:
    """(R, n) log densities of the rows under the normal of the (R, m, p) sample; whether good."""
    m = sample.shape[1]
    mean = sample.mean(axis=1, keepdims=True)
    apart = sample - mean
    d, V = np.linalg.eigh(apart.swapaxes(1, 2) @ apart / max(m - 1, 1))
    fit = (d[:, -1] <= _LARGEST_CONDITION * d[:, 0]) & (m > sample.shape[2])
    d = np.where(fit[:, None], d, 1.0)
    z = (rows - mean) @ V
    return -0.5 * ((z * z) @ (1 / d)[..., None])[..., 0] - 0.5 * np.log(d).sum(axis=1)[:, None], fit
