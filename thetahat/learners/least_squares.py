"""Ordinary least squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.learners.base import FastLearner, OverSplits
from thetahat.learners.ridge import LinearModel, Ridge
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastSquares(FastLearner):
    r"""Linear regression, weighted if the rows have weights.

    Parameters
    ----------
    intercept : bool
        Whether :math:`\beta_0` is estimated.

    It is ``ridge`` with penalty 0: solved from the rows by orthogonal steps, and under
    cross-validation from one set of products of all rows where that costs no digits.

    Degenerate cases: with dependent columns, or as many features as rows, the solution of least
    norm is taken; a column that is constant in the training part gets coefficient 0.
    """

    intercept: bool = True

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Least squares",
        summary="Linear regression with the smallest sum of squared errors, and no penalty.",
        formula=r"\min_{\beta_0, \beta} \sum_i w_i (y_i - \beta_0 - x_i^T \beta)^2",
        references=("hastie2009",),
        assumptions="Numeric features without missing values, fewer than rows.",
        errs=(
            "With nearly as many features as rows the coefficients follow the noise, and the "
            "predictions of other rows vary much."
        ),
    )
    tasks: ClassVar[frozenset[str]] = frozenset({"regression"})

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
        rng: np.random.Generator,
    ) -> LinearModel:
        """Solve the least squares problem."""
        ridge = Ridge(penalty=0.0, intercept=self.intercept)
        return ridge.fit(features, y, weights=weights, n_classes=n_classes, rng=rng)

    def prepare_splits(
        self, features: Features, y: np.ndarray, w: FloatArray, n_classes: int
    ) -> OverSplits:
        """Compute the products of all rows, from which those of a block are subtracted."""
        ridge = Ridge(penalty=0.0, intercept=self.intercept)
        return ridge.prepare_splits(features, y, w, n_classes)
