"""Ridge regression for many penalties at once, over the splits of a scheme."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from thetahat.learners.base import OverPath, Part
from thetahat.learners.fast.ordinary_fits import MAX_AMPLIFICATION
from thetahat.learners.fast.ridge.rows import (
    Products,
    RidgeRows,
    centred_rows,
    decomposed,
    rows_to_solve,
)
from thetahat.losses.base import Predictions
from thetahat.tables.features import Columns
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class ClosedForm:
    """Factors of the closed leave-one-out formula."""

    directions: FloatArray
    """(k, p) directions in which the products of the rows are diagonal."""
    of_target: FloatArray
    of_leverage: FloatArray
    """(L, k + 1) factors of the row in these directions and its target, and factors of their
    squares and of the share of the mean."""
    least: FloatArray
    """(L,) smallest value of one minus the leverage."""


class RidgePath(OverPath):
    r"""Predictions of splits for all penalties, from one decomposition per split.

    .. math:: \beta(\lambda) = V (D + \lambda I)^{-1} V^T b

    with :math:`V D V^T` the products of the training rows about their mean: those of all rows,
    less those of the rows left out. Where that could cost the eighth digit for the smallest
    penalty, and where there are as many features as rows, the training rows themselves are
    decomposed, as a fit does it, which squares no condition number.

    Parameters
    ----------
    columns : sequence of ndarray
        (p,) features, (n,) each.
    y : ndarray of float
        (n,).
    w : ndarray of float
        (n,) weights, not negative, not all 0.
    penalties : ndarray of float
        (L,) at least 0.
    intercept : bool
        Whether there is one; it is not penalised.

    Degenerate cases: with penalty 0 and dependent columns the solution of least norm is taken.
    """

    leaves_rows_out: ClassVar[bool] = True

    def __init__(
        self,
        columns: Columns,
        y: FloatArray,
        w: FloatArray,
        penalties: FloatArray,
        *,
        intercept: bool = True,
    ) -> None:
        self.columns, self.y = columns, np.asarray(y, dtype=np.float64)
        self.rows: RidgeRows = centred_rows(columns, y, w, intercept=intercept)
        self.penalties = np.asarray(penalties, dtype=np.float64)

    def predict(self, part: Part) -> tuple[Predictions, np.ndarray]:
        """Return the predictions of L * n_test rows, and (L,) whether they may be used.

        They may not be used if the training part has no weight.
        """
        rows, n_penalties = self.rows, len(self.penalties)
        if rows.is_weighted and not rows.w[part.train].any():
            nothing = Predictions(np.zeros(n_penalties * len(part.test)))
            return nothing, np.zeros(n_penalties, dtype=np.bool_)
        tested = rows.take_columns(part.test)
        lines = self._compute_coefficients(part, tested) if rows.n_features < part.n_train else None
        values = self._predict_from_rows(part) if lines is None else lines @ tested[:-1]
        return Predictions(values.reshape(-1)), np.ones(n_penalties, dtype=np.bool_)

    def _compute_coefficients(self, part: Part, tested: FloatArray) -> FloatArray | None:
        """Return the (L, p + 1) coefficients of the features and the intercept.

        None if digits are lost.
        """
        rows = self.rows
        sums = rows.sum_training_part(part, tested)
        products = sums.centred() if rows.intercept else sums
        lines = np.empty((len(self.penalties), rows.n_features + 1))
        coefficients, level = lines[:, :-1], lines[:, -1]
        d, Q = np.linalg.eigh(products.xx)
        if not d[0] > self._find_smallest_eigenvalue(products):
            return None
        np.matmul((Q.T @ products.xy) / (d + self.penalties[:, None]), Q.T, out=coefficients)
        level[:] = rows.y_mean
        if rows.intercept:
            level += (sums.y - coefficients @ sums.x) / sums.w
        return lines

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        r"""Return the leave-one-out predictions of rows, and (L, n_rows) whether they may be used.

        With leverages h for each penalty the errors are :math:`(\hat y_i - y_i) / (1 - h_i)`, which
        is accurate unless 1 - h is small.
        """
        form, all_rows = self._decompose_rows, self.rows
        Z = np.empty((len(form.directions) + 1, len(rows)))
        np.matmul(form.directions, np.take(all_rows.X, rows, axis=1), out=Z[:-1])
        np.negative(all_rows.y[rows], out=Z[-1])
        errors = form.of_target @ Z
        np.square(Z[:-1], out=Z[:-1])
        if all_rows.is_weighted:
            Z[:-1] *= all_rows.w[rows]
        Z[-1] = self._shares_after_centring[rows]
        stays = form.of_leverage @ Z
        with np.errstate(all="ignore"):  # where nothing stays the row is predicted by itself
            errors /= stays
        errors += self.y[rows]
        return Predictions(errors.reshape(-1)), stays >= form.least[:, None]

    @cached_property
    def _shares_after_centring(self) -> FloatArray:
        """Return the (n,) share of each row that remains after centring."""
        rows = self.rows
        return 1 - rows.w / rows.all.w if rows.intercept else np.ones(len(rows.y))

    @cached_property
    def _decompose_rows(self) -> ClosedForm:
        """Decompose all rows.

        Unlike a decomposition of their products, it does not square the condition number.
        """
        rows, penalties = self.rows, self.penalties[:, None]
        s, Vt, target = decomposed(np.vstack([rows.X, rows.y]).T * np.sqrt(rows.w)[:, None])
        squares = s**2
        condition = squares.max(initial=0.0) / (squares.min(initial=np.inf) + self.penalties)
        ones = np.ones((len(penalties), 1))
        return ClosedForm(
            Vt,
            np.hstack([s * target / (squares + penalties), ones]),
            np.hstack([-1 / (squares + penalties), ones]),
            np.sqrt(condition) / MAX_AMPLIFICATION,
        )

    def _find_smallest_eigenvalue(self, products: Products) -> float:
        """Return the smallest eigenvalue at which rounding in the products of all rows stays small.

        Infinite if the target does not vary.
        """
        if not products.yy > 0:
            return np.inf
        of_target = max(1.0, np.sqrt(self.rows.all.yy / products.yy))
        return float(self._largest * of_target / MAX_AMPLIFICATION - self.penalties.min())

    @cached_property
    def _largest(self) -> float:
        """The largest eigenvalue of the products of all rows."""
        return float(np.linalg.eigvalsh(self.rows.all.xx)[-1])

    def _predict_from_rows(self, part: Part) -> FloatArray:
        """Return (L, n_test) values from uncentred rows, since another centre may lose digits."""
        X, y, w = self._read_features(part.train), self.y[part.train], self.rows.w[part.train]
        both, x_mean, y_mean = rows_to_solve(X, y, w, intercept=self.rows.intercept)
        s, Vt, target = decomposed(both)
        along = s * target / (s**2 + self.penalties[:, None])
        return np.asarray(along @ Vt @ (self._read_features(part.test) - x_mean).T + y_mean)

    def _read_features(self, index: IntArray) -> FloatArray:
        """Return the (n_index, p) features of the rows with these indices."""
        return np.column_stack([column[index] for column in self.columns])
