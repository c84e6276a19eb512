"""The squared distance of a decision value from the class's sign."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.losses._checks import check_two_classes, get_signs_and_scores
from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo
from thetahat.traits import LossTraits
from thetahat.values.types import FloatArray, Label


@dataclass(frozen=True, slots=True, kw_only=True)
class QuadraticMargin:
    """Squared distance between a decision value and the true class as a sign.

    :math:`y_i` is 1 for the second class and -1 for the first, and :math:`f(x_i)` is the decision
    value. It is the loss of the source's weighted least-squares classifier.

    Degenerate cases: an instance far on the right side loses as much as one on the wrong side.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="quadratic_margin",
        title="Quadratic loss of the margin",
        summary=(
            "The squared distance between the decision value and the class as -1 or 1. "
            "Least-squares classifiers minimise it."
        ),
        formula=r"e_i = (f(x_i) - y_i)^2",
        references=("kouw2019",),
        assumptions="Two classes, and decision values that were fitted to -1 and 1.",
        errs=(
            "Decision values far on the right side lose as much as wrong ones, so that it can rank "
            "two classifiers in the opposite order of their error rates."
        ),
        loss=LossTraits(of_least_squares=True),
    )
    task: ClassVar[str | None] = "classification"
    uses: ClassVar[str] = "scores"
    value_range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def for_classes(self, classes: tuple[Label, ...]) -> QuadraticMargin:
        """Return the loss; raise if there are not exactly two classes."""
        check_two_classes(self.info.name, classes)
        return self

    def losses(self, y_true: np.ndarray, predictions: Predictions) -> FloatArray:
        """Return (n,) losses; ``y_true`` are 0 and 1."""
        sign, score = get_signs_and_scores(y_true, predictions, self.info.name)
        with np.errstate(over="ignore"):  # the caller raises for an infinite loss and names its row
            return np.asarray((score - sign) ** 2, dtype=np.float64)


METHOD = QuadraticMargin
