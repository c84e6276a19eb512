"""Ridge regression of every training part, from the products of all rows."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar, Final

import numpy as np
import scipy

from thetahat.learners.base import OrdinaryFit, OverSplits, Part
from thetahat.learners.fast.ordinary_fits import MAX_AMPLIFICATION
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
        self.on_diagonal = (penalty + self.never_varies) / self.scale**2

    def predict(self, part: Part) -> Predictions | OrdinaryFit:
        """Predict a split from the normal equations of its training part."""
        tested = self.rows.take_columns(part.test)
        sums = self.rows.sum_training_part(part, tested).sums
        of_one = sums[-2].copy()
        weight = of_one[-2]
        if not weight > 0:
            return NO_WEIGHT
        if self.rows.intercept:
            sums -= of_one[:, None] * (of_one / weight)
        matrix = self._scale_matrix(sums[:-2, :-2])
        solution = self._solve(matrix, sums[-1, :-2], sums[-1, -1])
        if solution is None:
            return ILL_CONDITIONED
        line = np.zeros(len(solution) + 1)
        line[:-1] = solution
        if self.rows.intercept:
            level = of_one[-1] - np.vecdot(solution, of_one[:-2])
            line[-1] = self.rows.y_mean + level / weight
        return Predictions(line @ tested[:-1])

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        """Return leave-one-out predictions of rows, and whether each keeps its digits."""
        return Predictions(self._one_left_out[rows]), self._keeps_digits[rows]

    def _scale_matrix(self, products: FloatArray) -> FloatArray:
        """Return the (p, p) normal matrix scaled by the column lengths."""
        matrix = products / (self.scale * self.scale[:, None])
        np.einsum("ii->i", matrix)[:] += self.on_diagonal
        return np.asarray(matrix)

    def _solve(self, matrix: FloatArray, xy: FloatArray, yy: float) -> FloatArray | None:
        """Return the (p,) coefficients, or None if too many digits might be lost."""
        factor, failed = scipy.linalg.lapack.dpotrf(matrix.T, lower=1)  # it is symmetric
        if failed or not yy > 0:
            return None
        inverse_length = 1 / scipy.linalg.lapack.dpocon(factor, 1.0, uplo="L")[0]
        of_target = max(1.0, np.sqrt(self.rows.all.yy / yy))
        if not inverse_length * of_target <= MAX_AMPLIFICATION:
            return None
        solution, _ = scipy.linalg.lapack.dpotrs(factor, xy / self.scale, lower=1)
        return np.asarray(solution / self.scale)

    @cached_property
    def _hat(self) -> tuple[FloatArray, FloatArray, float]:
        """Return (n,) leverages and (n,) fitted values of all rows, and the error amplification."""
        rows = self.rows
        n = len(rows.y)
        factor, failed = scipy.linalg.lapack.dpotrf(self._scale_matrix(rows.all.xx), lower=1)
        if failed:
            return np.ones(n), np.zeros(n), np.inf
        inverse_length = 1 / scipy.linalg.lapack.dpocon(factor, 1.0, uplo="L")[0]
        inverse, _ = scipy.linalg.lapack.dtrtri(factor, lower=1)
        half = (inverse / self.scale) @ rows.X
        leverages = rows.w * np.einsum("ij,ij->j", half, half)
        solution, _ = scipy.linalg.lapack.dpotrs(factor, rows.all.xy / self.scale, lower=1)
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
