"""The optimum of all rows, started from that of a subset, and the curvature there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.learners.fast.logistic.newton import (
    STEP_TOLERANCE,
    Factor,
    Objective,
    factorise,
    minimise,
    softmax,
)
from thetahat.learners.fast.logistic.training_parts import descended
from thetahat.values.types import FloatArray

_MAX_ROWS_WITHOUT_SUBSET: Final = 2000
"""Number of rows from which the length of the first step is computed."""


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """The optimum of the penalised likelihood of all rows.

    Parameters
    ----------
    coefficients : ndarray of float
        (q, K).
    shares : ndarray of float
        (n, K) probabilities there.
    curvature : ndarray of float
        (K q, K q) second derivative there.
    """

    coefficients: FloatArray
    shares: FloatArray
    curvature: FloatArray


def find_optimum(
    objective: Objective, start: FloatArray | None = None, curvature: FloatArray | None = None
) -> Optimum | None:
    """Return the optimum, or None if rounding hides it.

    Quasi-Newton steps with one curvature and the previous gradients lead there from a point nearby;
    the last step uses the curvature at its end. If that is not enough, Newton's method starts from
    the point.

    Parameters
    ----------
    start, curvature : ndarray of float or None
        (q, K) a point near the optimum and (K q, K q) the curvature near it; the optimum of a few
        of the rows where there is none.
    """
    begin = _start_from_least_squares(objective) if start is None else start
    near = None if begin is None else _descend(objective, begin, curvature)
    optimum = None if near is None else _take_last_step(objective, near)
    if optimum is None:
        zero = np.zeros((objective.Z.shape[1], objective.target.shape[1]))
        B, length = minimise(objective, zero if begin is None else begin)
        optimum = _take_last_step(objective, B) if length <= STEP_TOLERANCE else None
    return optimum


def _take_last_step(objective: Objective, B: FloatArray) -> Optimum | None:
    """Take the last Newton step; None if it is not short in units of a standard error."""
    shares = softmax(objective.Z @ B)
    curvature = objective.curvature(shares)
    factor = factorise(curvature)
    if factor is None:
        return None
    gradient = objective.gradient(B, shares)
    step = factor.solve(gradient)
    length = np.sqrt(max(float((step * gradient).sum()), 0.0))
    return Optimum(B - step, shares, curvature) if length <= STEP_TOLERANCE else None


def _descend(
    objective: Objective, start: FloatArray, curvature: FloatArray | None
) -> FloatArray | None:
    K = start.shape[1]

    def gradient(B: FloatArray) -> FloatArray:
        now = B.reshape(K, -1).T
        gradients = objective.gradient(now, softmax(objective.Z @ now))
        return np.asarray(gradients.T.reshape(1, -1))

    def refactorise(_: int, B: FloatArray) -> Factor | None:
        return factorise(objective.curvature(softmax(objective.Z @ B.reshape(K, -1).T)))

    begin = start.T.reshape(1, -1)
    factor = refactorise(0, begin[0]) if curvature is None else factorise(curvature)
    if factor is None:
        return None
    # The features are of about unit spread: a logit moves by about the length of a step.
    B, arrived = descended(gradient, [factor], begin, np.array([1.0]), refactorise)
    return B[0].reshape(K, -1).T if arrived[0] else None


def _start_from_least_squares(objective: Objective) -> FloatArray | None:
    """Return a (q, 1) start: the least squares direction, scaled to be best for a few rows.

    This is near the optimum where the features of each class are about normal. Of two classes
    only.
    """
    n, q = objective.Z.shape
    if objective.target.shape[1] > 1:
        return None
    zero = np.zeros((q, 1))
    shares = np.full((n, 1), 0.5)
    factor = factorise(objective.curvature(shares))
    if factor is None:
        return None
    B = -factor.solve(objective.gradient(zero, shares))
    some = slice(None, None, max(1, n // _MAX_ROWS_WITHOUT_SUBSET))
    index = np.column_stack([objective.Z[some] @ B, np.ones(len(range(*some.indices(n))))])
    has_ones = objective.penalties[0] == 0
    few = Objective(
        index if has_ones else index[:, :1],
        objective.target[some],
        objective.w[some],
        np.full(1 + has_ones, 1e-3),
    )
    scale, length = minimise(few, np.zeros((1 + has_ones, 1)))
    if not length <= STEP_TOLERANCE:
        return None
    B *= scale[0]
    if has_ones:
        B[0] += scale[1]
    return B
