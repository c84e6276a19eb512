r"""Risks of ridge fits for every penalty, computed from moments alone.

With training products :math:`A = V D V^T` and moments :math:`b`, the fit for a penalty is
:math:`\theta = V c` with :math:`c = V^T b / (d + \lambda)`, and a weighted sum of squared losses
is

.. math:: \sum_i a_i (x_i^T \theta - y_i)^2 = c^T V^T N V c - 2 c^T V^T n_y + n_{yy}

with N, n_y and n_yy the moments of x and y with weights a. For all penalties together this is one
matrix product of the coefficients with the products of the entries of c.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.values.types import FloatArray

MAX_AMPLIFICATION: Final = 1e5
"""The limit of the largest eigenvalue over the smallest plus the penalty: the amplification of
rounding errors of the products."""


@dataclass(frozen=True, slots=True, eq=False)
class RidgeFits:
    """Ridge fits of F training parts of each of R data sets."""

    axes: FloatArray
    """(R, F, p, p) V, in columns."""
    along: FloatArray
    """(R, F, p, L) c."""
    shift: FloatArray | None
    """(R, F, p + 1) means of x and y in the training part, with an intercept."""
    is_accurate: np.ndarray
    """(R,) whether no part amplifies rounding errors too much."""

    def part(self, which: slice) -> RidgeFits:
        """Return a slice of the training parts."""
        shift = None if self.shift is None else self.shift[:, which]
        return RidgeFits(self.axes[:, which], self.along[:, which], shift, self.is_accurate)

    def products(self) -> FloatArray:
        """Return the (R, F (p (p + 1) / 2 + p), L) products and entries of c, part by part."""
        count, parts, p, n_penalties = self.along.shape
        pairs = np.triu_indices(p)
        out = np.empty((count, parts, len(pairs[0]) + p, n_penalties))
        for at, (a, b) in enumerate(zip(*pairs, strict=True)):
            np.multiply(self.along[:, :, a], self.along[:, :, b], out=out[:, :, at])
        out[:, :, len(pairs[0]) :] = self.along
        return out.reshape(count, -1, n_penalties)

    def risks(self, moments: FloatArray, products: FloatArray) -> FloatArray:
        """Return the (R, C, L) sums of losses over the parts, from their (R, C, F, q, q) moments.

        q is p + 1 (x and y), and p + 2 with an intercept (x, y and 1).
        """
        count, n_sums = moments.shape[:2]
        p = self.along.shape[2]
        if self.shift is not None:
            moments = subtract_shifts(moments, self.shift[:, None])
        axes = self.axes[:, None]
        turned = axes.swapaxes(-1, -2) @ moments[..., :p, : p + 1]  # (R, C, F, p, p + 1)
        square = turned[..., :p] @ axes
        a, b = np.triu_indices(p)
        factors = np.concatenate(
            [square[..., a, b] * np.where(a == b, 1.0, 2.0), -2 * turned[..., p]], axis=-1
        )
        of_y = moments[..., p, p].sum(axis=-1)
        return np.asarray(factors.reshape(count, n_sums, -1) @ products + of_y[..., None])


def fit_ridge(moments: FloatArray, penalties: FloatArray, *, intercept: bool) -> RidgeFits:
    """Return the fits of all parts from their (R, F, q, q) weighted moments of x, y and maybe 1."""
    q = moments.shape[-1]
    p = q - 2 if intercept else q - 1
    shift = None
    bad: np.ndarray = np.zeros(len(moments), dtype=np.bool_)
    if intercept:
        total = moments[..., -1, -1]
        bad = np.asarray((total <= 0).any(axis=1))
        shift = moments[..., :-1, -1] / np.where(total > 0, total, 1)[..., None]
        moments = moments[..., :-1, :-1] - total[..., None, None] * compute_outer_products(
            shift, shift
        )
    d, V = np.linalg.eigh(moments[..., :p, :p])
    along = (V.swapaxes(-1, -2) @ moments[..., :p, p:])[..., 0]
    divisor = d[..., None] + penalties
    least = divisor.min(axis=(-1, -2))
    bad |= ~(d[..., -1] <= MAX_AMPLIFICATION * least).all(axis=1)
    np.divide(along[..., None], divisor, out=divisor, where=divisor != 0)
    return RidgeFits(V, divisor, shift, ~bad)


def subtract_shifts(moments: FloatArray, by: FloatArray) -> FloatArray:
    """Return the (..., q - 1, q - 1) moments of x and y minus (..., q - 1) shifts."""
    first = moments[..., :-1, -1]
    cross = compute_outer_products(by, first)
    return np.asarray(
        moments[..., :-1, :-1]
        - cross
        - cross.swapaxes(-1, -2)
        + moments[..., -1, -1][..., None, None] * compute_outer_products(by, by)
    )


def compute_outer_products(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the (..., q, q) products of the entries of (..., q) rows."""
    return np.asarray(a[..., :, None] * b[..., None, :])


def fold_moments(Z: FloatArray, weights: FloatArray, members: FloatArray) -> FloatArray:
    """Return the (R, C, K, q, q) moments of (R, n, q) columns with (R, C, n) weights, by fold."""
    count, n, q = Z.shape
    a, b = np.triu_indices(q)
    masked = (weights[:, :, None] * members[:, None]).reshape(count, -1, n)
    flat = masked @ (Z[..., a] * Z[..., b])
    place = np.empty((q, q), dtype=np.intp)
    place[a, b] = place[b, a] = np.arange(len(a))
    return np.asarray(flat.reshape(count, weights.shape[1], -1, len(a))[..., place])
