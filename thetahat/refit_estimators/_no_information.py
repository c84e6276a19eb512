"""The no-information error, which a model would have if targets did not depend on features."""

from __future__ import annotations

import numpy as np

from thetahat.losses.base import Loss, Predictions
from thetahat.values.batch_sizes import NUMBERS_IN_32_MB


def compute_no_information_error(loss: Loss, y: np.ndarray, predictions: Predictions) -> float:
    r"""Return the mean loss over all pairs of a target and a prediction.

    .. math:: \hat\gamma = \frac{1}{n^2} \sum_{i,j} L(y_i, \hat f(x_j))

    Each distinct target is paired with all predictions: n losses for each class in a
    classification, n^2 in a regression unless the loss has a closed form (``mean_over_pairs``).

    Source: efron1997.
    """
    closed_form = getattr(loss, "mean_over_pairs", None)
    if closed_form is not None:
        return float(closed_form(y, predictions.output))
    targets, counts = np.unique(y, return_counts=True)
    n = len(y)
    step = max(1, NUMBERS_IN_32_MB // n)
    total = 0.0
    for start in range(0, len(targets), step):
        batch = targets[start : start + step]
        losses = loss.losses(np.repeat(batch, n), _repeat(predictions, len(batch)))
        total += float(losses.reshape(len(batch), n).mean(axis=1) @ counts[start : start + step])
    return total / n


def _repeat(predictions: Predictions, times: int) -> Predictions:
    probabilities, scores = predictions.probabilities, predictions.scores
    return Predictions(
        output=np.tile(predictions.output, times),
        probabilities=None if probabilities is None else np.tile(probabilities, (times, 1)),
        scores=None if scores is None else np.tile(scores, times),
        classes=predictions.classes,
    )
