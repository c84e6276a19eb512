"""Logistic regression for many penalties at once, over the splits of a scheme."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar, Final

import numpy as np

from thetahat.learners._training_parts import class_weights, concatenate_predictions
from thetahat.learners.base import OrdinaryFit, OverPath, OverSplits, Part
from thetahat.learners.fast.logistic.all_rows_optimum import Optimum, find_optimum
from thetahat.learners.fast.logistic.leave_one_out import LogisticLeaveOneOut
from thetahat.learners.fast.logistic.model import build_penalties, encode_target, standardise_rows
from thetahat.learners.fast.logistic.newton import Objective
from thetahat.learners.fast.logistic.over_splits import MISSING_CLASSES, LogisticSplits
from thetahat.losses.base import Predictions
from thetahat.values.types import FloatArray, IntArray

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
    splits_by_penalty = _find_optima(
        X, y, weights, n_classes, penalties=[penalty], intercept=intercept
    )
    if isinstance(splits_by_penalty, OrdinaryFit):
        return splits_by_penalty
    (splits,) = splits_by_penalty
    if splits is None:
        return NOT_CONVERGED
    return LogisticLeaveOneOut(splits) if len(splits.present) == 2 else splits


def logistic_over_path(  # noqa: PLR0913 - as above
    X: FloatArray,
    y: np.ndarray,
    weights: FloatArray | None,
    n_classes: int,
    *,
    penalties: Sequence[float],
    intercept: bool,
) -> OverPath | OrdinaryFit:
    """Return the fast path for all splits and penalties."""
    splits_by_penalty = _find_optima(
        X, y, weights, n_classes, penalties=penalties, intercept=intercept
    )
    if isinstance(splits_by_penalty, OrdinaryFit):
        return splits_by_penalty
    is_two = all(splits is None or len(splits.present) == 2 for splits in splits_by_penalty)
    kind = PathOfTwoClasses if is_two else LogisticPath
    return kind(splits_by_penalty, penalties, n_classes)


def _find_optima(  # noqa: PLR0913 - as above
    X: FloatArray,
    y: np.ndarray,
    weights: FloatArray | None,
    n_classes: int,
    *,
    penalties: Sequence[float],
    intercept: bool,
) -> list[LogisticSplits | None] | OrdinaryFit:
    """Return the optimum of all rows for each penalty; None if it was not reached.

    The strongest penalty is solved first, and each other from its neighbour.
    """
    w = np.ones(len(y)) if weights is None else weights
    present = np.flatnonzero(class_weights(y, w, n_classes))
    if len(present) < 2:
        return MISSING_CLASSES if w.any() else NO_WEIGHT
    rows = standardise_rows(X, w, penalty=penalties[0], intercept=intercept)
    target = encode_target(y, present)
    splits_by_penalty: list[LogisticSplits | None] = [None] * len(penalties)
    before: tuple[Optimum, FloatArray] | None = None
    for at in _order_by_penalty(penalties):
        objective = Objective(rows.Z, target, w, build_penalties(rows, penalties[at]))
        optimum = _find_optimum_near(objective, before)
        if optimum is not None:
            before = optimum, objective.penalties
            splits_by_penalty[at] = LogisticSplits(rows, objective, optimum, y, present, n_classes)
    return splits_by_penalty


def _find_optimum_near(
    objective: Objective, before: tuple[Optimum, FloatArray] | None
) -> Optimum | None:
    if before is None:
        return find_optimum(objective)
    optimum, penalties = before
    curvature = optimum.curvature.copy()
    n_classes = optimum.coefficients.shape[1]
    np.einsum("ii->i", curvature)[:] += np.tile(objective.penalties - penalties, n_classes)
    return find_optimum(objective, optimum.coefficients, curvature)


def _order_by_penalty(penalties: Sequence[float]) -> list[int]:
    return sorted(range(len(penalties)), key=lambda at: -penalties[at])


class LogisticPath(OverPath):
    """Predictions of every split for each of L penalties.

    From one penalty to the next, the optimum of a training part moves nearly as that of all rows,
    so that each part starts close to its own optimum and needs few steps.

    Parameters
    ----------
    splits : sequence of LogisticSplits or None
        (L,) solvers for all rows; None if their optimum was not reached.
    penalties : sequence of float
        (L,).
    n_classes : int
        C.
    """

    def __init__(
        self, splits: Sequence[LogisticSplits | None], penalties: Sequence[float], n_classes: int
    ) -> None:
        self.splits, self.n_classes = splits, n_classes
        self.order = _order_by_penalty(penalties)

    def predict_all(self, parts: Sequence[Part]) -> list[tuple[Predictions, np.ndarray]]:
        """Predict the test parts of several splits."""
        predictions: list[list[Predictions | OrdinaryFit]] = [[] for _ in self.splits]
        moved: FloatArray | None = None
        for at in self.order:
            splits = self.splits[at]
            if splits is None:
                predictions[at] = [NOT_CONVERGED] * len(parts)
                continue
            of_all = splits.optimum.T.reshape(-1)
            coefficients = splits.optima(parts, None if moved is None else of_all + moved)
            predictions[at] = splits.predict_parts(parts, coefficients)
            moved = np.zeros((len(parts), len(of_all))) if moved is None else moved
            for place, B in enumerate(coefficients):
                if not isinstance(B, OrdinaryFit):
                    moved[place] = B - of_all
        return [
            self._join_outcomes(part, [of[j] for of in predictions]) for j, part in enumerate(parts)
        ]

    def _join_outcomes(
        self, part: Part, predictions: Sequence[Predictions | OrdinaryFit]
    ) -> tuple[Predictions, np.ndarray]:
        nothing = self._predict_zeros(len(part.test))
        every = [nothing if isinstance(one, OrdinaryFit) else one for one in predictions]
        outcomes = concatenate_predictions(every)
        return outcomes, np.array([not isinstance(one, OrdinaryFit) for one in predictions])

    def _predict_zeros(self, n: int) -> Predictions:
        scores = np.zeros(n) if self.n_classes == 2 else None
        shares = np.zeros((n, self.n_classes))
        return Predictions(np.zeros(n, np.intp), probabilities=shares, scores=scores)


class PathOfTwoClasses(LogisticPath):
    """The path for two classes, with leave-one-out predictions in closed form."""

    leaves_rows_out: ClassVar[bool] = True

    @cached_property
    def _alone(self) -> list[LogisticLeaveOneOut | None]:
        return [None if splits is None else LogisticLeaveOneOut(splits) for splits in self.splits]

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        """Return leave-one-out predictions for each penalty.

        (L, n_rows) whether they may be used.
        """
        outcomes = [
            (self._predict_zeros(len(rows)), np.zeros(len(rows), dtype=np.bool_))
            if alone is None
            else alone.each_left_out(rows)
            for alone in self._alone
        ]
        predictions = concatenate_predictions([one for one, _ in outcomes])
        return predictions, np.stack([fits for _, fits in outcomes])
