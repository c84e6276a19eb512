"""Logistic regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from thetahat import cautions
from thetahat.learners._training_parts import check_two_classes, class_weights, read_weights
from thetahat.learners.base import FastLearner, OrdinaryFit, OverSplits
from thetahat.learners.fast.logistic.all_rows_optimum import find_optimum, find_optimum_by_gradients
from thetahat.learners.fast.logistic.gradient_steps import minimise_by_gradients, suits_gradients
from thetahat.learners.fast.logistic.leave_one_out import LogisticLeaveOneOut
from thetahat.learners.fast.logistic.model import (
    LogisticModel,
    Standardised,
    encode_target,
    standardise_rows,
)
from thetahat.learners.fast.logistic.newton import Objective, minimise
from thetahat.learners.fast.logistic.over_splits import (
    MISSING_CLASSES,
    NOT_CONVERGED,
    LogisticSplits,
)
from thetahat.parameter_checks import check_positive
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray

_GRADIENT_TOLERANCE: Final = 1e-6
"""Largest last step, in units of a standard error, without a caution."""


_NOT_CONVERGED: Final = cautions.NOT_CONVERGED(
    sentence="The penalised likelihood did not reach its optimum: the penalty is so small that "
    "it is lost in rounding."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogisticRegression(FastLearner):
    r"""A classifier whose log odds are linear, fitted by penalised maximum likelihood.

    With two classes in the training part the first one's :math:`b` and :math:`\beta` are 0; with
    more, every class has its own, and all are penalised alike.

    Parameters
    ----------
    penalty : float
        :math:`\lambda`, above 0, in squared units of the features; it is one over scikit-learn's
        C. It is not divided by the number of rows or by the weights: twice the rows make the same
        penalty half as strong.
    intercept : bool
        Whether :math:`b` is estimated; it is never penalised.

    Newton's method finds the optimum to the last digits, and not to a tolerance: the result of a
    split does not depend on where an iteration was stopped. With more than 256 coefficients and
    few rows for each, quasi-Newton steps from gradients alone go on until the penalty's curvature
    shows that every logit is within 1e-9 of the optimum; if they do not arrive, Newton's method is
    used.

    Under cross-validation the optimum of all rows is found once. That of a training part is near
    it, and is found from there with the curvature of all rows, less that of the rows left out. A
    split in which that could change the eighth digit is fitted by itself. Learners that differ in
    the penalty alone are solved together, each from its neighbour.

    If features are not in comparable units, put ``standardise`` first in ``prepare``.

    Deviations: the source penalises the absolute values; here it is the squares. Without a
    penalty the optimum need not exist, for example if a hyperplane separates the classes: 0 is
    refused.

    Degenerate cases: a column that is constant in the training part gets coefficient 0; a class
    that is absent from it has probability 0; a training part with a single class is refused. If the
    penalty is so small that the optimum is lost in rounding, there is the caution
    ``not_converged``.
    """

    penalty: float = 1.0
    intercept: bool = True

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Logistic regression",
        summary=(
            "A classifier with linear log odds: maximum likelihood with a penalty on the squared "
            "coefficients, for two classes or more."
        ),
        formula=(
            r"\min_{b, \beta} -\sum_i w_i \log p_{y_i}(x_i) + \frac{\lambda}{2} \|\beta\|^2, "
            r"\quad p_c(x) = \frac{e^{b_c + x^T \beta_c}}{\sum_d e^{b_d + x^T \beta_d}}"
        ),
        references=("hastie2009",),
        assumptions="Numeric features without missing values, in comparable units.",
        errs=(
            "Where the log odds are not linear the probabilities are off, the border less so; the "
            "penalty draws probabilities towards the shares of the classes."
        ),
    )
    tasks: ClassVar[frozenset[str]] = frozenset({"classification"})
    gives_scores: ClassVar[bool] = True
    is_rotation_invariant: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_positive("penalty", self.penalty)

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
        rng: np.random.Generator,
    ) -> LogisticModel:
        """Fit the model to the training rows."""
        del rng
        X, w = features.complete_matrix(), read_weights(weights, len(y))
        totals = class_weights(y, w, n_classes)
        check_two_classes(totals)
        present = np.flatnonzero(totals)
        kept = w > 0
        target = encode_target(y[kept], present)
        if suits_gradients(len(target), X.shape[1], target.shape[1]):
            rows, objective = self._build_objective(X[kept], target, w[kept], rotate=False)
            zero = np.zeros((rows.Z.shape[1], target.shape[1]))
            accurate = minimise_by_gradients(objective, zero, rows.Z)
            if accurate is not None:
                return LogisticModel(rows, accurate, present, n_classes)
        rows, objective = self._build_objective(X[kept], target, w[kept], rotate=True)
        optimum, length = minimise(objective, np.zeros((rows.Z.shape[1], target.shape[1])))
        doubts = () if length <= _GRADIENT_TOLERANCE else (_NOT_CONVERGED,)
        return LogisticModel(rows, optimum, present, n_classes, doubts)

    def _build_objective(
        self, X: FloatArray, target: FloatArray, w: FloatArray, *, rotate: bool
    ) -> tuple[Standardised, Objective]:
        """Return the standardised rows and their objective."""
        rows = standardise_rows(X, w, penalty=self.penalty, intercept=self.intercept, rotate=rotate)
        return rows, Objective(rows.Z, target, w, rows.penalties)

    def prepare_splits(
        self, features: Features, y: np.ndarray, w: FloatArray, n_classes: int
    ) -> OverSplits | OrdinaryFit:
        """Find the optimum of all rows."""
        X = features.complete_matrix()
        present = np.flatnonzero(class_weights(y, w, n_classes))
        if len(present) < 2:
            return MISSING_CLASSES
        target = encode_target(y, present)
        by_gradients = suits_gradients(len(X), X.shape[1], target.shape[1])
        rows, objective = self._build_objective(X, target, w, rotate=not by_gradients)
        find = find_optimum_by_gradients if by_gradients else find_optimum
        optimum = find(objective)
        if optimum is None:
            return NOT_CONVERGED
        splits = LogisticLeaveOneOut if len(present) == 2 else LogisticSplits
        return splits(rows, objective, optimum, y, present, n_classes, by_gradients=by_gradients)
