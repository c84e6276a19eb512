"""The interval score of prediction limits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.losses._regions import get_limits
from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalScore:
    r"""Width, plus a penalty for a truth outside in proportion to its distance.

    Parameters
    ----------
    alpha : float
        One minus the coverage that the limits are made for, in (0, 1).
    """

    alpha: float = 0.1

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Interval score",
        summary=(
            "The width of a prediction interval, plus 2/alpha times the distance of a true value "
            "outside it. Right limits of coverage 1 - alpha have the lowest mean."
        ),
        formula=(
            r"e_i = (u_i - l_i) + \frac{2}{\alpha} (l_i - y_i)_+ + \frac{2}{\alpha} (y_i - u_i)_+"
        ),
        references=("gneiting2007",),
        assumptions="All models' limits are made for coverage 1 - alpha.",
        errs="A model with limits for another coverage loses, however good they are.",
    )
    task: ClassVar[str | None] = "regression"
    uses: ClassVar[str] = "limits"
    value_range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:  # written so that NaN fails
            raise InvalidParameter(
                f"alpha must lie between 0 and 1, and is {self.alpha}.",
                loc=("alpha",),
                value=str(self.alpha),
            )

    def losses(self, y_true: np.ndarray, predictions: Predictions) -> FloatArray:
        """Return (n,) scores."""
        limits = get_limits(predictions, self.info.name)
        if limits is None:
            raise UnsupportedCombination(
                f"The loss {self.info.name} needs prediction limits, and these are sets.",
                loc=("loss",),
                value=self.info.name,
            )
        lower, upper = limits.T
        outside = np.maximum(lower - y_true, 0) + np.maximum(y_true - upper, 0)
        with np.errstate(over="ignore"):  # the caller raises for an infinite loss and names its row
            return np.asarray(upper - lower + 2 / self.alpha * outside, dtype=np.float64)
