"""Base classes of losses that compare values, and of losses of a decision value."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar, Self

import numpy as np

from thetahat.losses._checks import check_paired, check_two_classes, get_signs_and_scores
from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray, Label


class RegressionLoss(ABC):
    """A loss of the error of a predicted value."""

    __slots__ = ()

    task: ClassVar[str | None] = "regression"
    uses: ClassVar[str] = "output"
    value_range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    @abstractmethod
    def compute(self, errors: FloatArray) -> FloatArray:
        """Return the (n,) losses from (n,) errors, prediction minus truth."""

    def losses(self, y_true: np.ndarray, predictions: Predictions) -> FloatArray:
        """Return (n,) losses."""
        check_paired(y_true, predictions)
        with np.errstate(over="ignore"):  # the caller raises for an infinite loss and names its row
            return np.asarray(self.compute(predictions.output - y_true), dtype=np.float64)


class DecisionValueLoss(ABC):
    """A loss of the decision value of the second of two classes."""

    __slots__ = ()

    info: ClassVar[MethodInfo]
    task: ClassVar[str | None] = "classification"
    uses: ClassVar[str] = "scores"
    value_range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    @abstractmethod
    def compute(self, signs: FloatArray, scores: FloatArray) -> FloatArray:
        """Return the (n,) losses from (n,) truths as -1 and 1, and (n,) decision values."""

    def for_classes(self, classes: tuple[Label, ...]) -> Self:
        """Return the loss; raise if there are not exactly two classes."""
        check_two_classes(self.info.name, classes)
        return self

    def losses(self, y_true: np.ndarray, predictions: Predictions) -> FloatArray:
        """Return (n,) losses; ``y_true`` are 0 and 1."""
        signs, scores = get_signs_and_scores(y_true, predictions, self.info.name)
        with np.errstate(over="ignore"):  # the caller raises for an infinite loss and names its row
            return np.asarray(self.compute(signs, scores), dtype=np.float64)
