"""Ridge regression for many penalties at once, over the splits of a scheme."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from thetahat.learners.base import Part, PathErrors
from thetahat.learners.fast.ridge.rows import (
    MAX_AMPLIFICATION,
    Products,
    RidgeRows,
    centred_rows,
    decomposed,
    decomposed_along,
    rows_to_solve,
)
from thetahat.learners.fast.ridge.solutions import solutions
from thetahat.tables.features import Columns
from thetahat.values.types import FloatArray, IntArray

_MAX_CONDITION_OF_PRODUCTS: Final = 1e5
"""Largest condition number of products from which single rows are subtracted."""
_MAX_CONDITION_OF_ROTATION: Final = 1e10
"""Largest condition number of products for which rotated rows need no reflections."""
_ALL: Final = np.ones((1, 1), dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class ClosedForm:
    """Factors of the closed leave-one-out formula.

    Parameters
    ----------
    directions : ndarray
        (k, p) directions in which the products of the rows are diagonal.
    of_target, of_leverage : ndarray
        (L, k + 1) factors of the row in these directions and its target, and factors of their
        squares and of the share of the mean.
    least : ndarray
        (L,) smallest value of one minus the leverage.
    """

    directions: FloatArray
    of_target: FloatArray
    of_leverage: FloatArray
    least: FloatArray


class RidgePath:
    r"""Prediction errors of splits for all penalties, from one decomposition per split.

    .. math:: \beta(\lambda) = V (D + \lambda I)^{-1} V^T b

    with :math:`V D V^T` the products of the training rows about their mean: those of all rows,
    less those of the rows left out. Where that could cost the eighth digit for the smallest
    penalty, and where there are as many features as rows, the training rows themselves are
    decomposed, as a fit does it, which squares no condition number.

    An error is the prediction less the truth. It is one product of the row, its target among
    the features, with the coefficients and -1.

    Parameters
    ----------
    columns : sequence of ndarray
        (p,) features, (n,) each.
    y : ndarray of float
        (n,).
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
        columns: Columns,
        y: FloatArray,
        weights: FloatArray | None,
        penalties: FloatArray,
        *,
        intercept: bool = True,
    ) -> None:
        w = np.ones(len(y)) if weights is None else weights
        self.columns, self.y = columns, y
        self.rows: RidgeRows = centred_rows(columns, y, w, intercept=intercept)
        self.penalties = np.asarray(penalties, dtype=np.float64)
        self.weakest = int(np.argmin(self.penalties))

    def predict(self, part: Part) -> FloatArray:
        """Return the (n_test, L) predictions of the test part.

        The training part has weight.
        """
        errors = np.empty((len(self.penalties), len(part.test)))
        self.write_errors(part, errors)
        return np.asarray((errors + self.y[part.test]).T)

    def each_left_out(self) -> FloatArray:
        """Return the (n, L) leave-one-out predictions, from one decomposition.

        A row for which the closed form loses digits is predicted as by ``predict``.
        """
        every = np.arange(len(self.y))
        errors = np.empty((len(self.penalties), len(every)))
        fits = np.broadcast_to(self.write_left_out(slice(0, len(every)), errors), errors.shape)
        for row in np.flatnonzero(~fits.all(axis=0)):
            alone = every[row : row + 1]
            self.write_errors(Part(np.delete(every, row), alone, alone), errors[:, row : row + 1])
        return np.asarray((errors + self.y).T)

    def write_errors(self, part: Part, errors: FloatArray) -> None:
        """Write the (L, n_test) prediction errors of the test part.

        The training part has weight.
        """
        rows = self.rows
        tested = rows.take_columns(part.test)
        lines = self._compute_coefficients(part, tested) if rows.n_features < part.n_train else None
        if lines is None:
            errors[:] = self._compute_from_rows(part)
        else:
            np.matmul(lines, tested, out=errors)

    def _compute_coefficients(self, part: Part, tested: FloatArray) -> FloatArray | None:
        """Return the (L, p + 2) coefficients of rows, intercept and target.

        None if digits are lost.
        """
        rows = self.rows
        sums = rows.sum_training_part(part, tested)
        products = sums.centred() if rows.intercept else sums
        lines = np.empty((len(self.penalties), len(rows.both)))
        coefficients, level = lines[:, :-2], lines[:, -2]
        least = self._find_smallest_eigenvalue(products)
        if not solutions(products.xx, products.xy, self.penalties, least, coefficients):
            return None
        lines[:, -1], level[:] = -1.0, 0.0
        if rows.intercept:
            level[:] = (sums.y - coefficients @ sums.x) / sums.w
        return lines

    def write_left_out(self, selected: slice, errors: FloatArray) -> np.ndarray:
        r"""Write the (L, n_some) leave-one-out errors of rows; return whether they may be used.

        With leverages h for each penalty they are :math:`(\hat y_i - y_i) / (1 - h_i)`, which is
        accurate unless 1 - h is small; 1 - h is smallest for the smallest penalty.

        Returns
        -------
        ndarray of bool
            (L, n_some) or (1, 1).
        """
        form = self._decompose_products
        fits = None if form is None else self._compute_left_out(form, selected, errors)
        if fits is None or not fits.all():
            return self._compute_left_out(self._decompose_rows, selected, errors)
        return fits

    def _compute_left_out(
        self, form: ClosedForm, selected: slice, errors: FloatArray
    ) -> np.ndarray:
        rows = self.rows
        y = rows.y[selected]
        Z = np.empty((len(form.directions) + 1, len(y)))
        np.matmul(form.directions, rows.X[:, selected], out=Z[:-1])
        np.negative(y, out=Z[-1])
        np.matmul(form.of_target, Z, out=errors)
        np.square(Z[:-1], out=Z[:-1])
        if rows.is_weighted:
            Z[:-1] *= rows.w[selected]
        Z[-1] = self._shares_after_centring[selected]
        stays = form.of_leverage @ Z
        with np.errstate(all="ignore"):  # where nothing stays the row is predicted by itself
            errors /= stays
        if (stays[self.weakest] >= form.least[self.weakest]).all():
            return _ALL
        return np.asarray(stays >= form.least[:, None])

    @cached_property
    def _shares_after_centring(self) -> FloatArray:
        """Return the (n,) share of each row that remains after centring."""
        rows = self.rows
        return 1 - rows.w / rows.all.w if rows.intercept else np.ones(len(rows.y))

    @cached_property
    def _decompose_products(self) -> ClosedForm | None:
        """Decompose the products of all rows, if their condition number is small."""
        rows, penalties = self.rows, self.penalties[:, None]
        if rows.n_features >= len(rows.y):
            return None
        d, V = self._directions
        if not d[-1] <= _MAX_CONDITION_OF_PRODUCTS * (d[0] + self.penalties.min()):
            return None
        along = (V.T @ rows.all.xy) / (d + penalties)
        return self._form(d, V.T, along, d[-1] / (d[0] + self.penalties))

    @cached_property
    def _decompose_rows(self) -> ClosedForm:
        """Decompose all rows, which does not square the condition number."""
        rows, penalties = self.rows, self.penalties[:, None]
        turn = None
        if rows.n_features < len(rows.y):
            d, V = self._directions
            turn = V if d[-1] <= _MAX_CONDITION_OF_ROTATION * d[0] else None
        s, Vt, target = (
            decomposed(np.vstack([rows.X, rows.y]).T * np.sqrt(rows.w)[:, None])
            if turn is None
            else decomposed_along(rows, turn)
        )
        squares = s**2
        condition = squares.max(initial=0.0) / (squares.min(initial=np.inf) + self.penalties)
        return self._form(squares, Vt, s * target / (squares + penalties), np.sqrt(condition))

    def _form(
        self,
        squares: FloatArray,
        directions: FloatArray,
        along: FloatArray,
        amplification: FloatArray,
    ) -> ClosedForm:
        """Return the factors of the leave-one-out formula.

        Parameters
        ----------
        squares, directions : ndarray
            (k,) squared lengths and (k, p) directions.
        along : ndarray
            (L, k) solutions in these directions.
        amplification : ndarray
            (L,) amplification of rounding errors: the condition number if the products are
            decomposed, its root if the rows are.
        """
        ones = np.ones((len(along), 1))
        inverse = -1 / (squares + self.penalties[:, None])
        return ClosedForm(
            directions,
            np.hstack([along, ones]),
            np.hstack([inverse, ones]),
            amplification / MAX_AMPLIFICATION,
        )

    @cached_property
    def _directions(self) -> tuple[FloatArray, FloatArray]:
        """(p,) eigenvalues and (p, p) eigenvectors of the products of all rows."""
        d, V = np.linalg.eigh(self.rows.all.xx)
        return d, V

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

    def _compute_from_rows(self, part: Part) -> FloatArray:
        """Return (L, n_test) errors from uncentred rows, since another centre may lose digits."""
        X, y, w = self._read_features(part.train), self.y[part.train], self.rows.w[part.train]
        both, x_mean, y_mean = rows_to_solve(X, y, w, intercept=self.rows.intercept)
        s, Vt, target = decomposed(both)
        along = s * target / (s**2 + self.penalties[:, None])
        level = y_mean - self.y[part.test]
        return np.asarray(along @ Vt @ (self._read_features(part.test) - x_mean).T + level)

    def _read_features(self, index: IntArray) -> FloatArray:
        """Return the (n_index, p) features of the rows with these indices."""
        return np.column_stack([column[index] for column in self.columns])


class RidgeOverPath(PathErrors):
    """The errors of learners along the penalty path."""

    def __init__(self, path: RidgePath) -> None:
        self.path = path

    def errors(self, parts: Sequence[Part], into: Sequence[FloatArray]) -> Iterator[np.ndarray]:
        """Write the errors of the test parts; a training part without weight has none."""
        rows = self.path.rows
        for part, errors in zip(parts, into, strict=True):
            has_weight = not rows.is_weighted or bool(rows.w[part.train].any())
            if has_weight:
                self.path.write_errors(part, errors)
            else:
                errors[:] = 0.0
            yield np.full((1, 1), has_weight)

    def errors_left_out(self, rows: slice, into: FloatArray) -> np.ndarray:
        """Write the leave-one-out errors of each row."""
        return self.path.write_left_out(rows, into)
