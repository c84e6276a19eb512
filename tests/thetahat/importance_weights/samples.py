"""The two samples that vectors from outside are given for."""

from __future__ import annotations

import numpy as np

from thetahat.importance_weights import Samples
from thetahat.values.types import FloatArray

SOURCE = np.array(
    [
        *([-1.2, 0.3], [-0.4, -0.8], [-1.9, 0.9], [-0.1, 0.1]),
        *([-1.0, -0.5], [-0.7, 1.1], [-1.5, -0.2], [0.2, 0.6]),
    ]
)
TARGET = np.array([[0.1, 0.2], [0.8, -0.5], [-0.3, 0.9], [0.5, 0.4], [-0.6, -0.7], [0.3, -0.1]])
SMALL = Samples(SOURCE, TARGET)


def shifted(n: int, m: int, p: int = 2, *, seed: int = 0, scale: float = 0.8) -> Samples:
    """Source N((-1, 0, ...), scale^2 I), target N(0, I): the sources' two-dimensional setting."""
    rng = np.random.default_rng(seed)
    source = scale * rng.standard_normal((n, p))
    source[:, 0] -= 1
    return Samples(source, rng.standard_normal((m, p)))


def true_ratio(source: FloatArray, scale: float) -> FloatArray:
    """Return the (n,) density ratios of ``shifted``, from the densities as they are written."""
    p = source.shape[1]
    moved = source + np.eye(p)[0]
    exponent = (moved**2).sum(axis=1) / (2 * scale**2) - (source**2).sum(axis=1) / 2
    return np.asarray(scale**p * np.exp(exponent))


def rng() -> np.random.Generator:
    """Return a generator for methods that draw."""
    return np.random.default_rng(11)
