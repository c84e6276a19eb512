"""Checks of a training part and fitted models that several of our own learners share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thetahat.errors import InsufficientData
from thetahat.losses.base import Predictions
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray, IntArray


def read_weights(weights: FloatArray | None, n: int) -> FloatArray:
    """Return (n,) weights, ones if none are given; raises if all weights are zero."""
    if weights is None:
        return np.ones(n)
    if not weights.any():
        raise InsufficientData(
            "All weights of the training part are zero; there is nothing to learn from.",
            loc=("columns", "weight"),
            value=0.0,
        )
    return weights


def class_weights(y: np.ndarray, weights: FloatArray, n_classes: int) -> FloatArray:
    """Return the (n_classes,) total weight of each class in the training part."""
    return np.asarray(np.bincount(y, weights=weights, minlength=n_classes), dtype=np.float64)


def check_two_classes(totals: FloatArray) -> None:
    """Raise ``InsufficientData`` if fewer than two classes of the training part have weight."""
    present = int(np.count_nonzero(totals))
    if present < 2:
        raise InsufficientData(
            f"The training part has {present} class, and this learner tells two or more apart. "
            "Use fewer folds, a stratified scheme, or the learner 'majority'.",
            loc=("columns", "target"),
            value=present,
        )


@dataclass(frozen=True, slots=True, eq=False)
class ConstantModel:
    """A model with the same prediction for every instance."""

    output: int | float
    """The class code or the value."""
    probabilities: FloatArray | None = None
    """(n_classes,) for a classification."""
    score: float | None = None
    """The log odds of the second of two classes, if they are finite."""

    def predict(self, features: Features) -> Predictions:
        """Repeat the prediction for each instance."""
        if self.probabilities is None:
            return Predictions(np.full(features.n, self.output, dtype=np.float64))
        return Predictions(
            np.full(features.n, self.output, dtype=np.intp),
            probabilities=np.tile(self.probabilities, (features.n, 1)),
            scores=None if self.score is None else np.full(features.n, self.score),
        )


def take_rows(predictions: Predictions, rows: IntArray | slice) -> Predictions:
    """Return the predictions of the rows with these indices."""
    probabilities, scores = predictions.probabilities, predictions.scores
    return Predictions(
        predictions.output[rows],
        probabilities=None if probabilities is None else probabilities[rows],
        scores=None if scores is None else scores[rows],
        classes=predictions.classes,
    )


def concatenate_predictions(predictions: Sequence[Predictions]) -> Predictions:
    """Return the concatenated predictions of several learners or splits.

    They have probabilities and scores if all of them have.
    """
    if len(predictions) == 1:
        return predictions[0]
    return Predictions(
        np.concatenate([one.output for one in predictions]),
        probabilities=_concatenate([one.probabilities for one in predictions]),
        scores=_concatenate([one.scores for one in predictions]),
    )


def _concatenate(parts: Sequence[FloatArray | None]) -> FloatArray | None:
    given = [part for part in parts if part is not None]
    return np.concatenate(given) if len(given) == len(parts) else None
