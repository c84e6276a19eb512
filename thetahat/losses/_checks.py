"""What every pointwise loss asks of the predictions it is given."""

from __future__ import annotations

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.losses.base import Predictions


def check_paired(y_true: np.ndarray, predictions: Predictions) -> None:
    """Refuse predictions that are not one per true value."""
    if predictions.output.shape != y_true.shape:
        raise InvalidParameter(
            f"expected {len(y_true)} predictions, got an array of shape {predictions.output.shape}",
            loc=("predictions",),
            value=list(predictions.output.shape),
        )
