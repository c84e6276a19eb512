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
    is_accurate: np.ndarray
    """(R,) whether no part amplifies rounding errors too much."""

    def risks(self, moments: FloatArray) -> FloatArray:
        """Return the (R, C, L) sums of losses over the parts, from their (R, C, F, q, q) moments.

        q is p + 1: x and y.
        """
        count, n_sums = moments.shape[:2]
        p = self.along.shape[2]
        axes = self.axes[:, None]
        turned = axes.swapaxes(-1, -2) @ moments[..., :p, : p + 1]  # (R, C, F, p, p + 1)
        square = turned[..., :p] @ axes
        a, b = np.triu_indices(p)
        factors = np.concatenate(
            [square[..., a, b] * np.where(a == b, 1.0, 2.0), -2 * turned[..., p]], axis=-1
        )
        of_y = moments[..., p, p].sum(axis=-1)
        return np.asarray(
            factors.reshape(count, n_sums, -1) @ self._multiply_entries() + of_y[..., None]
        )

    def _multiply_entries(self) -> FloatArray:
        """Return the (R, F (p (p + 1) / 2 + p), L) products and entries of c, part by part."""
        count, parts, p, n_penalties = self.along.shape
        pairs = np.triu_indices(p)
        out = np.empty((count, parts, len(pairs[0]) + p, n_penalties))
        for at, (a, b) in enumerate(zip(*pairs, strict=True)):
            np.multiply(self.along[:, :, a], self.along[:, :, b], out=out[:, :, at])
        out[:, :, len(pairs[0]) :] = self.along
        return out.reshape(count, -1, n_penalties)

    def part(self, which: slice) -> RidgeFits:
        """Return a slice of the training parts."""
        return RidgeFits(self.axes[:, which], self.along[:, which], self.is_accurate)


def fit_ridge(moments: FloatArray, penalties: FloatArray) -> RidgeFits:
    """Return the fits of all parts from their (R, F, q, q) weighted moments of x and y."""
    p = moments.shape[-1] - 1
    d, V = np.linalg.eigh(moments[..., :p, :p])
    along = (V.swapaxes(-1, -2) @ moments[..., :p, p:])[..., 0]
    divisor = d[..., None] + penalties
    least = divisor.min(axis=(-1, -2))
    is_accurate = (d[..., -1] <= MAX_AMPLIFICATION * least).all(axis=1)
    np.divide(along[..., None], divisor, out=divisor, where=divisor != 0)
    return RidgeFits(V, divisor, np.asarray(is_accurate))


def fold_moments(Z: FloatArray, weights: FloatArray, members: FloatArray) -> FloatArray:
    """Return the (R, C, K, q, q) moments of (R, n, q) columns with (R, C, n) weights, by fold."""
    count, n, q = Z.shape
    a, b = np.triu_indices(q)
    masked = (weights[:, :, None] * members[:, None]).reshape(count, -1, n)
    flat = masked @ (Z[..., a] * Z[..., b])
    place = np.empty((q, q), dtype=np.intp)
    place[a, b] = place[b, a] = np.arange(len(a))
    return np.asarray(flat.reshape(count, weights.shape[1], -1, len(a))[..., place])
