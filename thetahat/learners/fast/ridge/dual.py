"""Ridge regression of every training part with at least as many features as rows."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar, Final

import numpy as np
import scipy

from thetahat.learners.base import OrdinaryFit, OverSplits, Part
from thetahat.learners.fast.ordinary_fits import MAX_AMPLIFICATION, REPEATED_ROWS
from thetahat.learners.fast.ridge.over_splits import NO_WEIGHT
from thetahat.learners.fast.ridge.rows import RidgeRows
from thetahat.losses.base import Predictions
from thetahat.values.types import FloatArray, IntArray

ILL_CONDITIONED: Final = OrdinaryFit("the products of the training part's rows are ill-conditioned")


class DualSplits(OverSplits):
    r"""Predicts splits from parts of the kernel matrix of all rows.

    .. math:: \hat y(x) = \bar y + k(x)^T S (S K S + \lambda I)^{-1} S (y - \bar y)

    with K the (n, n) products of the training rows about their weighted mean, S the roots of the
    weights and k(x) the products of x with them. The roots of the weights are the one direction
    in which K is 0; a constant is added there, and no right-hand side has a part in it. For one
    left-out row: with C the inverse, restricted to what is orthogonal to that direction,
    :math:`y_i - \hat y_{(i)} = (C S y)_i / (C_{ii} s_i)`, and never :math:`1 - h`, which here is
    a small difference of large numbers.
    """

    leaves_rows_out: ClassVar[bool] = True

    def __init__(self, rows: RidgeRows, penalty: float) -> None:
        self.rows, self.penalty = rows, penalty
        self.kernel = rows.X.T @ rows.X

    def predict(self, part: Part) -> Predictions | OrdinaryFit:
        """Predict a split by solving for its training part."""
        if part.left_out is None:
            return REPEATED_ROWS
        w = self.rows.w[part.train]
        if not w.any():
            return NO_WEIGHT
        return self._solve_lines(part.train, part.test, w)

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        """Return leave-one-out predictions of rows, and whether each keeps its digits."""
        return Predictions(self._one_left_out[rows]), self._keeps_digits[rows]

    def _solve_lines(
        self, train: IntArray, test: IntArray, w: FloatArray
    ) -> Predictions | OrdinaryFit:
        kernel, to_test = self.kernel[np.ix_(train, train)], self.kernel[np.ix_(test, train)]
        y, level, root = self.rows.y[train], 0.0, np.sqrt(w)
        if self.rows.intercept:
            share = w / w.sum()
            level = float(share @ y)
            to_mean = kernel @ share
            length = float(share @ to_mean)
            to_test = to_test - (to_test @ share)[:, None] - to_mean + length
            kernel = kernel - to_mean[:, None] - to_mean + length
        factored = _factorise_kernel(
            kernel * np.outer(root, root), self.penalty, root, intercept=self.rows.intercept
        )
        centred = root * (y - level)
        spread = float(np.linalg.norm(centred))
        if factored is None or not spread > 0:
            return ILL_CONDITIONED
        factor, amplification = factored
        of_target = np.sqrt(float(self.rows.w @ self.rows.y**2)) / spread
        if not amplification * max(1.0, of_target) <= MAX_AMPLIFICATION:
            return ILL_CONDITIONED
        dual = root * scipy.linalg.cho_solve((factor, True), centred)
        return Predictions(to_test @ dual + (level + self.rows.y_mean))

    @cached_property
    def _all(self) -> tuple[FloatArray, FloatArray]:
        """Return the (n,) diagonal of C and (n,) C S y of all rows.

        Zeros if digits would be lost.
        """
        n, root = len(self.rows.y), np.sqrt(self.rows.w)
        scaled = self.kernel * np.outer(root, root)
        factored = _factorise_kernel(scaled, self.penalty, root, intercept=self.rows.intercept)
        if factored is None or not factored[1] <= MAX_AMPLIFICATION:
            return np.zeros(n), np.zeros(n)
        inverse = scipy.linalg.cho_solve((factored[0], True), np.eye(n))
        if self.rows.intercept:
            unit = root / np.linalg.norm(root)
            along = inverse @ unit
            inverse -= np.outer(unit, along) + np.outer(along, unit)
            inverse += float(unit @ along) * np.outer(unit, unit)
        return np.diag(inverse).copy(), inverse @ (root * self.rows.y)

    @cached_property
    def _keeps_digits(self) -> np.ndarray:
        """Return (n,) whether the leave-one-out formula keeps its digits for each row."""
        of_row = self._all[0] * self.rows.w
        return np.asarray(of_row > of_row.max() / 1e3)

    @cached_property
    def _one_left_out(self) -> FloatArray:
        """Return the (n,) leave-one-out predictions."""
        diagonal, product = self._all
        with np.errstate(all="ignore"):  # rows without weight have no use for it
            residual = product / (diagonal * np.sqrt(self.rows.w))
        return np.asarray(self.rows.y_mean + self.rows.y - residual)


def _factorise_kernel(
    kernel: FloatArray, penalty: float, root: FloatArray, *, intercept: bool
) -> tuple[FloatArray, float] | None:
    """Return the Cholesky factor of K + penalty (its null direction filled) and its condition."""
    n = len(kernel)
    matrix = kernel.copy()
    matrix[np.diag_indices(n)] += penalty
    if intercept:
        unit = root / np.linalg.norm(root)
        matrix += float(np.trace(kernel)) / n * np.outer(unit, unit)
    length = float(np.abs(matrix).sum(axis=0).max())
    factor, failed = scipy.linalg.lapack.dpotrf(matrix, lower=1)
    if failed:
        return None
    return factor, float(1 / scipy.linalg.lapack.dpocon(factor, length, uplo="L")[0])
