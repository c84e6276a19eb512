"""The hinge loss."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.losses._checks import check_two_classes, signs_and_scores
from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray, Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Hinge:
    r"""How far a decision value falls short of the margin of 1.

    .. math:: e_i = \max(0, 1 - y_i f(x_i)), \qquad y_i \in \{-1, 1\}

    with y = 1 for the second class and f its decision value.

    Assumptions: the decision values are on the scale on which the learner's margin is 1.

    Source: cortes1995.

    Degenerate cases: a value of 0, on the border, loses 1.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="hinge",
        title="Hinge loss",
        summary=(
            "How far the decision value of the true class falls short of 1; nothing is lost "
            "beyond. It is what support vector machines are trained on."
        ),
        formula=r"e_i = \max(0, 1 - y_i f(x_i))",
        references=("cortes1995",),
        assumptions="Two classes, and a decision value whose margin is 1.",
        errs=(
            "It depends on the scale of the decision values: of two models that classify alike, "
            "the one with larger values loses more or less by that alone."
        ),
    )
    task: ClassVar[str | None] = "classification"
    uses: ClassVar[str] = "scores"
    value_range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def for_classes(self, classes: tuple[Label, ...]) -> Hinge:
        """Refuse other than two classes."""
        check_two_classes(self.info.name, classes)
        return self

    def losses(self, y_true: np.ndarray, predictions: Predictions) -> FloatArray:
        """Return (n,) losses; ``y_true`` are 0 and 1."""
        sign, score = signs_and_scores(y_true, predictions, self.info.name)
        return np.asarray(np.maximum(0.0, 1 - sign * score), dtype=np.float64)


METHOD = Hinge
