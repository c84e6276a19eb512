"""The rows of a penalised least squares problem, centred and weighted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thetahat.types import FloatArray, IntArray

LARGEST_AMPLIFICATION = 1e6
"""How much of a rounding error may be in a prediction, in the scale of the target.

A relative error of 2e-16 in the products, times the square root of a few hundred terms, times
this, stays below 1e-8.
"""


def weighted_mean(rows: FloatArray, w: FloatArray) -> FloatArray:
    """(p,) mean of (n, p) rows, or one number of (n,); by a product, which is the fastest."""
    return np.asarray(w @ rows / w.sum())


def is_rounding(centred: FloatArray, mean: FloatArray, w: FloatArray) -> np.ndarray:
    """(p,) whether a centred, weighted column is only what rounding leaves of a constant one."""
    rounding = np.finfo(np.float64).eps * len(w) * np.abs(mean) * np.sqrt(w.sum())
    return np.asarray(np.sqrt(np.einsum("ij,ij->j", centred, centred)) <= rounding)


@dataclass(frozen=True, slots=True, eq=False)
class Products:
    """Sums over rows: what a least squares problem needs of them.

    Parameters
    ----------
    xx, xy, yy : ndarray, ndarray, float
        (p, p), (p,) and one number: weighted sums of products.
    x, y : ndarray, float
        (p,) and one number: weighted sums.
    w : float
        The sum of the weights.
    """

    xx: FloatArray
    xy: FloatArray
    yy: float
    x: FloatArray
    y: float
    w: float

    def without(self, other: Products) -> Products:
        """Return the sums without those of some of the rows."""
        return Products(
            self.xx - other.xx,
            self.xy - other.xy,
            self.yy - other.yy,
            self.x - other.x,
            self.y - other.y,
            self.w - other.w,
        )

    def centred(self) -> Products:
        """Return the sums of products about the means of these very rows."""
        return Products(
            self.xx - np.outer(self.x, self.x / self.w),
            self.xy - self.x * (self.y / self.w),
            self.yy - self.y**2 / self.w,
            self.x,
            self.y,
            self.w,
        )


@dataclass(eq=False)
class Rows:
    """All rows of the data, about the mean of all where there is an intercept.

    Centring first is what keeps the digits: the products of columns far from 0 are all alike.

    Parameters
    ----------
    X, y : ndarray
        (n, p) and (n,), about ``x_mean`` and ``y_mean``.
    w : ndarray
        (n,) weights.
    x_mean, y_mean : ndarray, float
        Weighted means of all rows, or 0.
    intercept : bool
        Whether each fit has one.
    """

    X: FloatArray
    y: FloatArray
    w: FloatArray
    x_mean: FloatArray
    y_mean: float
    intercept: bool

    @cached_property
    def all(self) -> Products:
        """The sums over all rows."""
        return self.of(slice(None))

    @cached_property
    def is_weighted(self) -> bool:
        return bool((self.w != 1).any())

    def of(self, index: IntArray | slice) -> Products:
        """Return the sums over some rows."""
        X = self.X[index] if isinstance(index, slice) else np.take(self.X, index, axis=0)
        y, w = self.y[index], self.w[index]
        weighted = X * w[:, None] if self.is_weighted else X
        return Products(
            weighted.T @ X, weighted.T @ y, float(w @ y**2), w @ X, float(w @ y),
            float(w.sum()),
        )  # fmt: skip

    def of_training(self, train: IntArray, left_out: IntArray | None) -> Products:
        """Return the sums over a training part, by way of the fewer rows."""
        if left_out is None or len(left_out) > len(train):
            return self.of(train)
        return self.all.without(self.of(left_out))


def centred_rows(X: FloatArray, y: FloatArray, w: FloatArray, *, intercept: bool) -> Rows:
    """Return the rows about their weighted mean; a constant column is exactly 0 there."""
    if not intercept:
        return Rows(X, y, w, np.zeros(X.shape[1]), 0.0, intercept=False)
    x_mean, y_mean = weighted_mean(X, w), float(weighted_mean(y, w))
    centred = X - x_mean
    weighted = centred if (w == 1).all() else centred * np.sqrt(w)[:, None]
    constant = is_rounding(weighted, x_mean, w)
    if constant.any():
        centred[:, constant] = 0.0
    return Rows(centred, y - y_mean, w, x_mean, y_mean, intercept=True)


def rows_to_solve(
    X: FloatArray, y: np.ndarray, w: FloatArray, *, intercept: bool
) -> tuple[FloatArray, FloatArray, float]:
    """Return (n, p + 1) features and target of a training part, centred and weighted; the centre.

    A column that is constant in the part is exactly 0.
    """
    x_mean, y_mean = np.zeros(X.shape[1]), 0.0
    if intercept:
        x_mean, y_mean = np.average(X, axis=0, weights=w), float(np.average(y, weights=w))
    rows = np.column_stack([X - x_mean, y - y_mean]) * np.sqrt(w)[:, None]
    rows[:, :-1][:, is_rounding(rows[:, :-1], x_mean, w)] = 0.0
    return rows, x_mean, y_mean


def decomposed(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(k,) singular values of the features, (k, p) directions, and (k,) the target along them.

    ``rows`` is (n, p + 1), the target last. They are reduced to a triangle by reflections first.
    Directions that are rounding are left out: dividing by their length would turn noise into
    coefficients.
    """
    n, p = rows.shape[0], rows.shape[1] - 1
    triangle: FloatArray = np.asarray(np.linalg.qr(rows, mode="r")) if n > p else rows
    U, s, Vt = np.linalg.svd(triangle[:, :p], full_matrices=False)
    kept = s > np.finfo(np.float64).eps * max(n, p) * s.max(initial=0.0)
    return s[kept], Vt[kept], U[:, kept].T @ triangle[:, p]


def decomposed_along(rows: Rows, V: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """As ``decomposed`` says it of all rows, which are turned to near their directions first.

    There their products are nearly diagonal, whatever the lengths: in units of these they are
    factored without a loss of digits, and half the work of reflections does.

    Parameters
    ----------
    V : ndarray of float
        (p, p) eigenvectors of the products of the features, all of them well above rounding.
    """
    both = np.empty((len(rows.y), V.shape[1] + 1))
    np.matmul(rows.X, V, out=both[:, :-1])
    both[:, -1] = rows.y
    if rows.is_weighted:
        both *= np.sqrt(rows.w)[:, None]
    products = both.T @ both
    lengths = np.sqrt(np.diag(products))
    lengths[-1] = max(lengths[-1], np.finfo(np.float64).tiny)
    triangle = np.linalg.cholesky(products[:-1, :-1] / lengths[:-1] / lengths[:-1, None])
    target = np.linalg.solve(triangle, products[:-1, -1] / lengths[:-1])
    U, s, Vt = np.linalg.svd(triangle.T * lengths[:-1], full_matrices=False)
    return s, Vt @ V.T, U.T @ target
