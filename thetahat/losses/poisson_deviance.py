"""The Poisson deviance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.losses._checks import check_paired
from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo
from thetahat.special_functions import xlogy
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class PoissonDeviance:
    r"""Twice the log-likelihood that a count loses under the predicted mean.

    :math:`0 \log 0 = 0`. The constant with the least mean loss is the mean of the target. The
    source calls it the deviance of the Poisson family.

    Degenerate cases: a negative target and a prediction of 0 or less are refused, with their row.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Poisson deviance",
        summary=(
            "Twice the difference of a count's log-likelihood under itself and under the predicted "
            "mean, for targets of 0 or more."
        ),
        formula=r"e_i = 2 (y_i \log(y_i / \hat y_i) - y_i + \hat y_i)",
        references=("mccullagh1989",),
        assumptions=(
            "The target is a count, or another amount of 0 or more whose variance grows as its "
            "mean. Predictions are above 0."
        ),
        errs=(
            "A prediction near 0 for a positive count costs without bound, and errors on large "
            "counts weigh less than under the squared loss."
        ),
    )
    task: ClassVar[str | None] = "regression"
    uses: ClassVar[str] = "output"
    value_range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def check_truth(self, y_true: np.ndarray) -> None:
        """Refuse a negative target."""
        _refuse(
            y_true < 0,
            y_true,
            "y",
            "a target must be 0 or more for the Poisson deviance, and one is",
        )

    def losses(self, y_true: np.ndarray, predictions: Predictions) -> FloatArray:
        """Return (n,) losses."""
        check_paired(y_true, predictions)
        y = np.asarray(y_true, dtype=np.float64)
        mean = np.asarray(predictions.output, dtype=np.float64)
        self.check_truth(y)
        _refuse(
            mean <= 0,
            mean,
            "predictions",
            "a prediction must be above 0 for the Poisson deviance, and one is",
        )
        with np.errstate(over="ignore"):  # the caller raises for an infinite loss and names its row
            deviance = 2 * (xlogy(y, y / mean) - y + mean)
        return np.asarray(np.maximum(deviance, 0.0), dtype=np.float64)  # rounding, where y = mean


def _refuse(bad: np.ndarray, values: FloatArray, field: str, message: str) -> None:
    if bad.any():
        at = int(np.argmax(bad))
        raise InvalidParameter(
            f"{message} {values[at]:.6g}.", loc=(field, at), value=float(values[at])
        )
