"""The optimum of all rows, and the curvature there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thetahat.learners.fast.logistic.gradient_steps import minimise_by_gradients
from thetahat.learners.fast.logistic.newton import (
    STEP_TOLERANCE,
    Objective,
    factorise,
    minimise,
    softmax,
)
from thetahat.learners.fast.logistic.training_parts import descended
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """The optimum of the penalised likelihood of all rows."""

    coefficients: FloatArray
    """(q, K)."""
    shares: FloatArray
    """(n, K) probabilities there."""
    curvature: FloatArray | None
    """(K q, K q) second derivative there; None if it was not needed to find the optimum."""


def find_optimum(objective: Objective) -> Optimum | None:
    """Return the optimum, or None if rounding hides it.

    Quasi-Newton steps with the curvature at 0 and the previous gradients lead there from 0; the
    last step uses the curvature at its end. If that is not enough, Newton's method starts from 0.
    """
    zero = np.zeros((objective.Z.shape[1], objective.target.shape[1]))
    near = _descend(objective, zero)
    optimum = None if near is None else _take_last_step(objective, near)
    if optimum is None:
        B, length = minimise(objective, zero)
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


def _descend(objective: Objective, start: FloatArray) -> FloatArray | None:
    begin = start.T.reshape(1, -1)
    factor = objective.flat_factor(begin[0])
    if factor is None:
        return None
    # The features are of about unit spread: a logit moves by about the length of a step.
    reach = np.array([1.0])
    B, arrived = descended(
        objective.flat_gradient, [factor], begin, reach, lambda _, B: objective.flat_factor(B)
    )
    return B[0].reshape(start.shape[1], -1).T if arrived[0] else None


def find_optimum_by_gradients(objective: Objective) -> Optimum | None:
    """Return the optimum, without the curvature there, or None if it is not accurate enough."""
    zero = np.zeros((objective.Z.shape[1], objective.target.shape[1]))
    B = minimise_by_gradients(objective, zero, objective.Z)
    return None if B is None else Optimum(B, softmax(objective.Z @ B), None)
