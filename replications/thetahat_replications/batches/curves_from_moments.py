"""Risk curves over penalties of many data sets, computed from the moments of their folds."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.values.types import FloatArray
from thetahat_replications.batches.problems import Problems
from thetahat_replications.batches.ridge_risks import fit_ridge, fold_moments

_MIN_RISK: Final = 1e-4
"""Share of the risk of predicting 0 below which the difference of moments has lost four digits."""


def compute_curves_by_moments(
    now: Problems, members: FloatArray, sums: FloatArray, penalties: FloatArray
) -> tuple[FloatArray, np.ndarray]:
    """Return (R, C + 2, L) curves, and (R,) whether they are numerically accurate.

    The first curves are the sums of losses with the (R, C, n) coefficients ``sums``. The mean
    losses of the folds' fits and of the fits on all rows on the target follow.
    """
    K, p = now.n_folds, now.X.shape[2]
    Z = np.concatenate([now.X, now.y[..., None]], axis=2)
    tested = fold_moments(Z, np.concatenate([now.weights[:, None], sums], axis=1), members)
    # the training parts: sums over all other folds (without subtraction), and over all folds
    parts = np.concatenate([1 - np.eye(K), np.ones((1, K))])
    fits = fit_ridge(np.einsum("fk,rkab->rfab", parts, tested[:, 0]), penalties)
    shape = (len(Z), *tested.shape[-2:])
    target = np.broadcast_to(_compute_target_moments(now), shape)[:, None, None]
    each = np.broadcast_to(target / K, (len(Z), 1, *tested.shape[2:]))
    tested = np.concatenate([tested, each], axis=1)
    of_whole = fits.part(slice(K, K + 1)).risks(target)
    curves = fits.part(slice(0, K)).risks(tested)
    positive = [0, -1]  # sums without negative coefficients
    zero_risk = tested[..., p, p].sum(axis=-1)[:, positive]
    is_accurate = (curves[:, positive].min(axis=-1) >= _MIN_RISK * zero_risk).all(axis=-1)
    return np.concatenate([curves[:, 1:], of_whole], axis=1), fits.is_accurate & is_accurate


def _compute_target_moments(now: Problems) -> FloatArray:
    """Return the (R, p + 1, p + 1) mean products of target rows and labels; (1, ...) if shared."""
    x, u = now.target, now.target_y
    p, m = x.shape[2], u.shape[1]
    out = np.empty((len(x), p + 1, p + 1))
    out[:, :p, :p] = x.swapaxes(1, 2) @ x
    out[:, :p, p] = out[:, p, :p] = (u[:, None] @ x)[:, 0]
    out[:, p, p] = (u[:, None] @ u[..., None])[:, 0, 0]
    return np.asarray(out / m)
