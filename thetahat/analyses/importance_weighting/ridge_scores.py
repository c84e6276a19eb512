"""Weighted ridge fits for every penalty from one decomposition."""

from __future__ import annotations

import numpy as np

from thetahat.values.types import FloatArray, IntArray


def ridge_scores(  # noqa: PLR0913 - what a fit depends on, and which rows are predicted
    X: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    penalties: FloatArray,
    train: IntArray,
    test: IntArray,
    *,
    intercept: bool = False,
) -> FloatArray:
    """(n_test, L) decision values of the test rows by the fits on the training rows."""
    theta, level = ridge_coefficients(
        X[train], y[train], weights[train], penalties, intercept=intercept
    )
    return np.asarray(X[test] @ theta + level)


def ridge_coefficients(
    X: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    penalties: FloatArray,
    *,
    intercept: bool = False,
) -> tuple[FloatArray, FloatArray]:
    r"""Return (p, L) coefficients and (L,) intercepts, 0 where none is asked for.

    .. math:: \theta_\lambda = (X^T W X + \lambda I)^{-1} X^T W y = V (S^2 + \lambda)^{-1} S U^T r

    with :math:`W^{1/2} X = U S V^T` and :math:`r = W^{1/2} y`: one decomposition serves all
    penalties, and no condition number is squared. The rows are reduced to a triangle first.

    Parameters
    ----------
    X, y, weights : ndarray of float
        (n, p), (n,) and (n,) not negative; weights are not normalised.
    penalties : ndarray of float
        (L,) at least 0.
    intercept : bool
        Whether there is one; it is not penalised. Then some weight must be above 0.

    Degenerate cases: without any weight the coefficients are 0; with penalty 0 and dependent
    columns the solution of least norm is taken.
    """
    n, p = X.shape
    x_mean, y_mean = np.zeros(p), 0.0
    if intercept:
        x_mean, y_mean = np.average(X, axis=0, weights=weights), float(y @ weights / weights.sum())
    rows = np.column_stack([X - x_mean, y - y_mean]) * np.sqrt(weights)[:, None]
    triangle: FloatArray = np.asarray(np.linalg.qr(rows, mode="r")) if n > p else rows
    U, s, Vt = np.linalg.svd(triangle[:, :p], full_matrices=False)
    # below this a singular value is rounding; dividing by it would turn noise into coefficients
    kept = s > np.finfo(np.float64).eps * max(n, p) * s.max(initial=0.0)
    along = s[kept] * (U[:, kept].T @ triangle[:, p])
    filtered = along[:, None] / (s[kept, None] ** 2 + penalties)
    theta = Vt[kept].T @ filtered
    return theta, y_mean - x_mean @ theta
