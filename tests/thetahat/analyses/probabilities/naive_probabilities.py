"""Obvious slow forms of what is computed about probabilities."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import minimize


def recalibrate(y: Sequence[float], p: Sequence[float]) -> list[float]:
    """Return the isotonic regression by its max-min formula over levels."""
    levels = sorted(set(p))
    means = {}
    for lo, hi in itertools.combinations_with_replacement(range(len(levels)), 2):
        inside = [a for a, b in zip(y, p, strict=True) if levels[lo] <= b <= levels[hi]]
        means[lo, hi] = sum(inside) / len(inside)
    n = len(levels)
    fitted = {
        level: max(min(means[i, j] for j in range(k, n)) for i in range(k + 1))
        for k, level in enumerate(levels)
    }
    return [fitted[each] for each in p]


def compute_brier(y: Sequence[float], p: Sequence[float]) -> float:
    return sum((a - b) ** 2 for a, b in zip(y, p, strict=True)) / len(y)


def compute_log_loss(y: Sequence[float], p: Sequence[float]) -> float:
    return -sum(math.log(b if a else 1 - b) for a, b in zip(y, p, strict=True)) / len(y)


def compute_ece(y: Sequence[float], p: Sequence[float], n_bins: int) -> float:
    """Return the expected calibration error, bin by bin; bins are closed on the right."""
    total = 0.0
    for b in range(n_bins):
        inside = [
            i
            for i, each in enumerate(p)
            if (b / n_bins < each or b == 0) and each <= (b + 1) / n_bins
        ]
        total += abs(sum(p[i] for i in inside) - sum(y[i] for i in inside))
    return total / len(y)


def fit_by_minimisation(
    y: np.ndarray, x: np.ndarray, *, slope: float | None = None
) -> tuple[np.ndarray, float]:
    """Return intercept and slope (or the intercept alone) and the log-likelihood."""

    def cost(b: np.ndarray) -> float:
        logits = b[0] + (b[1] if slope is None else slope) * x
        return float(-(y * logits - np.logaddexp(0, logits)).sum())

    start = [0.0, 1.0] if slope is None else [0.0]
    options: Any = {"xatol": 1e-11, "fatol": 1e-13, "maxiter": 20_000, "maxfev": 20_000}
    found = minimize(cost, start, method="Nelder-Mead", options=options)
    return found.x, -float(found.fun)


def compute_sandwich(
    y: np.ndarray, x: np.ndarray, b: np.ndarray, cluster: Sequence[int]
) -> np.ndarray:
    """Return the (2, 2) CR1 covariance, cluster by cluster."""
    design = np.column_stack([np.ones(len(x)), x])
    fitted = 1 / (1 + np.exp(-design @ b))
    bread = np.linalg.inv(
        sum(f * (1 - f) * np.outer(r, r) for f, r in zip(fitted, design, strict=True))
    )
    meat = np.zeros((2, 2))
    labels = sorted(set(cluster))
    for label in labels:
        rows = [i for i, each in enumerate(cluster) if each == label]
        score = sum((y[i] - fitted[i]) * design[i] for i in rows)
        meat += np.outer(score, score)
    return len(labels) / (len(labels) - 1) * bread @ meat @ bread
