"""Sets and limits of random models, and the vectors about them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.vectors.reading import VECTORS
from thetahat.losses.base import Predictions


def read_vector(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    vector = VECTORS[name]
    return vector["inputs"], vector["expected"]


def draw_limits(seed: int, n: int = 30) -> tuple[np.ndarray, Predictions]:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n)
    limits = np.sort(rng.normal(size=(n, 2)) * 2, axis=1)
    return y, Predictions(limits.mean(axis=1), limits=limits)


def draw_sets(seed: int, n: int = 30) -> tuple[np.ndarray, Predictions]:
    rng = np.random.default_rng(seed)
    sets = rng.random((n, 4)) < 0.6
    return rng.integers(0, 4, n), Predictions(sets.argmax(1), sets=sets, classes=(0, 1, 2, 3))
