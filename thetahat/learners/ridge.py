"""Ridge regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.learners._training_parts import read_weights
from thetahat.learners.base import FastLearner, OverPath, OverSplits
from thetahat.learners.fast.ridge.dual import DualSplits
from thetahat.learners.fast.ridge.over_splits import PrimalSplits
from thetahat.learners.fast.ridge.penalty_path import RidgePath
from thetahat.learners.fast.ridge.rows import centred_rows, decomposed, rows_to_solve
from thetahat.losses.base import Predictions
from thetahat.parameter_checks import check_not_negative
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.traits import LearnerTraits
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """A fitted linear model.

    (p,) ``coefficients`` around a (p,) ``centre`` with value ``level``.
    """

    coefficients: FloatArray
    centre: FloatArray
    level: float

    @property
    def intercept(self) -> float:
        """The value where all features are 0."""
        return self.level - float(self.centre @ self.coefficients)

    def predict(self, features: Features) -> Predictions:
        """Predict (n,) values; centring keeps the digits of features far from 0."""
        from_centre = features.complete_matrix() - self.centre
        return Predictions(from_centre @ self.coefficients + self.level)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ridge(FastLearner):
    r"""Linear regression with a penalty on the squared coefficients.

    Parameters
    ----------
    penalty : float
        :math:`\lambda`, at least 0, in squared units of the features. It is not divided by the
        number of rows or by the weights: twice the rows make the same penalty half as strong.
    intercept : bool
        Whether :math:`\beta_0` is estimated; it is never penalised.

    The centred, weighted rows are reduced to a triangle by Householder reflections and that by
    a singular value decomposition, so no digits are lost to squaring the condition number.

    If features are not in comparable units, put ``standardise`` first in ``prepare``.

    Deviations: the source standardises the features and has no weights.

    Under cross-validation one set of products of all rows serves every split: those of the rows
    left out are subtracted, or, with as many features as rows, the products of the rows with one
    another are used. A split whose problem is so ill-conditioned that this could change the eighth
    digit is solved from its rows.

    Degenerate cases: with penalty 0 and dependent columns the solution of least norm is taken;
    a column that is constant in the training part gets coefficient 0.
    """

    penalty: float = 1.0
    intercept: bool = True

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Ridge regression",
        summary=(
            "Least squares with a penalty on the squared coefficients; with penalty 0 it is "
            "ordinary least squares."
        ),
        formula=(
            r"\min_{\beta_0, \beta} \sum_i w_i (y_i - \beta_0 - x_i^T \beta)^2 "
            r"+ \lambda \|\beta\|^2"
        ),
        references=("hoerl1970",),
        assumptions="Numeric features without missing values, in comparable units.",
        errs=(
            "The coefficients are shrunk towards 0; a feature in small units is shrunk the more, "
            "so unscaled features change the answer."
        ),
        learner=LearnerTraits(is_penalised_least_squares=True),
    )
    tasks: ClassVar[frozenset[str]] = frozenset({"regression"})
    path_parameter: ClassVar[str] = "penalty"

    def __post_init__(self) -> None:
        check_not_negative("penalty", self.penalty)

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
        rng: np.random.Generator,
    ) -> LinearModel:
        """Solve the penalised least squares problem."""
        del n_classes, rng
        X = features.complete_matrix()
        w = read_weights(weights, len(y))
        rows, x_mean, y_mean = rows_to_solve(X, y, w, intercept=self.intercept)
        s, Vt, target = decomposed(rows)
        coefficients = np.asarray(Vt.T @ (s / (s**2 + self.penalty) * target))
        return LinearModel(coefficients, x_mean, y_mean)

    def prepare_splits(
        self, features: Features, y: np.ndarray, w: FloatArray, n_classes: int
    ) -> OverSplits:
        """Compute the products of all rows, from which those of a block are subtracted."""
        del n_classes
        columns = features.complete_columns()
        rows = centred_rows(columns, y, w, intercept=self.intercept)
        has_few_columns = len(columns) < len(y)
        return (PrimalSplits if has_few_columns else DualSplits)(rows, self.penalty)

    def prepare_path(
        self,
        values: Sequence[float],
        features: Features,
        y: np.ndarray,
        w: FloatArray,
        n_classes: int,
    ) -> OverPath:
        """Compute the products of all rows.

        Each training part is decomposed once for all penalties.
        """
        del n_classes
        columns = features.complete_columns()
        return RidgePath(columns, y, w, np.array(values), intercept=self.intercept)
