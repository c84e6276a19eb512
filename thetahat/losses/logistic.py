"""The logistic loss of a decision value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.losses._checks import check_two_classes, get_signs_and_scores
from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray, Label


@dataclass(frozen=True, slots=True, kw_only=True)
class LogisticLoss:
    """Minus the logarithm of the probability that a decision value implies, in nats.

    :math:`y_i` is 1 for the second class and -1 for the first, and :math:`f(x_i)` is the decision
    value. Where f is the logarithm of the odds this is the loss ``log`` without a clip. The source
    calls it the binomial deviance.

    Degenerate cases: it grows as -y f where that is large, and never overflows.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="logistic",
        title="Logistic loss",
        summary=(
            "The logarithmic loss of the probability that the decision value implies if it is the "
            "logarithm of the odds. Logistic regression minimises it."
        ),
        formula=r"e_i = \log(1 + e^{-y_i f(x_i)})",
        references=("hastie2009",),
        assumptions="Two classes, and decision values that are logarithms of odds.",
        errs=(
            "Decision values on another scale, such as distances to a plane, look overconfident or "
            "underconfident for that reason alone."
        ),
    )
    task: ClassVar[str | None] = "classification"
    uses: ClassVar[str] = "scores"
    value_range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def for_classes(self, classes: tuple[Label, ...]) -> LogisticLoss:
        """Return the loss; raise if there are not exactly two classes."""
        check_two_classes(self.info.name, classes)
        return self

    def losses(self, y_true: np.ndarray, predictions: Predictions) -> FloatArray:
        """Return (n,) losses; ``y_true`` are 0 and 1."""
        sign, score = get_signs_and_scores(y_true, predictions, self.info.name)
        return np.asarray(np.logaddexp(0.0, -sign * score), dtype=np.float64)


METHOD = LogisticLoss
