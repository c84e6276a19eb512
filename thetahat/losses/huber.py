"""Huber's loss."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.losses._checks import check_paired
from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Huber:
    r"""Half the squared error up to delta, and linear beyond it.

    :math:`r_i = \hat y_i - y_i`. The loss is in squared units of the target.

    Parameters
    ----------
    delta : float
        :math:`\delta`, above 0, in units of the target: where large errors begin.
    """

    delta: float = 1.0

    info: ClassVar[MethodInfo] = MethodInfo(
        name="huber",
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
    task: ClassVar[str | None] = "regression"
    uses: ClassVar[str] = "output"
    value_range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def __post_init__(self) -> None:
        if not 0 < self.delta < math.inf:
            raise InvalidParameter(
                f"delta must be a finite number above 0, and is {self.delta}.",
                loc=("delta",),
                value=self.delta,
            )

    def losses(self, y_true: np.ndarray, predictions: Predictions) -> FloatArray:
        """Return (n,) losses."""
        check_paired(y_true, predictions)
        with np.errstate(over="ignore"):  # the caller raises for an infinite loss and names its row
            size = np.abs(predictions.output - y_true)
            near = np.minimum(size, self.delta)
            return np.asarray(near * (size - near / 2), dtype=np.float64)


METHOD = Huber
