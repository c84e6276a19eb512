"""The squared distance of a decision value from the class's sign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.losses._kinds import DecisionValueLoss
from thetahat.registry import MethodInfo
from thetahat.traits import LossTraits
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class QuadraticMargin(DecisionValueLoss):
    """Squared distance between a decision value and the true class as a sign.

    :math:`y_i` is 1 for the second class and -1 for the first, and :math:`f(x_i)` is the decision
    value. It is the loss of the source's weighted least-squares classifier.

    Degenerate cases: an instance far on the right side loses as much as one on the wrong side.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
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

    def compute(self, signs: FloatArray, scores: FloatArray) -> FloatArray:
        """Return (n,) losses."""
        return (scores - signs) ** 2
