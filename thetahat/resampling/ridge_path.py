"""Ridge regression for many penalties at once, over the splits of a scheme."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from thetahat.learners._ridge_rows import LARGEST_AMPLIFICATION, Rows, centred_rows
from thetahat.learners.base import Part
from thetahat.types import FloatArray


class RidgePath:
    r"""Predictions of every split for every penalty, from one decomposition per split.

    .. math:: \beta(\lambda) = V (D + \lambda I)^{-1} V^T b

    with :math:`V D V^T` the products of the training rows about their mean: those of all rows,
    less those of the rows left out. Where that could cost the eighth digit for the smallest
    penalty, and where there are as many features as rows, the training rows themselves are
    decomposed, which squares no condition number.

    Parameters
    ----------
    X, y : ndarray of float
        (n, p) and (n,).
    weights : ndarray of float or None
        (n,) not negative, not all 0.
    penalties : ndarray of float
        (L,) at least 0.
    intercept : bool
        Whether there is one; it is not penalised.

    Degenerate cases: with penalty 0 and dependent columns the solution of least norm is taken.
    """

    def __init__(
        self,
        X: FloatArray,
        y: FloatArray,
        weights: FloatArray | None,
        penalties: FloatArray,
        *,
        intercept: bool = True,
    ) -> None:
        w = np.ones(len(y)) if weights is None else weights
        self.rows: Rows = centred_rows(X, y, w, intercept=intercept)
        self.penalties = np.asarray(penalties, dtype=np.float64)

    def predict(self, part: Part) -> FloatArray:
        """(n_test, L) predictions of the test part, by the fits on the training part.

        The training part has weight.
        """
        rows, train = self.rows, part.train
        if rows.X.shape[1] >= len(train):
            return self._from_rows(part)
        sums = rows.of_training(train, part.left_out)
        products = sums.centred() if rows.intercept else sums
        d, V = np.linalg.eigh(products.xx)
        if not self._keeps_digits(float(d[0])):
            return self._from_rows(part)
        x_mean, y_mean = sums.x / sums.w, sums.y / sums.w
        if not rows.intercept:
            x_mean, y_mean = np.zeros_like(x_mean), 0.0
        along = (V.T @ products.xy)[:, None] / (d[:, None] + self.penalties)
        return np.asarray((rows.X[part.test] - x_mean) @ V @ along + (rows.y_mean + y_mean))

    def each_left_out(self) -> FloatArray:
        r"""(n, L) prediction of each row by the fits on all others, from one decomposition.

        With leverages h for each penalty it is :math:`y_i - (y_i - \hat y_i) / (1 - h_i)`; a row
        for which the difference from 1 is small is predicted as by ``predict``.
        """
        rows, n = self.rows, len(self.rows.y)
        root = np.sqrt(rows.w)[:, None]
        U, s, _ = _decomposed(rows.X * root)
        shrunk = s[:, None] ** 2 / (s[:, None] ** 2 + self.penalties)
        leverages = U**2 @ shrunk
        if rows.intercept:
            leverages += (rows.w / rows.all.w)[:, None]
        fitted = U @ (shrunk * (U.T @ (root[:, 0] * rows.y))[:, None])
        with np.errstate(all="ignore"):  # rows without weight are predicted below
            residual = (root * rows.y[:, None] - fitted) / (root * (1 - leverages))
        said = np.asarray(rows.y_mean + rows.y[:, None] - residual)
        unfit = (1 - leverages).min(axis=1) < 1 / LARGEST_AMPLIFICATION
        every = np.arange(n)
        for row in np.flatnonzero(unfit | (rows.w < rows.w.max() / LARGEST_AMPLIFICATION)):
            alone = every[row : row + 1]
            said[row] = self.predict(Part(np.delete(every, row), alone, alone))[0]
        return said

    def _keeps_digits(self, smallest: float) -> bool:
        """Whether rounding in the products of all rows stays small in those that are left."""
        least = smallest + float(self.penalties.min())
        return bool(self._largest <= LARGEST_AMPLIFICATION * least)

    @cached_property
    def _largest(self) -> float:
        """The largest eigenvalue of the products of all rows."""
        return float(np.linalg.eigvalsh(self.rows.all.xx)[-1])

    def _from_rows(self, part: Part) -> FloatArray:
        rows, w = self.rows, self.rows.w[part.train]
        X, y = rows.X[part.train], rows.y[part.train]
        x_mean, y_mean = np.zeros(X.shape[1]), 0.0
        if rows.intercept:
            x_mean, y_mean = np.average(X, axis=0, weights=w), float(np.average(y, weights=w))
        root = np.sqrt(w)
        U, s, Vt = _decomposed((X - x_mean) * root[:, None])
        along = (U.T @ (root * (y - y_mean)))[:, None] * s[:, None]
        along = along / (s[:, None] ** 2 + self.penalties)
        return np.asarray((rows.X[part.test] - x_mean) @ Vt.T @ along + (rows.y_mean + y_mean))


def _decomposed(matrix: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the singular value decomposition, without the directions that are rounding."""
    U, s, Vt = np.linalg.svd(matrix, full_matrices=False)
    kept = s > np.finfo(np.float64).eps * max(matrix.shape) * s.max(initial=0.0)
    return U[:, kept], s[kept], Vt[kept]
