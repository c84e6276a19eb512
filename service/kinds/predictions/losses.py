"""The losses of given predictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from service.kinds.predictions.columns import Said, class_labels
from thetahat.errors import EvaluationError, Loc
from thetahat.losses.base import Loss, Predictions, for_classes
from thetahat.values.types import FloatArray


def losses_of(
    loss: Loss,
    said: Said,
    classes: list[Any] | None,
    y_true: np.ndarray,
    predictions: Mapping[str, Predictions],
) -> dict[str, FloatArray]:
    """Return the losses by model; a refusal says where in the request the fault lies."""
    if loss.task != "regression":
        loss = for_classes(loss, class_labels(said, classes))
    found: dict[str, FloatArray] = {}
    for model, predicted in predictions.items():
        places: dict[Any, Loc] = {
            "y": said.y_loc,
            "predictions": (*said.predictions_loc, model),
            "scores": (*said.scores_loc, model),
        }
        try:
            found[model] = loss.losses(y_true, predicted)
        except EvaluationError as error:
            if error.loc and error.loc[0] in places:
                error.loc = (*places[error.loc[0]], *error.loc[1:])
            raise
    return found
