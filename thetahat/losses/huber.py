"""Huber's loss."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.losses._kinds import RegressionLoss
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Huber(RegressionLoss):
    r"""Half the squared error up to delta, and linear beyond it.

    :math:`r_i = \hat y_i - y_i`. The loss is in squared units of the target.

    Parameters
    ----------
    delta : float
        :math:`\delta`, above 0, in units of the target: where large errors begin.
    """

    delta: float = 1.0

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Huber loss",
        summary=(
            "Half the squared error up to delta, and growing linearly beyond it, so that a few "
            "large errors do not dominate the mean."
        ),
        formula=(
            r"e_i = r_i^2 / 2 \text{ for } |r_i| \le \delta, \text{ else }"
            r" \delta (|r_i| - \delta / 2)"
        ),
        references=("huber1964",),
        assumptions=(
            "Errors beyond delta are only proportionally worse, and delta was chosen before the "
            "losses were seen."
        ),
        errs=(
            "With delta far above all errors it is half the squared loss; with delta far below "
            "them it is delta times the absolute loss. It cannot be interpreted without delta."
        ),
    )

    def __post_init__(self) -> None:
        if not 0 < self.delta < math.inf:
            raise InvalidParameter(
                f"delta must be a finite number above 0, and is {self.delta}.",
                loc=("delta",),
                value=self.delta,
            )

    def compute(self, errors: FloatArray) -> FloatArray:
        """Return (n,) losses."""
        size = np.abs(errors)
        near = np.minimum(size, self.delta)
        return np.asarray(near * (size - near / 2))
