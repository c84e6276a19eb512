"""The curves of many data sets from the moments of their folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from replications.batches.curves import fold_moments, outer, ridge_fits
from replications.batches.problems import Problems
from thetahat.values.types import FloatArray

_LEAST_RISK: Final = 1e-4
"""Of the risk of predicting 0, under which the moments' difference has lost four digits."""


def curves_by_moments(  # noqa: PLR0913 - what each data set has, and what all share
    now: Problems,
    on_target: TargetMoments | None,
    members: FloatArray,
    sums: FloatArray,
    penalties: FloatArray,
    *,
    intercept: bool,
) -> tuple[FloatArray, np.ndarray]:
    """Return (R, C, L) curves, and (R,) whether their digits are good.

    First come the sums of losses with the (R, C, n) coefficients ``sums``, then, where there are
    target rows, the mean loss there of the folds' fits and of the fits on all rows.
    """
    K, p = now.n_folds, now.X.shape[2]
    centre = _centre(now) if intercept else None
    Z = _columns(now.X, now.y, centre)
    tested = fold_moments(Z, np.concatenate([now.weights[:, None], sums], axis=1), members)
    # what is learnt from: all other folds, added and not subtracted, and all folds
    parts = np.concatenate([1 - np.eye(K), np.ones((1, K))])
    learnt = np.einsum("fk,rkab->rfab", parts, tested[:, 0])
    fits = ridge_fits(learnt, penalties, intercept=intercept)
    of_all = np.empty((len(Z), 0, len(penalties)))
    if on_target is not None:
        shape = (len(Z), *tested.shape[-2:])
        there = np.broadcast_to(on_target.about(centre), shape)[:, None, None]
        each = np.broadcast_to(there / K, (len(Z), 1, *tested.shape[2:]))
        tested = np.concatenate([tested, each], axis=1)
        last = fits.part(slice(K, K + 1))
        of_all = last.risks(there, last.products())
    folds = fits.part(slice(0, K))
    found = folds.risks(tested, folds.products())
    plain_sums = [0] if on_target is None else [0, -1]  # of no coefficient below 0
    nothing = tested[..., p, p].sum(axis=-1)[:, plain_sums]
    digits = (found[:, plain_sums].min(axis=-1) >= _LEAST_RISK * nothing).all(axis=-1)
    return np.concatenate([found[:, 1:], of_all], axis=1), fits.fit & digits


def _centre(now: Problems) -> FloatArray:
    """(R, p + 1) weighted means of x and y; moments about them lose fewer digits."""
    total = now.weights.sum(axis=1)
    shares = now.weights / np.where(total > 0, total, 1)[:, None]
    return np.concatenate(
        [(shares[:, None] @ now.X)[:, 0], (shares * now.y).sum(axis=1)[:, None]], axis=1
    )


def _columns(X: FloatArray, y: FloatArray, centre: FloatArray | None) -> FloatArray:
    """(R, n, q) columns x, y and, with a centre, 1."""
    Z = np.concatenate([X, y[..., None]], axis=2)
    if centre is None:
        return Z
    return np.concatenate([Z - centre[:, None], np.ones((*y.shape, 1))], axis=2)


@dataclass(frozen=True, slots=True, eq=False)
class TargetMoments:
    """Moments of target rows and their labels: (R, ...), or (1, ...) where all share them.

    Parameters
    ----------
    mean : ndarray of float
        (R, p + 1) of x and y; 0 where there is no intercept.
    products : ndarray of float
        (R, p + 1, p + 1) mean products, about the mean where there is an intercept.
    """

    mean: FloatArray
    products: FloatArray

    def about(self, centre: FloatArray | None) -> FloatArray:
        """(R, q, q) mean products of x, y and, with a centre, 1; x and y are taken about it."""
        if centre is None:
            return self.products
        apart = self.mean - centre
        q = centre.shape[1] + 1
        out = np.ones((len(apart), q, q))
        out[:, :-1, :-1] = self.products + outer(apart, apart)
        out[:, :-1, -1] = out[:, -1, :-1] = apart
        return out


def target_moments(now: Problems, *, intercept: bool) -> TargetMoments | None:
    """Take the moments of the target rows, where there are any."""
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
