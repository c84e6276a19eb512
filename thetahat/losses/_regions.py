"""Checks of prediction sets and limits, which losses of regions share."""

from __future__ import annotations

import numpy as np

from thetahat.errors import UnsupportedCombination
from thetahat.losses.base import Predictions
from thetahat.values.types import BoolArray, FloatArray

OF_REGIONS = ("regions", "limits")
"""What losses of sets or limits, and of limits alone, use of predictions."""


def get_limits(predictions: Predictions, loss: str) -> FloatArray | None:
    """Return the (n, 2) limits; None for sets. Raise if there are neither."""
    if predictions.limits is not None:
        return predictions.limits
    if predictions.sets is not None:
        return None
    raise UnsupportedCombination(
        f"The loss {loss} needs prediction sets or limits, and there are none.",
        loc=("loss",),
        value=loss,
    )


def get_sets(predictions: Predictions) -> BoolArray:
    """Return the (n, n_classes) sets of predictions that have no limits."""
    assert predictions.sets is not None  # noqa: S101 - get_limits raised without any
    return np.asarray(predictions.sets)
