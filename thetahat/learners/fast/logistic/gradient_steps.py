"""Optima of penalised logistic likelihoods from gradients alone, for several parts at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np

from thetahat.learners.fast.logistic.newton import Objective, softmax
from thetahat.learners.fast.logistic.step_memory import StepMemory
from thetahat.learners.fast.thresholds import (
    MAX_ROWS_A_COLUMN_FOR_GRADIENTS,
    MIN_COEFFICIENTS_FOR_GRADIENTS,
)
from thetahat.values.types import BoolArray, FloatArray

MAX_LOGIT_ERROR: Final = 1e-9
"""Largest error of a logit of any row, by the bound below, of coefficients that are returned."""
_MAX_PASSES: Final = 500
_MAX_OVERSHOOT: Final = 0.5
"""Largest slope at the end of a step, over minus the slope at its beginning."""

Gradient = Callable[[FloatArray], FloatArray]
"""Takes and returns (m, K q) arrays."""


def suits_gradients(n_samples: int, n_columns: int, n_logits: int) -> bool:
    """Return whether gradients alone lead to the optimum at half the cost of factorisations."""
    return (
        n_columns * n_logits >= MIN_COEFFICIENTS_FOR_GRADIENTS
        and n_samples <= MAX_ROWS_A_COLUMN_FOR_GRADIENTS * n_columns
    )


def minimise_by_gradients(
    objective: Objective, start: FloatArray, Z: FloatArray
) -> FloatArray | None:
    """Return (q, K) coefficients of the optimum, or None if they are not accurate enough.

    Parameters
    ----------
    objective : Objective
        Its optimum is computed.
    start : ndarray of float
        (q, K) a point to start from.
    Z : ndarray of float
        (n, q) rows whose logits have to be accurate.
    """
    K, B = start.shape[1], start.T.reshape(1, -1)
    for _ in range(2):  # the second time with the accuracy judged at the optimum
        shares = softmax(objective.Z @ B.reshape(K, -1).T)
        metric = LogitMetric(objective, shares, Z)
        B, arrived = descend_by_gradients(objective.flat_gradient, B, metric)
        if not arrived[0]:
            return None
    return B.reshape(K, -1).T


class LogitMetric:
    r"""How far a logit of any row can be from the one at the optimum, judged by the gradient.

    The penalised likelihood curves at least as much as its penalty, so that with a gradient g

    .. math:: |z^T (B - B^*)| \le \sqrt{\sum_j z_j^2 / \lambda_j} \sqrt{\sum_j g_j^2 / \lambda_j}

    An intercept has no penalty; it curves by the weighted sum of p (1 - p).

    Parameters
    ----------
    objective : Objective
        That of a training part, or of all rows.
    shares : ndarray of float
        (n, K) class probabilities near its optimum.
    Z : ndarray of float
        (m, q) rows whose logits have to be accurate.
    """

    def __init__(self, objective: Objective, shares: FloatArray, Z: FloatArray) -> None:
        penalties, w, K = objective.penalties, objective.w, objective.target.shape[1]
        uncertain = float(np.min(w @ (shares * (1 - shares)))) / K
        least = np.where(penalties > 0, penalties, max(uncertain, np.finfo(np.float64).tiny))
        self.inverse = np.tile(1 / least, K)
        self.radius = float(np.sqrt((Z**2 @ (1 / least)).max()))
        self.curvature = np.tile(0.25 * w.sum() + penalties, K)

    def bound_error(self, gradient: FloatArray) -> FloatArray:
        """Return (m,) bounds of the error of a logit from (m, K q) gradients."""
        return np.asarray(self.radius * np.sqrt(gradient**2 @ self.inverse))


def descend_by_gradients(
    gradient: Gradient, start: FloatArray, metric: LogitMetric
) -> tuple[FloatArray, BoolArray]:
    """Return (m, K q) optima, and (m,) whether each is within ``MAX_LOGIT_ERROR``.

    Limited-memory quasi-Newton steps. A step whose end slopes up too much is shortened; as the
    objective is convex, the slope alone shows this. All parts share each pass over the rows, and
    the result of a part does not depend on the others.

    Parameters
    ----------
    gradient : callable
        Of m parts.
    start : ndarray of float
        (m, K q) starting points.
    metric : LogitMetric
        Of all rows.
    """
    B, g = start.copy(), gradient(start)
    diagonal, scale = 1 / metric.curvature, np.ones(len(B))
    memory = StepMemory()
    goes_on = metric.bound_error(g) > MAX_LOGIT_ERROR
    direction = -g * diagonal
    share = np.ones(len(B))
    for _ in range(_MAX_PASSES):
        if not goes_on.any():
            break
        moved = (share * goes_on)[:, None] * direction
        there = gradient(B + moved)
        before, after = np.vecdot(g, direction), np.vecdot(there, direction)
        is_far = goes_on & (after > -_MAX_OVERSHOOT * before)
        at_root = before[is_far] / (before - after)[is_far]
        share[is_far] *= np.maximum(at_root, 0.1)
        accepted = goes_on & ~is_far
        share[accepted] = 1.0
        moved[~accepted] = 0.0
        change = np.where(accepted[:, None], there - g, 0.0)
        along, across = np.vecdot(moved, change), np.vecdot(change, change * diagonal)
        usable = accepted & (along > 0)
        scale[usable] = along[usable] / across[usable]
        memory.add(moved, change)
        B += moved
        g += change
        goes_on &= metric.bound_error(g) > MAX_LOGIT_ERROR
        first = scale[:, None] * diagonal
        steps = memory.compute_steps(g, partial(np.multiply, first))
        direction[accepted] = -steps[accepted]
    return B, ~goes_on
