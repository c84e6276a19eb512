"""Ridge regression for many penalties at once, over the splits of a scheme."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np

from thetahat.learners._ridge_rows import (
    LARGEST_AMPLIFICATION,
    Products,
    Rows,
    centred_rows,
    decomposed,
    decomposed_along,
    rows_to_solve,
)
from thetahat.learners.base import Part
from thetahat.losses.base import Predictions
from thetahat.types import FloatArray, IntArray

_PRODUCTS_WILL_DO: Final = 1e3
"""The condition of products up to which rows are left out of them one by one."""
_TURNED_WILL_DO: Final = 1e10
"""The condition of products up to which rows turned to their directions need no reflections."""


class RidgePath:
    r"""Predictions of every split for every penalty, from one decomposition per split.

    .. math:: \beta(\lambda) = V (D + \lambda I)^{-1} V^T b

    with :math:`V D V^T` the products of the training rows about their mean: those of all rows,
    less those of the rows left out. Where that could cost the eighth digit for the smallest
    penalty, and where there are as many features as rows, the training rows themselves are
    decomposed, as a fit does it, which squares no condition number.

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
        self.X, self.y = X, y
        self.rows: Rows = centred_rows(X, y, w, intercept=intercept)
        self.penalties = np.asarray(penalties, dtype=np.float64)

    def predict(self, part: Part) -> FloatArray:
        """(n_test, L) predictions of the test part, by the fits on the training part.

        The training part has weight.
        """
        return self.by_penalty(part).T

    def each_left_out(self) -> FloatArray:
        """(n, L) prediction of each row by the fits on all others, from one decomposition.

        A row that the closed form is not good for is predicted as by ``predict``.
        """
        every = np.arange(len(self.rows.y))
        said, fits = self.left_out_by_penalty(every)
        for row in np.flatnonzero(~fits.all(axis=0)):
            alone = every[row : row + 1]
            said[:, row] = self.by_penalty(Part(np.delete(every, row), alone, alone))[:, 0]
        return said.T

    def by_penalty(self, part: Part) -> FloatArray:
        """(L, n_test) as ``predict``."""
        rows, train = self.rows, part.train
        if rows.X.shape[1] >= len(train):
            return self._from_rows(part)
        sums = rows.of_training(train, part.left_out)
        products = sums.centred() if rows.intercept else sums
        d, V = np.linalg.eigh(products.xx)
        if not self._keeps_digits(float(d[0]), products):
            return self._from_rows(part)
        x_mean, y_mean = sums.x / sums.w, sums.y / sums.w
        if not rows.intercept:
            x_mean, y_mean = np.zeros_like(x_mean), 0.0
        solutions = (V.T @ products.xy) / (d + self.penalties[:, None]) @ V.T
        test = np.take(rows.X, part.test, axis=0)
        level = rows.y_mean + y_mean - solutions @ x_mean
        return np.asarray(solutions @ test.T + level[:, None])

    def left_out_by_penalty(self, some: IntArray) -> tuple[FloatArray, np.ndarray]:
        r"""(L, n_some) prediction of each row by the fits on all others, and whether it is good.

        With leverages h for each penalty it is :math:`y_i - (y_i - \hat y_i) / (1 - h_i)`; it is
        good where the difference from 1 is not small.
        """
        rows, (V, of_target, of_leverage, least) = self.rows, self._closed_form
        X, y, w = rows.X[some], rows.y[some], rows.w[some]
        Z = np.empty((V.shape[1] + 1, len(some)))
        np.matmul(V.T, X.T, out=Z[:-1])
        Z[-1] = -y
        said = of_target @ Z
        np.square(Z[:-1], out=Z[:-1])
        Z[:-1] *= -w
        Z[-1] = 1 - w / rows.all.w if rows.intercept else 1.0
        stays = of_leverage @ Z
        with np.errstate(all="ignore"):  # where nothing stays the row is predicted by itself
            said /= stays
        said += rows.y_mean + y
        fits = stays.min(axis=1, keepdims=True) >= least
        return said, np.broadcast_to(fits, said.shape) if fits.all() else stays >= least

    @cached_property
    def _closed_form(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return what the closed form multiplies each row with.

        Returns
        -------
        directions : ndarray
            (p, k).
        of_target, of_leverage : ndarray
            (L, k + 1) what is multiplied with the row in these directions and its target, and
            with their squares and what the mean takes.
        least : ndarray
            (L, 1) what must stay of a row.
        """
        d, V, along, amplification = self._all
        ones = np.ones((len(along), 1))
        inverse = 1 / (d + self.penalties[:, None])
        least = (amplification / LARGEST_AMPLIFICATION)[:, None]
        return V, np.hstack([along, ones]), np.hstack([inverse, ones]), least

    @cached_property
    def _all(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return what all rows together are decomposed into.

        Returns
        -------
        squares, directions : ndarray
            (k,) squared lengths and (p, k) directions.
        along : ndarray
            (L, k) the solutions in them.
        amplification : ndarray
            (L,) what may become of rounding errors in them: their condition where the products
            are decomposed, its root where the rows are.
        """
        rows, penalties = self.rows, self.penalties[:, None]
        turn = None
        if rows.X.shape[1] < len(rows.y):
            d, V = np.linalg.eigh(rows.all.xx)
            if d[-1] <= _PRODUCTS_WILL_DO * (d[0] + self.penalties.min()):
                condition = d[-1] / (d[0] + self.penalties)
                return d, V, (V.T @ rows.all.xy) / (d + penalties), condition
            turn = V if d[-1] <= _TURNED_WILL_DO * d[0] else None
        s, Vt, target = (
            decomposed(np.column_stack([rows.X, rows.y]) * np.sqrt(rows.w)[:, None])
            if turn is None
            else decomposed_along(rows, turn)
        )
        squares = s**2
        condition = squares.max(initial=0.0) / (squares.min(initial=np.inf) + self.penalties)
        return squares, Vt.T, s * target / (squares + penalties), np.sqrt(condition)

    def _keeps_digits(self, smallest: float, products: Products) -> bool:
        """Whether rounding in the products of all rows stays small in those that are left."""
        if not products.yy > 0:
            return False
        of_target = max(1.0, np.sqrt(self.rows.all.yy / products.yy))
        least = smallest + float(self.penalties.min())
        return bool(self._largest * of_target <= LARGEST_AMPLIFICATION * least)

    @cached_property
    def _largest(self) -> float:
        """The largest eigenvalue of the products of all rows."""
        return float(np.linalg.eigvalsh(self.rows.all.xx)[-1])

    def _from_rows(self, part: Part) -> FloatArray:
        """(L, n_test) from the rows as they are: about another mean they may have lost digits."""
        X, y, w = self.X[part.train], self.y[part.train], self.rows.w[part.train]
        both, x_mean, y_mean = rows_to_solve(X, y, w, intercept=self.rows.intercept)
        s, Vt, target = decomposed(both)
        along = s * target / (s**2 + self.penalties[:, None])
        return np.asarray(along @ Vt @ (self.X[part.test] - x_mean).T + y_mean)


class RidgeOverPath:
    """The path, as the splits of a scheme are run."""

    def __init__(self, path: RidgePath) -> None:
        self.path = path
        self.n_values = len(path.penalties)

    def predict(self, part: Part) -> tuple[Predictions, np.ndarray]:
        """Predict the test part; nothing fits where the training part has no weight."""
        if not self.path.rows.w[part.train].any():
            nothing = np.zeros(self.n_values * len(part.test))
            return Predictions(nothing), np.zeros(self.n_values, dtype=np.bool_)
        said = self.path.by_penalty(part)
        return Predictions(said.reshape(-1)), np.ones(self.n_values, dtype=np.bool_)

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        """Predict each row by the fits on all others."""
        said, fits = self.path.left_out_by_penalty(rows)
        return Predictions(said.reshape(-1)), fits
