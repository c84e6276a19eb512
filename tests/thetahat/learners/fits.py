"""Features from matrices, and one call from rows to predictions, for the tests of the learners."""

from __future__ import annotations

from typing import Any

import numpy as np

from thetahat.learners.base import Learner
from thetahat.losses.base import Predictions
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray


def table(matrix: Any) -> Features:
    """Return (n, p) numbers as features ``x0``, ``x1``, ..."""
    X = np.asarray(matrix, dtype=np.float64)
    return Features(tuple(f"x{j}" for j in range(X.shape[1])), tuple(X.T))


def predicted(  # the whole life of a model
    learner: Learner,
    X: Any,
    y: Any,
    at: Any,
    *,
    weights: Any = None,
    n_classes: int = 0,
) -> Predictions:
    """Fit and predict."""
    target = np.asarray(y, dtype=np.intp if n_classes else np.float64)
    fitted = learner.fit(
        table(X),
        target,
        weights=None if weights is None else np.asarray(weights, dtype=np.float64),
        n_classes=n_classes,
        rng=np.random.default_rng(0),
    )
    return fitted.predict(table(at))


def probabilities(predictions: Predictions) -> FloatArray:
    """Return the probabilities of a model that gives them."""
    assert predictions.probabilities is not None
    return predictions.probabilities
