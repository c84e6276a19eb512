"""The pinball loss of a quantile."""

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
class Pinball:
    r"""Absolute error, weighted by its sign, in units of the target.

    :math:`\tau` is ``quantile``. The constant with the least mean loss is that quantile of the
    target.

    Parameters
    ----------
    quantile : float
        :math:`\tau`, in (0, 1). At a half the loss is half the absolute one.
    """

    quantile: float = 0.5

    info: ClassVar[MethodInfo] = MethodInfo(
        name="pinball",
        title="Pinball loss",
        summary=(
            "The absolute error, with weight quantile where the prediction is too low and one "
            "minus that where it is too high. It is for models of a quantile."
        ),
        formula=r"e_i = \tau (y_i - \hat y_i)_+ + (1 - \tau) (\hat y_i - y_i)_+",
        references=("koenker1978",),
        assumptions="The model predicts that quantile of the target.",
        errs=(
            "It favours models of that quantile: a model of the mean loses by the distance between "
            "the two."
        ),
    )
    task: ClassVar[str | None] = "regression"
    uses: ClassVar[str] = "output"
    value_range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def __post_init__(self) -> None:
        if not 0 < self.quantile < 1:
            raise InvalidParameter(
                f"quantile must lie between 0 and 1, and is {self.quantile}.",
                loc=("quantile",),
                value=self.quantile,
            )

    def losses(self, y_true: np.ndarray, predictions: Predictions) -> FloatArray:
        """Return (n,) losses."""
        check_paired(y_true, predictions)
        with np.errstate(over="ignore"):  # the caller raises for an infinite loss and names its row
            short = y_true - predictions.output
        weight = np.where(short > 0, self.quantile, 1 - self.quantile)
        return np.asarray(weight * np.abs(short), dtype=np.float64)


METHOD = Pinball
