"""Ridge regression of every training part, from the products of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar, Final

import numpy as np

from thetahat.learners.base import OrdinaryFit, OverSplits, Part
from thetahat.learners.fast.ordinary_fits import MAX_AMPLIFICATION
from thetahat.learners.fast.ridge.resampled_products import (
    product_in_widths,
    sum_products_of_resamples,
    sums_resamples_together,
)
from thetahat.learners.fast.ridge.rows import RidgeRows
from thetahat.losses.base import Predictions
from thetahat.values.types import FloatArray, IntArray

ILL_CONDITIONED: Final = OrdinaryFit("the training part's normal equations are ill-conditioned")
NO_WEIGHT: Final = OrdinaryFit("the training part has no weight")


class PrimalSplits(OverSplits):
    r"""Predicts splits from the normal equations of all rows minus those of the block.

    .. math:: (A - A_F - s s^T / W + \lambda I) \beta = b - b_F - s t / W

    with A, b the products of all rows about their common mean, F the rows left out and s, t, W the
    sums of features, target and weights that stay. For one row left out it is the closed form
    :math:`y_i - \hat y_{(i)} = (y_i - \hat y_i) / (1 - h_i)`, for all rows at once.

    Every column is divided by its length over all rows. So an entry is wrong by a few units of
    the last place of 1, whatever is subtracted, and the norm of the inverse amplifies this error:
    above ``MAX_AMPLIFICATION`` the split is fitted from its rows.
    """

    leaves_rows_out: ClassVar[bool] = True

    def __init__(self, rows: RidgeRows, penalty: float) -> None:
        self.rows, self.penalty = rows, penalty
        lengths = np.sqrt(np.diag(rows.all.xx) + penalty)
        self.never_varies = lengths == 0  # and without a penalty nothing else stands there
        self.scale = np.where(self.never_varies, 1.0, lengths)
        self.sums_resamples_together = sums_resamples_together(*rows.both.shape)
        self.on_diagonal = (penalty + self.never_varies) / self.scale**2

    def predict(self, part: Part) -> Predictions | OrdinaryFit:
        """Predict a split from the normal equations of its training part."""
        if part.left_out is None and self.sums_resamples_together:
            return self._predict_resamples([part])[0]
        tested = self.rows.take_columns(part.test)
        sums = self.rows.sum_training_part(part, tested).sums
        (line,), (why,) = self._solve_coefficients(sums[None])
        return why or Predictions(line @ tested[:-1])

    def predict_all(self, parts: Sequence[Part]) -> list[Predictions | OrdinaryFit]:
        """Predict several splits, or several resamples, at once."""
        resamples = [part for part in parts if part.left_out is None]
        if not (resamples and self.sums_resamples_together):
            return [self.predict(part) for part in parts]
        predictions = iter(self._predict_resamples(resamples))
        return [
            next(predictions) if part.left_out is None else self.predict(part) for part in parts
        ]

    def _predict_resamples(self, parts: Sequence[Part]) -> list[Predictions | OrdinaryFit]:
        rows = self.rows
        w = rows.w if rows.is_weighted else None
        sums = sum_products_of_resamples(rows.both, w, [part.train for part in parts])
        lines, plain = self._solve_coefficients(sums)
        outcomes = product_in_widths(lines, rows.both[:-1])
        return [
            why or Predictions(of_rows[part.test])
            for why, of_rows, part in zip(plain, outcomes, parts, strict=True)
        ]

    def _solve_coefficients(self, sums: FloatArray) -> tuple[FloatArray, list[OrdinaryFit | None]]:
        """Return the coefficients of m training parts.

        Parameters
        ----------
        sums : ndarray
            (m, p + 2, p + 2) sums of ``Products``; they are overwritten.

        Returns
        -------
        lines : ndarray
            (m, p + 1) coefficients of the features and the intercept.
        plain : list of OrdinaryFit or None
            (m,) the reasons why parts have to be fitted, or None.
        """
        of_one = sums[:, -2].copy()
        has_weight = of_one[:, -2] > 0
        weight = np.where(has_weight, of_one[:, -2], 1.0)
        if self.rows.intercept:
            sums -= of_one[:, :, None] * (of_one / weight[:, None])[:, None]
        matrices = self._scale_matrices(sums[:, :-2, :-2])
        lines = np.zeros((len(sums), sums.shape[1] - 1))
        plain: list[OrdinaryFit | None] = [None] * len(sums)
        for at, (line, matrix, own) in enumerate(zip(lines, matrices, sums, strict=True)):
            if not has_weight[at]:
                plain[at] = NO_WEIGHT
                continue
            solution = self._solve(matrix, own[-1, :-2], own[-1, -1])
            if solution is None:
                plain[at] = ILL_CONDITIONED
            else:
                line[:-1] = solution
        if self.rows.intercept:
            level = of_one[:, -1] - np.vecdot(lines[:, :-1], of_one[:, :-2])
            lines[:, -1] = self.rows.y_mean + level / weight
        return lines, plain

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        """Return leave-one-out predictions of rows, and whether each keeps its digits."""
        return Predictions(self._one_left_out[rows]), self._keeps_digits[rows]

    def _scale_matrices(self, products: FloatArray) -> FloatArray:
        """Return the (.., p, p) normal matrices scaled by the column lengths."""
        matrices = products / (self.scale * self.scale[:, None])
        np.einsum("...ii->...i", matrices)[:] += self.on_diagonal
        return np.asarray(matrices)

    def _solve(self, matrix: FloatArray, xy: FloatArray, yy: float) -> FloatArray | None:
        """Return the (p,) coefficients, or None if too many digits might be lost."""
        from scipy.linalg import lapack  # noqa: PLC0415 - the API need not load it

        factor, failed = lapack.dpotrf(matrix.T, lower=1)  # it is symmetric
        if failed or not yy > 0:
            return None
        inverse_length = 1 / lapack.dpocon(factor, 1.0, uplo="L")[0]
        of_target = max(1.0, np.sqrt(self.rows.all.yy / yy))
        if not inverse_length * of_target <= MAX_AMPLIFICATION:
            return None
        solution, _ = lapack.dpotrs(factor, xy / self.scale, lower=1)
        return np.asarray(solution / self.scale)

    @cached_property
    def _hat(self) -> tuple[FloatArray, FloatArray, float]:
        """Return (n,) leverages and (n,) fitted values of all rows, and the error amplification."""
        from scipy.linalg import lapack  # noqa: PLC0415 - as above

        rows = self.rows
        n = len(rows.y)
        factor, failed = lapack.dpotrf(self._scale_matrices(rows.all.xx), lower=1)
        if failed:
            return np.ones(n), np.zeros(n), np.inf
        inverse_length = 1 / lapack.dpocon(factor, 1.0, uplo="L")[0]
        inverse, _ = lapack.dtrtri(factor, lower=1)
        half = (inverse / self.scale) @ rows.X
        leverages = rows.w * np.einsum("ij,ij->j", half, half)
        solution, _ = lapack.dpotrs(factor, rows.all.xy / self.scale, lower=1)
        if rows.intercept:
            leverages += rows.w / rows.all.w
        return leverages, (solution / self.scale) @ rows.X, float(inverse_length)

    @cached_property
    def _keeps_digits(self) -> np.ndarray:
        """Return (n,) whether the leave-one-out formula keeps its digits for each row."""
        leverages, _, inverse_length = self._hat
        return np.asarray(inverse_length <= MAX_AMPLIFICATION * (1 - leverages))

    @cached_property
    def _one_left_out(self) -> FloatArray:
        """Return the (n,) leave-one-out predictions."""
        leverages, fitted, _ = self._hat
        y = self.rows.y
        return np.asarray(self.rows.y_mean + y - (y - fitted) / (1 - leverages))
