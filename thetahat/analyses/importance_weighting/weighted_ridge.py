"""Weighted ridge fits for every penalty from one decomposition."""

from __future__ import annotations

import numpy as np

from thetahat.values.types import FloatArray, IntArray


def compute_ridge_scores(  # noqa: PLR0913 - all that a fit and its predictions depend on
    X: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    penalties: FloatArray,
    train: IntArray,
    test: IntArray,
    *,
    intercept: bool = False,
) -> FloatArray:
    """Return (n_test, L) predictions for the test rows from fits to the training rows."""
    theta, intercepts = fit_weighted_ridge(
        X[train], y[train], weights[train], penalties, intercept=intercept
    )
    return np.asarray(X[test] @ theta + intercepts)


def fit_weighted_ridge(
    X: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    penalties: FloatArray,
    *,
    intercept: bool = False,
) -> tuple[FloatArray, FloatArray]:
    r"""Return (p, L) coefficients and (L,) intercepts of weighted ridge fits.

    .. math:: \theta_\lambda = (X^T W X + \lambda I)^{-1} X^T W y = V (S^2 + \lambda)^{-1} S U^T r

    with :math:`W^{1/2} X = U S V^T` and :math:`r = W^{1/2} y`. One decomposition gives the fits for
    all penalties, and the condition number is not squared. A QR decomposition first reduces the
    rows to a triangular matrix.

    Parameters
    ----------
    X, y, weights : ndarray of float
        (n, p) rows, (n,) targets and (n,) weights, at least 0 and not normalised.
    penalties : ndarray of float
        (L,) penalties, at least 0.
    intercept : bool
        Whether to fit an intercept, which is not penalised and needs a positive weight. Without it
        the intercepts are 0.

    Degenerate cases: if all weights are 0 the coefficients are 0; with penalty 0 and dependent
    columns it is the solution with the smallest norm.
    """
    n, p = X.shape
    x_mean, y_mean = np.zeros(p), 0.0
    if intercept:
        x_mean, y_mean = np.average(X, axis=0, weights=weights), float(y @ weights / weights.sum())
    rows = np.column_stack([X - x_mean, y - y_mean]) * np.sqrt(weights)[:, None]
    triangle: FloatArray = np.asarray(np.linalg.qr(rows, mode="r")) if n > p else rows
    U, s, Vt = np.linalg.svd(triangle[:, :p], full_matrices=False)
    # A smaller singular value is rounding error; dividing by it would blow up the coefficients.
    kept = s > np.finfo(np.float64).eps * max(n, p) * s.max(initial=0.0)
    along = s[kept] * (U[:, kept].T @ triangle[:, p])
    filtered = along[:, None] / (s[kept, None] ** 2 + penalties)
    theta = Vt[kept].T @ filtered
    return theta, y_mean - x_mean @ theta
