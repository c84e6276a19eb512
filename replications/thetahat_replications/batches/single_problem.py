"""Risk curves over penalties of one data set, computed from its rows."""

from __future__ import annotations

import numpy as np

from thetahat.analyses.importance_weighting.weighted_ridge import fit_weighted_ridge
from thetahat.values.types import FloatArray
from thetahat_replications.batches.problems import Problems


def compute_curves_from_rows(
    problems: Problems, r: int, sums: FloatArray, penalties: FloatArray
) -> FloatArray:
    """Return the (C + 2, L) curves of data set r as ``compute_curves_by_moments`` has them.

    The condition number is not squared. ``sums`` are the (C, n) coefficients of its losses.
    """
    X, y, w, fold = problems.X[r], problems.y[r], problems.weights[r], problems.fold[r]
    at = r if len(problems.target) > 1 else 0
    target, target_y = problems.target[at], problems.target_y[at]
    losses = np.empty((len(y), len(penalties)))
    on_target = []
    for k in range(problems.n_folds):
        train, test = fold != k, fold == k
        theta, _ = fit_weighted_ridge(X[train], y[train], w[train], penalties)
        losses[test] = (X[test] @ theta - y[test, None]) ** 2
        on_target.append(_average_losses(target, target_y, theta))
    theta, _ = fit_weighted_ridge(X, y, w, penalties)
    of_whole = _average_losses(target, target_y, theta)
    return np.concatenate([sums @ losses, [np.mean(on_target, axis=0), of_whole]])


def _average_losses(X: FloatArray, y: FloatArray, theta: FloatArray) -> FloatArray:
    return np.asarray(((X @ theta - y[:, None]) ** 2).mean(axis=0))
