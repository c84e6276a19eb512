"""The optimum of a penalised logistic likelihood, by Newton's method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from thetahat.special_functions import expit, log_expit
from thetahat.values.types import FloatArray

_MAX_STEPS: Final = 100
_MAX_HALVINGS: Final = 40
_DAMPING: Final = 1e-10
"""Share of the diagonal that is added if rounding makes a curvature singular."""
STEP_TOLERANCE: Final = 1e-9
"""Length of a Newton step, in standard errors, after which the next has about its square."""


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    r"""The negative penalised log-likelihood of a model with K logits.

    .. math:: f(B) = -\sum_i w_i \log p_{i, y_i} + \frac12 \sum_{jk} \lambda_j B_{jk}^2

    With K = 1 there are two classes, and p is the logistic function of the one logit; otherwise
    there are K, and p is their softmax.
    """

    Z: FloatArray
    """(n, q)."""
    target: FloatArray
    """(n, K) 1 for the row's class; with K = 1, for the second."""
    w: FloatArray
    """(n,) weights."""
    penalties: FloatArray
    """(q,)."""

    def value(self, B: FloatArray) -> float:
        """Return f."""
        logits = self.Z @ B
        if logits.shape[1] == 1:
            likelihood = log_expit(np.where(self.target > 0, logits, -logits))[:, 0]
        else:
            likelihood = (self.target * log_shares(logits)).sum(axis=1)
        return float(0.5 * (self.penalties @ B**2).sum() - self.w @ likelihood)

    def flat_gradient(self, B: FloatArray) -> FloatArray:
        """Return the (1, K q) derivative at (1, K q) coefficients, class by class."""
        now = B.reshape(self.target.shape[1], -1).T
        gradient = self.gradient(now, softmax(self.Z @ now))
        return np.asarray(gradient.T.reshape(1, -1))

    def flat_factor(self, B: FloatArray) -> Factor | None:
        """Return the factor of the curvature at (K q,) coefficients, class by class."""
        shares = softmax(self.Z @ B.reshape(self.target.shape[1], -1).T)
        return factorise(self.curvature(shares))

    def gradient(self, B: FloatArray, shares: FloatArray) -> FloatArray:
        """Return the (q, K) derivative at B from the class probabilities there."""
        wrong = (shares - self.target) * self.w[:, None]
        return np.asarray(self.Z.T @ wrong + self.penalties[:, None] * B)

    def curvature(self, shares: FloatArray) -> FloatArray:
        """Return the (K q, K q) second derivative, with the common shift of the logits fixed.

        Adding a number to all logits of a row changes nothing, so in that direction the curvature
        is at most the penalty. The value that replaces it affects no step: the gradients of all
        classes sum to 0, and so do the coefficients.
        """
        matrix = compute_curvature(self.Z, shares, self.w)
        K, q = shares.shape[1], self.Z.shape[1]
        np.einsum("ii->i", matrix)[:] += np.tile(self.penalties, K)
        if K > 1:
            of_pairs = matrix.reshape(K, q, K, q)
            np.einsum("ajbj->abj", of_pairs)[:] += float(self.w.sum()) / K**2
        return matrix


def compute_curvature(Z: FloatArray, shares: FloatArray, w: FloatArray) -> FloatArray:
    """Return the (K q, K q) negative second derivative of the log-likelihood of some rows."""
    K, q = shares.shape[1], Z.shape[1]
    if K == 1:
        return _multiply_weighted_rows(Z, w * shares[:, 0] * (1 - shares[:, 0]))
    matrix = np.empty((K, q, K, q))
    for a in range(K):
        matrix[a, :, a] = _multiply_weighted_rows(Z, w * shares[:, a] * (1 - shares[:, a]))
        for b in range(a):
            matrix[a, :, b] = -_multiply_weighted_rows(Z, w * shares[:, a] * shares[:, b])
            matrix[b, :, a] = matrix[a, :, b].T
    return matrix.reshape(K * q, K * q)


def _multiply_weighted_rows(Z: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the (q, q) weighted products of rows, at half the cost of a general product."""
    rooted = Z * np.sqrt(weights)[:, None]
    return np.asarray(rooted.T @ rooted)


def log_shares(logits: FloatArray) -> FloatArray:
    """Return the (n, K) logarithms of the softmax."""
    from_largest = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(from_largest - np.log(np.exp(from_largest).sum(axis=1, keepdims=True)))


def softmax(logits: FloatArray) -> FloatArray:
    """Return the (n, K) probabilities of the classes; with K = 1, of the second of two."""
    return np.asarray(expit(logits) if logits.shape[1] == 1 else np.exp(log_shares(logits)))


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """The Cholesky factor of a curvature scaled to unit diagonal."""

    lower: FloatArray
    scale: FloatArray

    def solve(self, gradient: FloatArray) -> FloatArray:
        """Return the (q, K) Newton step for a (q, K) gradient."""
        step = self.solve_flat(gradient.T.reshape(-1))
        return np.asarray(step.reshape(gradient.shape[1], -1).T)

    def solve_flat(self, gradients: FloatArray) -> FloatArray:
        """Return the (K q,) or (m, K q) Newton steps for such gradients, class by class."""
        solutions, _ = scipy.linalg.lapack.dpotrs(self.lower, (gradients * self.scale).T, lower=1)
        return np.asarray(solutions.T * self.scale)

    def inverse_length(self) -> float:
        """Return the 1-norm of the inverse of the scaled matrix."""
        return float(1 / scipy.linalg.lapack.dpocon(self.lower, 1.0, uplo="L")[0])


def factorise(curvature: FloatArray, *, damping: float = 0.0) -> Factor | None:
    """Return the factor, or None if the matrix is not numerically positive definite.

    ``damping`` is added to every diagonal entry, in units of that entry.
    """
    diagonal = np.diag(curvature)
    if not (diagonal > 0).all():
        return None
    scale = 1 / np.sqrt(diagonal)
    matrix = curvature * scale * scale[:, None]
    np.einsum("ii->i", matrix)[:] += damping
    lower, failed = scipy.linalg.lapack.dpotrf(matrix, lower=1)
    return None if failed else Factor(lower, scale)


def minimise(objective: Objective, start: FloatArray) -> tuple[FloatArray, float]:
    """Return (q, K) coefficients and the length of the last step in standard errors.

    Newton steps, halved while they do not decrease the objective, until one is so short that the
    next would be lost in rounding. The length is inf if the last curvature is singular by rounding.
    """
    B, value = start, objective.value(start)
    length = np.inf
    for _ in range(_MAX_STEPS):
        shares = softmax(objective.Z @ B)
        gradient = objective.gradient(B, shares)
        curvature = objective.curvature(shares)
        factor = factorise(curvature)
        is_damped = factor is None
        factor = factor or factorise(curvature, damping=_DAMPING)
        if factor is None:
            return B, np.inf
        step = factor.solve(gradient)
        gain = float((step * gradient).sum())
        length = np.inf if is_damped else float(np.sqrt(max(gain, 0.0)))
        if length <= STEP_TOLERANCE:
            return B - step, length
        next_point = _find_decreasing_step(objective, B, step, value, gain)
        if next_point is None:
            break
        B, value = next_point
    return B, length


def _find_decreasing_step(
    objective: Objective, B: FloatArray, step: FloatArray, value: float, gain: float
) -> tuple[FloatArray, float] | None:
    """Return the first of repeatedly halved steps that decreases f, and by how much; or None."""
    share = 1.0
    for _ in range(_MAX_HALVINGS):
        there = B - share * step
        at = objective.value(there)
        if at <= value - 1e-4 * share * gain or (share == 1.0 and gain <= 1e-9 * abs(value)):
            return there, at
        share /= 2
    return None
