"""Risk curves over penalties of many data sets, computed from the moments of their folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.values.types import FloatArray
from thetahat_replications.batches.problems import Problems
from thetahat_replications.batches.ridge_risks import (
    compute_outer_products,
    fit_ridge,
    fold_moments,
)

_MIN_RISK: Final = 1e-4
"""Share of the risk of predicting 0 below which the difference of moments has lost four digits."""


def compute_curves_by_moments(  # noqa: PLR0913 - the data sets, and what they share
    now: Problems,
    on_target: TargetMoments | None,
    members: FloatArray,
    sums: FloatArray,
    penalties: FloatArray,
    *,
    intercept: bool,
) -> tuple[FloatArray, np.ndarray]:
    """Return (R, C, L) curves, and (R,) whether they are numerically accurate.

    The first curves are the sums of losses with the (R, C, n) coefficients ``sums``. If there are
    target rows, the mean losses there of the folds' fits and of the fits on all rows follow.
    """
    K, p = now.n_folds, now.X.shape[2]
    centre = _compute_centres(now) if intercept else None
    Z = _stack_columns(now.X, now.y, centre)
    tested = fold_moments(Z, np.concatenate([now.weights[:, None], sums], axis=1), members)
    # the training parts: sums over all other folds (without subtraction), and over all folds
    parts = np.concatenate([1 - np.eye(K), np.ones((1, K))])
    learnt = np.einsum("fk,rkab->rfab", parts, tested[:, 0])
    fits = fit_ridge(learnt, penalties, intercept=intercept)
    whole_curves = np.empty((len(Z), 0, len(penalties)))
    if on_target is not None:
        shape = (len(Z), *tested.shape[-2:])
        target = np.broadcast_to(on_target.about(centre), shape)[:, None, None]
        each = np.broadcast_to(target / K, (len(Z), 1, *tested.shape[2:]))
        tested = np.concatenate([tested, each], axis=1)
        last = fits.part(slice(K, K + 1))
        whole_curves = last.risks(target, last.products())
    folds = fits.part(slice(0, K))
    curves = folds.risks(tested, folds.products())
    positive = [0] if on_target is None else [0, -1]  # sums without negative coefficients
    zero_risk = tested[..., p, p].sum(axis=-1)[:, positive]
    is_accurate = (curves[:, positive].min(axis=-1) >= _MIN_RISK * zero_risk).all(axis=-1)
    return np.concatenate([curves[:, 1:], whole_curves], axis=1), fits.is_accurate & is_accurate


def _compute_centres(now: Problems) -> FloatArray:
    """Return the (R, p + 1) weighted means of x and y; moments about them lose fewer digits."""
    total = now.weights.sum(axis=1)
    shares = now.weights / np.where(total > 0, total, 1)[:, None]
    return np.concatenate(
        [(shares[:, None] @ now.X)[:, 0], (shares * now.y).sum(axis=1)[:, None]], axis=1
    )


def _stack_columns(X: FloatArray, y: FloatArray, centre: FloatArray | None) -> FloatArray:
    """Return the (R, n, q) columns x, y and, with a centre, 1."""
    Z = np.concatenate([X, y[..., None]], axis=2)
    if centre is None:
        return Z
    return np.concatenate([Z - centre[:, None], np.ones((*y.shape, 1))], axis=2)


@dataclass(frozen=True, slots=True, eq=False)
class TargetMoments:
    """Moments of target rows and labels: (R, ...), or (1, ...) if all data sets share them."""

    mean: FloatArray
    """(R, p + 1) of x and y; 0 without intercept."""
    products: FloatArray
    """(R, p + 1, p + 1) mean products, about the mean with an intercept."""

    def about(self, centre: FloatArray | None) -> FloatArray:
        """Return the (R, q, q) mean products of x, y and, with a centre, 1; x and y about it."""
        if centre is None:
            return self.products
        distance = self.mean - centre
        q = centre.shape[1] + 1
        out = np.ones((len(distance), q, q))
        out[:, :-1, :-1] = self.products + compute_outer_products(distance, distance)
        out[:, :-1, -1] = out[:, -1, :-1] = distance
        return out


def compute_target_moments(now: Problems, *, intercept: bool) -> TargetMoments | None:
    """Return the moments of the target rows; None if there are none."""
    if now.target is None or now.target_y is None:
        return None
    x, u = now.target, now.target_y
    p, m = x.shape[2], u.shape[1]
    mean = np.zeros((len(x), p + 1))
    if intercept:
        mean = np.concatenate([x.mean(axis=1), u.mean(axis=1)[:, None]], axis=1)
        x, u = x - mean[:, None, :p], u - mean[:, p:]
    out = np.empty((len(x), p + 1, p + 1))
    out[:, :p, :p] = x.swapaxes(1, 2) @ x
    out[:, :p, p] = out[:, p, :p] = (u[:, None] @ x)[:, 0]
    out[:, p, p] = (u[:, None] @ u[..., None])[:, 0, 0]
    return TargetMoments(mean, out / m)
