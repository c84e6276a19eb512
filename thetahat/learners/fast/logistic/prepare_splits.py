"""Logistic regression of every training part, prepared from all rows."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.learners._training_parts import class_weights
from thetahat.learners.base import OrdinaryFit, OverSplits
from thetahat.learners.fast.logistic.all_rows_optimum import Optimum, find_optimum
from thetahat.learners.fast.logistic.gradient_steps import (
    minimise_by_gradients,
    suits_gradients,
)
from thetahat.learners.fast.logistic.leave_one_out import LogisticLeaveOneOut
from thetahat.learners.fast.logistic.model import encode_target, standardise_rows
from thetahat.learners.fast.logistic.newton import Objective, softmax
from thetahat.learners.fast.logistic.over_splits import MISSING_CLASSES, LogisticSplits
from thetahat.values.types import FloatArray

NO_WEIGHT: Final = OrdinaryFit("no row has weight")
NOT_CONVERGED: Final = OrdinaryFit("the optimum of all rows was not reached")


def logistic_over_splits(  # noqa: PLR0913 - what a learner is handed, and its two choices
    X: FloatArray,
    y: np.ndarray,
    weights: FloatArray | None,
    n_classes: int,
    *,
    penalty: float,
    intercept: bool,
) -> OverSplits | OrdinaryFit:
    """Return the fast path for all splits, or the reason why each split has to be fitted."""
    w = np.ones(len(y)) if weights is None else weights
    present = np.flatnonzero(class_weights(y, w, n_classes))
    if len(present) < 2:
        return MISSING_CLASSES if w.any() else NO_WEIGHT
    target = encode_target(y, present)
    by_gradients = suits_gradients(len(X), X.shape[1], target.shape[1])
    rows = standardise_rows(X, w, penalty=penalty, intercept=intercept, rotate=not by_gradients)
    objective = Objective(rows.Z, target, w, rows.penalties)
    find = _find_optimum_by_gradients if by_gradients else find_optimum
    optimum = find(objective)
    if optimum is None:
        return NOT_CONVERGED
    splits = LogisticSplits(
        rows, objective, optimum, y, present, n_classes, by_gradients=by_gradients
    )
    return LogisticLeaveOneOut(splits) if len(present) == 2 else splits


def _find_optimum_by_gradients(objective: Objective) -> Optimum | None:
    zero = np.zeros((objective.Z.shape[1], objective.target.shape[1]))
    B = minimise_by_gradients(objective, zero, objective.Z)
    return None if B is None else Optimum(B, softmax(objective.Z @ B), None)
