"""The absolute loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.losses._kinds import RegressionLoss
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Absolute(RegressionLoss):
    """Absolute difference of prediction and target, in units of the target."""

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Absolute loss",
        summary=(
            "The absolute difference of prediction and target. Its mean is the mean absolute "
            "error, in units of the target."
        ),
        formula=r"e_i = |\hat y_i - y_i|",
        references=("hastie2009",),
        assumptions="A mistake twice as large is twice as bad.",
        errs=(
            "The constant with the least mean loss is a median of the target, so the loss favours "
            "models of the median: where the target is skewed, a model that is right on average "
            "looks worse than one that is right in the middle."
        ),
    )

    def compute(self, errors: FloatArray) -> FloatArray:
        """Return (n,) absolute errors."""
        return np.abs(errors)

    def mean_over_pairs(self, y_true: FloatArray, output: FloatArray) -> float:
        """Return the mean of all |y_i - f_j|, from the sums of the predictions below each target.

        The predictions are sorted, so that it takes n log n steps.
        """
        n = len(output)
        ordered = np.sort(output - y_true[0])  # about a target: large levels cost no digits
        below = np.concatenate([[0.0], np.cumsum(ordered)])
        targets = y_true - y_true[0]
        k = np.searchsorted(ordered, targets)
        distances = targets * k - below[k] + (below[n] - below[k]) - targets * (n - k)
        return float(distances.mean()) / n
