"""Checks of the predictions that all pointwise losses share."""

from __future__ import annotations

import numpy as np

from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.losses.base import Predictions
from thetahat.tables.labels import ABSENT_CLASSES
from thetahat.values.types import FloatArray, Label

_ROUNDING = 1e-9  # a softmax may come out above 1 by a few units in the last place


def check_paired(y_true: np.ndarray, predictions: Predictions) -> None:
    """Raise ``InvalidParameter`` unless there is one prediction for each true value."""
    if predictions.output.shape != y_true.shape:
        raise InvalidParameter(
            f"Expected {len(y_true)} predictions, got an array of shape "
            f"{predictions.output.shape}.",
            loc=("predictions",),
            value=list(predictions.output.shape),
        )


def get_probabilities(y_true: np.ndarray, predictions: Predictions, loss: str) -> FloatArray:
    """Return the (n, n_classes) probabilities; raise if there are none or their shape is wrong.

    Missing values (NaN) are kept.
    """
    probabilities = predictions.probabilities
    if probabilities is None:
        raise UnsupportedCombination(
            f"The loss {loss!r} needs class probabilities, and there are none. 'zero_one' needs "
            "only the predicted class.",
            loc=("loss",),
            value=loss,
        )
    if probabilities.ndim != 2 or len(probabilities) != len(y_true):
        raise InvalidParameter(
            f"Expected {len(y_true)} rows of probabilities, got an array of shape "
            f"{probabilities.shape}.",
            loc=("probabilities",),
            value=list(probabilities.shape),
        )
    n_columns = probabilities.shape[1]
    if len(y_true) and int(y_true.max()) >= n_columns:
        raise InvalidParameter(
            f"Class code {int(y_true.max())} has no column among {n_columns} probabilities.",
            loc=("probabilities",),
            value=n_columns,
        )
    return probabilities


def check_shares(shares: np.ndarray) -> None:
    """Raise for the first of (n,) or (n, n_classes) probabilities that is not in [0, 1]."""
    outside = (shares < -_ROUNDING) | (shares > 1 + _ROUNDING)
    if not outside.any():
        return
    at = tuple(int(i) for i in np.argwhere(outside)[0])
    raise InvalidParameter(
        f"A probability must lie between 0 and 1; that of instance {at[0]} is {shares[at]}.",
        loc=("probabilities", at[0]),
        value=float(shares[at]),
    )


def check_two(loss: str, n_classes: int, otherwise: str) -> None:
    """Raise ``UnsupportedCombination`` unless there are two classes."""
    if n_classes != 2:
        advice = f"{otherwise}." if n_classes > 2 else ABSENT_CLASSES
        raise UnsupportedCombination(
            f"The loss {loss!r} is for two classes, and there are {n_classes}. {advice}",
            loc=("loss",),
            value=loss,
        )


def check_two_classes(loss: str, classes: tuple[Label, ...]) -> None:
    """Raise ``UnsupportedCombination`` unless there are two classes, as decision values need."""
    check_two(loss, len(classes), "'log', 'brier' and 'zero_one' take any number")


def get_signs_and_scores(
    y_true: np.ndarray, predictions: Predictions, loss: str
) -> tuple[FloatArray, FloatArray]:
    """Return (n,) truths as -1 and 1, and (n,) decision values of the second class."""
    scores = predictions.scores
    if scores is None:
        raise UnsupportedCombination(
            f"The loss {loss!r} needs a decision value for each instance, and there is none. A "
            "learner has none if log odds are infinite, because nothing varies within its classes "
            "or a training part has one class only. "
            "'zero_one' needs only the predicted class.",
            loc=("loss",),
            value=loss,
        )
    if scores.shape != y_true.shape:
        raise InvalidParameter(
            f"Expected {len(y_true)} decision values, got an array of shape {scores.shape}.",
            loc=("scores",),
            value=list(scores.shape),
        )
    if len(y_true) and int(y_true.max()) > 1:
        check_two(loss, int(y_true.max()) + 1, "'log', 'brier' and 'zero_one' take any number")
    return np.where(y_true == 1, 1.0, -1.0), np.asarray(scores, dtype=np.float64)
