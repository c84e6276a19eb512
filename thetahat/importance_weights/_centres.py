"""Kernel centres, which are target rows."""

from __future__ import annotations

import math

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.importance_weights._distances import squared_distances
from thetahat.importance_weights.base import Samples
from thetahat.values.types import FloatArray


def check_count(n_centres: int) -> None:
    """Refuse fewer than one centre."""
    if n_centres < 1:
        raise InvalidParameter(
            f"n_centres must be at least 1, got {n_centres}", loc=("n_centres",), value=n_centres
        )


def centres_of(samples: Samples, n_centres: int, rng: np.random.Generator) -> FloatArray:
    """Return all target rows, or ``n_centres`` of them drawn without replacement."""
    if samples.m <= n_centres:
        return samples.target
    return samples.target[np.sort(rng.choice(samples.m, n_centres, replace=False))]


def log_kernel(rows: FloatArray, centres: FloatArray, width: float) -> FloatArray:
    """Return (n, L) logarithms of exp(-d^2 / (2 s^2))."""
    scale = width * math.sqrt(2)
    return np.asarray(-squared_distances(rows / scale, centres / scale))
