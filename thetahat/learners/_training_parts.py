"""What the service's own learners ask of a training part, and what they hand out alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thetahat.errors import EvaluationError, InsufficientData
from thetahat.learners.base import OrdinaryFit
from thetahat.losses.base import Predictions
from thetahat.tables.features import Columns, Features
from thetahat.values.types import FloatArray


def read_weights(weights: FloatArray | None, n: int) -> FloatArray:
    """(n,) weights, ones where none are given; refuses a part whose weights are all zero."""
    if weights is None:
        return np.ones(n)
    if not weights.any():
        raise InsufficientData(
            "all weights of the training part are zero; there is nothing to learn from",
            loc=("columns", "weight"),
            value=0.0,
        )
    return weights


def complete_or_plain(features: Features) -> FloatArray | OrdinaryFit:
    """(n, p) of all columns, or why there is no such matrix of all rows.

    The plain path says the same, or finds in a single split that nothing is missing there.
    """
    try:
        return features.complete_matrix()
    except EvaluationError as error:
        return OrdinaryFit(error.message)


def columns_or_plain(features: Features) -> Columns | OrdinaryFit:
    """(p,) columns of (n,) values, as ``complete_or_plain``."""
    try:
        return features.complete_columns()
    except EvaluationError as error:
        return OrdinaryFit(error.message)


def class_weights(y: np.ndarray, weights: FloatArray, n_classes: int) -> FloatArray:
    """(n_classes,) total weight of each class in the training part."""
    return np.asarray(np.bincount(y, weights=weights, minlength=n_classes), dtype=np.float64)


def check_two_classes(totals: FloatArray) -> None:
    """Refuse a training part in which fewer than two classes have weight."""
    present = int(np.count_nonzero(totals))
    if present < 2:
        raise InsufficientData(
            f"the training part has {present} class, and this learner tells two or more apart; "
            "use fewer folds, a stratified scheme, or the learner 'majority'",
            loc=("columns", "target"),
            value=present,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """A model that says the same of every instance.

    Parameters
    ----------
    output : int or float
        The class code or the value.
    probabilities : ndarray of float or None
        (n_classes,) for a classification.
    """

    output: int | float
    probabilities: FloatArray | None = None

    def predict(self, features: Features) -> Predictions:
        """Say it once per instance."""
        if self.probabilities is None:
            return Predictions(np.full(features.n, self.output, dtype=np.float64))
        return Predictions(
            np.full(features.n, self.output, dtype=np.intp),
            probabilities=np.tile(self.probabilities, (features.n, 1)),
        )


def one_after_another(predictions: Sequence[Predictions]) -> Predictions:
    """Return the predictions of several learners, those of the first, then those of the next.

    All of them give probabilities, or none does; the same of scores.
    """
    return Predictions(
        np.concatenate([one.output for one in predictions]),
        probabilities=_joined([one.probabilities for one in predictions]),
        scores=_joined([one.scores for one in predictions]),
    )


def _joined(parts: Sequence[FloatArray | None]) -> FloatArray | None:
    given = [part for part in parts if part is not None]
    return np.concatenate(given) if given else None
