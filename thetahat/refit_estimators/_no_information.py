"""The error that a model would have if targets had nothing to do with features."""

from __future__ import annotations

import numpy as np

from thetahat.losses.base import Loss, Predictions

_PAIRS_AT_ONCE = 4_000_000


def no_information_error(loss: Loss, y: np.ndarray, predictions: Predictions) -> float:
    r"""Mean loss over all pairs of a target and a prediction.

    .. math:: \hat\gamma = \frac{1}{n^2} \sum_{i,j} L(y_i, \hat f(x_j))

    Each distinct target is set against all predictions, so a classification costs n losses for
    each class, and a regression n^2 unless the loss has a shorter way (``mean_over_pairs``).

    Source: efron1997.
    """
    closed_form = getattr(loss, "mean_over_pairs", None)
    if closed_form is not None:
        return float(closed_form(y, predictions.output))
    targets, counts = np.unique(y, return_counts=True)
    n = len(y)
    at_once = max(1, _PAIRS_AT_ONCE // n)
    total = 0.0
    for start in range(0, len(targets), at_once):
        some = targets[start : start + at_once]
        losses = loss.losses(np.repeat(some, n), _repeated(predictions, len(some)))
        total += float(losses.reshape(len(some), n).mean(axis=1) @ counts[start : start + at_once])
    return total / n


def _repeated(predictions: Predictions, times: int) -> Predictions:
    probabilities, scores = predictions.probabilities, predictions.scores
    return Predictions(
        output=np.tile(predictions.output, times),
        probabilities=None if probabilities is None else np.tile(probabilities, (times, 1)),
        scores=None if scores is None else np.tile(scores, times),
        classes=predictions.classes,
    )
