"""Centred and weighted rows of a penalised least squares problem."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thetahat.learners.base import Part
from thetahat.tables.features import Columns
from thetahat.values.batch_sizes import NUMBERS_IN_256_KB
from thetahat.values.types import FloatArray, IntArray


def weighted_mean(rows: FloatArray, w: FloatArray) -> FloatArray:
    """Return the (p,) weighted mean of (n, p) rows, or the weighted mean of (n,) values."""
    return np.asarray(w @ rows / w.sum())


def is_rounding(centred: FloatArray, mean: FloatArray, w: FloatArray) -> np.ndarray:
    """Return (p,) whether a centred column is constant up to rounding."""
    lengths = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    return np.asarray(lengths <= bound_rounding(mean, w))


def bound_rounding(mean: FloatArray, w: FloatArray) -> FloatArray:
    """Return the (p,) length that a centred constant column has due to rounding."""
    return np.asarray(np.finfo(np.float64).eps * len(w) * np.abs(mean) * np.sqrt(w.sum()))


@dataclass(frozen=True, slots=True, eq=False)
class Products:
    """The sums of products of rows that a least squares problem needs."""

    sums: FloatArray
    """(p + 2, p + 2) weighted sums of the products of features, one and target, in this order."""

    @property
    def xx(self) -> FloatArray:
        """(p, p) products of the features."""
        return self.sums[:-2, :-2]

    @property
    def xy(self) -> FloatArray:
        """(p,) products of the features with the target."""
        return self.sums[-1, :-2]

    @property
    def yy(self) -> float:
        """Sum of squares of the target."""
        return float(self.sums[-1, -1])

    @property
    def x(self) -> FloatArray:
        """(p,) sums of the features."""
        return self.sums[-2, :-2]

    @property
    def y(self) -> float:
        """The sum of the target."""
        return float(self.sums[-2, -1])

    @property
    def w(self) -> float:
        """The sum of the weights."""
        return float(self.sums[-2, -2])

    def centred(self) -> Products:
        """Return the sums of products centred on the means of these rows."""
        of_one = self.sums[-2]
        return Products(self.sums - np.outer(of_one, of_one / self.w))


@dataclass(eq=False)
class RidgeRows:
    """All rows of the data, centred on their mean if there is an intercept.

    Centring first keeps the digits: the products of columns far from 0 are nearly equal.
    """

    both: FloatArray
    """(p + 2, n) the features about their means, one, and the target about ``y_mean``."""
    w: FloatArray
    """(n,) weights."""
    y_mean: float
    """Weighted mean of the target over all rows, or 0."""
    intercept: bool
    """Whether each fit has one."""

    @property
    def n_features(self) -> int:
        """Number of columns of X."""
        return len(self.both) - 2

    @property
    def X(self) -> FloatArray:  # noqa: N802 - as the field calls it
        """(p, n) features."""
        return self.both[:-2]

    @property
    def y(self) -> FloatArray:
        """(n,) target."""
        of_target: FloatArray = self.both[-1]
        return of_target

    @cached_property
    def all(self) -> Products:
        """The sums over all rows."""
        return self._of(self.both, self.w)

    @cached_property
    def is_weighted(self) -> bool:
        """Whether any row weight differs from 1."""
        return bool((self.w != 1).any())

    def take_columns(self, index: IntArray) -> FloatArray:
        """Return the (p + 2, n_index) columns of ``both`` with these indices."""
        return np.asarray(np.take(self.both, index, axis=1))

    def of(self, index: IntArray) -> Products:
        """Return the sums over the rows with these indices."""
        return self._of(self.take_columns(index), self.w[index])

    def sum_training_part(self, part: Part, tested: FloatArray) -> Products:
        """Return the sums over a training part, computed from the smaller of its two sides.

        ``tested`` are the columns of the test part.
        """
        left_out = part.left_out
        if left_out is None or len(left_out) > part.n_train:
            return self.of(part.train)
        both = tested if part.is_complement else self.take_columns(left_out)
        return Products(self.all.sums - self._of(both, self.w[left_out]).sums)

    def _of(self, both: FloatArray, w: FloatArray) -> Products:
        weighted = both * w if self.is_weighted else both
        return Products(np.asarray(weighted @ both.T))


def centred_rows(columns: Columns, y: FloatArray, w: FloatArray, *, intercept: bool) -> RidgeRows:
    """Return the rows minus their weighted mean; a constant column becomes exactly 0.

    ``columns`` are (p,) arrays of (n,); the transpose of a matrix will do.
    """
    p, n = len(columns), len(y)
    both = np.empty((p + 2, n))
    y_mean, total = 0.0, w.sum()
    step = max(1, NUMBERS_IN_256_KB // n)
    is_weighted = bool((w != 1).any())
    for first in range(0, p, step):
        X = both[first : min(first + step, p)]
        X[:] = columns[first : first + step]
        if intercept:
            mean = X @ w / total
            X -= mean[:, None]
            squares = np.square(X) @ w if is_weighted else np.vecdot(X, X)
            constant = np.sqrt(squares) <= bound_rounding(mean, w)
            if constant.any():
                X[constant] = 0.0
    both[-2] = 1.0
    if intercept:
        y_mean = float(weighted_mean(y, w))
    np.subtract(y, y_mean, out=both[-1])
    return RidgeRows(both, w, y_mean, intercept)


def rows_to_solve(
    X: FloatArray, y: np.ndarray, w: FloatArray, *, intercept: bool
) -> tuple[FloatArray, FloatArray, float]:
    """Return (n, p + 1) centred, weighted features and target of a training part, and the centre.

    A column that is constant in the part is exactly 0.
    """
    x_mean, y_mean = np.zeros(X.shape[1]), 0.0
    if intercept:
        x_mean, y_mean = np.average(X, axis=0, weights=w), float(np.average(y, weights=w))
    rows = np.column_stack([X - x_mean, y - y_mean])
    if intercept and len(X) <= X.shape[1]:
        # Centred rows lie in n - 1 directions. What rounding of a mean far from 0 leaves in the
        # last one is a direction as well, along which a part of the target would be fitted.
        rows -= np.average(rows, axis=0, weights=w)
    rows *= np.sqrt(w)[:, None]
    rows[:, :-1][:, is_rounding(rows[:, :-1], x_mean, w)] = 0.0
    return rows, x_mean, y_mean


def decomposed(rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (k,) singular values, (k, p) directions and the (k,) target along them.

    ``rows`` is (n, p + 1), the target last. They are reduced to a triangle by reflections first.
    Directions that are rounding are left out: dividing by their length would turn noise into
    coefficients.
    """
    n, p = rows.shape[0], rows.shape[1] - 1
    triangle: FloatArray = np.asarray(np.linalg.qr(rows, mode="r")) if n > p else rows
    U, s, Vt = np.linalg.svd(triangle[:, :p], full_matrices=False)
    kept = s > np.finfo(np.float64).eps * max(n, p) * s.max(initial=0.0)
    return s[kept], Vt[kept], U[:, kept].T @ triangle[:, p]
