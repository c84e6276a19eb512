"""The squared loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.losses._kinds import RegressionLoss
from thetahat.registry import MethodInfo
from thetahat.traits import LossTraits
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Squared(RegressionLoss):
    """Squared difference of prediction and target, in squared units of the target.

    The constant with the least mean loss is the mean of the target.

    Degenerate cases: an error beyond 1e154 overflows to infinity, which no evaluation accepts.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Squared loss",
        summary=(
            "The squared difference of prediction and target. Its mean is the mean squared error, "
            "in squared units of the target."
        ),
        formula=r"e_i = (\hat y_i - y_i)^2",
        references=("hastie2009",),
        assumptions="A mistake twice as large is four times as bad.",
        errs=(
            "A few large errors dominate the mean and its variance. With heavy tails an interval "
            "on it covers less often than its level."
        ),
        is_default=True,
        loss=LossTraits(of_least_squares=True, has_bias_and_variance=True),
    )

    def compute(self, errors: FloatArray) -> FloatArray:
        """Return (n,) squared errors."""
        return errors**2

    def mean_over_pairs(self, y_true: FloatArray, output: FloatArray) -> float:
        """Return the mean loss over all pairs of a target and a prediction, by moments."""
        return float(y_true.var() + output.var() + (y_true.mean() - output.mean()) ** 2)
