"""Ridge regression of every training part, from the products of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np

from thetahat.features import Columns
from thetahat.learners._ridge_dual import DualSplits
from thetahat.learners._ridge_rows import (
    LARGEST_AMPLIFICATION,
    Products,
    Rows,
    centred_rows,
)
from thetahat.learners.base import OverSplits, Part, Plain
from thetahat.losses.base import Predictions
from thetahat.types import FloatArray, IntArray

ILL_CONDITIONED: Final = Plain("the training part's normal equations are ill-conditioned")
NO_WEIGHT: Final = Plain("the training part has no weight")
UNDETERMINED: Final = Plain("there are as many features as rows, and no penalty")


def ridge_over_splits(
    columns: Columns, y: np.ndarray, weights: FloatArray | None, *, penalty: float, intercept: bool
) -> OverSplits | Plain:
    """Return what predicts the test part of every split, or why it has to be fitted."""
    w = np.ones(len(y)) if weights is None else weights
    if not w.any():
        return NO_WEIGHT
    rows = centred_rows(columns, np.asarray(y, dtype=np.float64), w, intercept=intercept)
    if len(columns) < len(y):
        return PrimalSplits(rows, penalty)
    return DualSplits(rows, penalty) if penalty > 0 else UNDETERMINED


class PrimalSplits:
    r"""The normal equations of a training part are those of all rows less those of the block.

    .. math:: (A - A_F - s s^T / W + \lambda I) \beta = b - b_F - s t / W

    with A, b the products of all rows about their common mean, F the rows left out and s, t, W the
    sums of features, target and weights that stay. For one row left out it is the closed form
    :math:`y_i - \hat y_{(i)} = (y_i - \hat y_i) / (1 - h_i)`, for all rows at once.

    Every column is divided by its length over all rows. So an entry is wrong by a few units of
    the last place of 1, whatever is subtracted, and the length of the inverse says what becomes
    of it: above ``LARGEST_AMPLIFICATION`` the split is fitted from its rows.
    """

    def __init__(self, rows: Rows, penalty: float) -> None:
        self.rows, self.penalty = rows, penalty
        lengths = np.sqrt(np.diag(rows.all.xx) + penalty)
        self.never_varies = lengths == 0  # and without a penalty nothing else stands there
        self.scale = np.where(self.never_varies, 1.0, lengths)

    def predict(self, part: Part) -> Predictions | Plain:
        """Subtract the block and solve."""
        rows = self.rows
        tested = rows.some(part.test)
        products = rows.of_training(part, tested)
        if not products.w > 0:
            return NO_WEIGHT
        solution = self._solve(products.centred() if rows.intercept else products)
        if solution is None:
            return ILL_CONDITIONED
        level = 0.0
        if rows.intercept:
            level = rows.y_mean + (products.y - float(solution @ products.x)) / products.w
        return Predictions(solution @ tested[:-2] + level)

    def predict_all(self, parts: Sequence[Part]) -> list[Predictions | Plain]:
        """Subtract several blocks; what follows on the predictions is done for all at once."""
        return [self.predict(part) for part in parts]

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        """Predict each row by the fit on all others; and whether that keeps the digits."""
        return Predictions(self._one_left_out[rows]), self._loses_none[rows]

    def _scaled(self, products: Products) -> FloatArray:
        """(p, p) normal matrix in units of the columns' lengths."""
        matrix = products.xx.copy()
        np.einsum("ii->i", matrix)[:] += self.penalty + self.never_varies
        return np.asarray(matrix / self.scale / self.scale[:, None])

    def _solve(self, products: Products) -> FloatArray | None:
        """(p,) coefficients, or None where too many digits might be lost."""
        from scipy.linalg import lapack  # noqa: PLC0415 - the API need not load it

        factor, failed = lapack.dpotrf(self._scaled(products), lower=1)
        if failed or not products.yy > 0:
            return None
        inverse_length = 1 / lapack.dpocon(factor, 1.0, uplo="L")[0]
        of_target = max(1.0, np.sqrt(self.rows.all.yy / products.yy))
        if not inverse_length * of_target <= LARGEST_AMPLIFICATION:
            return None
        solution, _ = lapack.dpotrs(factor, products.xy / self.scale, lower=1)
        return np.asarray(solution / self.scale)

    @cached_property
    def _hat(self) -> tuple[FloatArray, FloatArray, float]:
        """(n,) leverages and (n,) fitted values of the fit on all rows, and its amplification."""
        from scipy.linalg import lapack  # noqa: PLC0415 - as above

        rows = self.rows
        n = len(rows.y)
        factor, failed = lapack.dpotrf(self._scaled(rows.all), lower=1)
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
    def _loses_none(self) -> np.ndarray:
        """(n,) whether the closed form keeps the digits when this row is left out."""
        leverages, _, inverse_length = self._hat
        return np.asarray(inverse_length <= LARGEST_AMPLIFICATION * (1 - leverages))

    @cached_property
    def _one_left_out(self) -> FloatArray:
        """(n,) prediction of each row by the fit on the others."""
        leverages, fitted, _ = self._hat
        y = self.rows.y
        return np.asarray(self.rows.y_mean + y - (y - fitted) / (1 - leverages))
