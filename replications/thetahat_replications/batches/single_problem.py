"""Risk curves over penalties of one data set, computed from its rows."""

from __future__ import annotations

import numpy as np

from thetahat.analyses.importance_weighting.weighted_ridge import fit_weighted_ridge
from thetahat.values.types import FloatArray
from thetahat_replications.batches.problems import Problems


def compute_curves_from_rows(
    problems: Problems, r: int, sums: FloatArray, penalties: FloatArray, *, intercept: bool
) -> FloatArray:
    """Return the (C, L) curves of data set r as ``compute_curves_by_moments``, without moments.

    The condition number is thus not squared. ``sums`` are the (C, n) coefficients of its losses.
    """
    X, y, w = problems.X[r], problems.y[r], problems.weights[r]
    fold = problems.fold if problems.fold.ndim == 1 else problems.fold[r]
    losses = np.empty((len(y), len(penalties)))
    on_target = []
    for k in range(problems.n_folds):
        train, test = fold != k, fold == k
        fit = _fit(X[train], y[train], w[train], penalties, intercept=intercept)
        losses[test] = _compute_losses(X[test], y[test], fit)
        on_target.append(_average_target_losses(problems, r, fit))
    curves = [sums @ losses]
    if problems.target is not None:
        last = _fit(X, y, w, penalties, intercept=intercept)
        curves += [
            np.mean(on_target, axis=0)[None],
            _average_target_losses(problems, r, last)[None],
        ]
    return np.concatenate(curves)


def _fit(
    X: FloatArray, y: FloatArray, w: FloatArray, penalties: FloatArray, *, intercept: bool
) -> tuple[FloatArray, FloatArray]:
    if not w.any():
        return np.zeros((X.shape[1], len(penalties))), np.zeros(len(penalties))
    return fit_weighted_ridge(X, y, w, penalties, intercept=intercept)


def _compute_losses(X: FloatArray, y: FloatArray, fit: tuple[FloatArray, FloatArray]) -> FloatArray:
    theta, level = fit
    return np.asarray((X @ theta + level - y[:, None]) ** 2)


def _average_target_losses(
    problems: Problems, r: int, fit: tuple[FloatArray, FloatArray]
) -> FloatArray:
    """Return the (L,) mean losses on the target; empty without a target."""
    target = problems.get_target_rows(r)
    return np.empty(0) if target is None else np.asarray(_compute_losses(*target, fit).mean(axis=0))
