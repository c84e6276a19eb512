"""The logistic loss of a decision value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.losses._kinds import DecisionValueLoss
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class LogisticLoss(DecisionValueLoss):
    """Minus the logarithm of the probability that a decision value implies, in nats.

    :math:`y_i` is 1 for the second class and -1 for the first, and :math:`f(x_i)` is the decision
    value. Where f is the logarithm of the odds this is the loss ``log`` without a clip. The source
    calls it the binomial deviance.

    Degenerate cases: it grows as -y f where that is large, and never overflows.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
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

    def compute(self, signs: FloatArray, scores: FloatArray) -> FloatArray:
        """Return (n,) losses."""
        return np.logaddexp(0.0, -signs * scores)
