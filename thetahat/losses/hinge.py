"""The hinge loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.losses._kinds import DecisionValueLoss
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Hinge(DecisionValueLoss):
    """How far the decision value of the true class falls short of 1.

    :math:`y_i` is 1 for the second class and -1 for the first, and :math:`f(x_i)` is the decision
    value.

    Degenerate cases: a decision value of 0, on the border between the classes, loses 1.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Hinge loss",
        summary=(
            "How far the decision value of the true class falls short of 1; values above 1 lose "
            "nothing. Support vector machines minimise it."
        ),
        formula=r"e_i = \max(0, 1 - y_i f(x_i))",
        references=("cortes1995",),
        assumptions=(
            "Two classes, and decision values on the scale on which the learner's margin is 1."
        ),
        errs=(
            "It depends on the scale of the decision values: two models that classify alike differ "
            "in this loss if one has larger decision values."
        ),
    )

    def compute(self, signs: FloatArray, scores: FloatArray) -> FloatArray:
        """Return (n,) losses."""
        return np.maximum(0.0, 1 - signs * scores)
