"""Small tables for the tests of pipelines."""

from __future__ import annotations

from typing import Any

import numpy as np

from thetahat.learners.base import Learner
from thetahat.losses.base import Predictions
from thetahat.pipelines import FittedPipeline, Pipeline, build, read_learner_spec
from thetahat.tables.features import Features
from thetahat.values.types import IntArray


def numbers(n: int = 60, p: int = 3, *, seed: int = 20) -> Features:
    """Positive numbers, so that every estimator of the list takes them."""
    X = np.random.default_rng(seed).gamma(2.0, size=(n, p))
    return Features(tuple("abcdefghij"[:p]), tuple(X.T.copy()))


def codes(features: Features, n_classes: int = 2) -> IntArray:
    """Classes that the first two columns tell apart, imperfectly."""
    noise = np.random.default_rng(21).normal(scale=0.4, size=features.n)
    score = features.columns[0] + features.columns[1] + noise
    edges = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return np.asarray(np.searchsorted(edges, score), dtype=np.intp)


def values(features: Features) -> np.ndarray:
    """Positive values that the first two columns explain, imperfectly."""
    noise = np.random.default_rng(22).uniform(0.1, 0.5, size=features.n)
    return np.asarray(features.columns[0] + 0.5 * features.columns[1] + noise)


def strings(*entries: str | None) -> np.ndarray:
    """Return a column of strings."""
    return np.array(entries, dtype=object)


def built(wire: Any, task: str = "classification") -> Learner:
    """Return the learner of a wire spec."""
    return build(read_learner_spec(wire), task)


def fit_predict(
    learner: Learner,
    features: Features,
    y: np.ndarray,
    train: IntArray,
    test: IntArray,
    *,
    seed: int = 0,
    n_classes: int = 2,
) -> Predictions:
    """Fit on some rows and predict others."""
    fitted = learner.fit(
        features.rows(train),
        y[train],
        weights=None,
        rng=np.random.default_rng(seed),
        n_classes=n_classes,
    )
    return fitted.predict(features.rows(test))


MIXED = Features(
    ("a", "kind", "b", "place"),
    (
        np.array([1.0, 2.0, 3.0, 6.0]),
        strings("x", "y", "x", "y"),
        np.array([0.0, 1.0, 0.0, 2.0]),
        strings("p", "p", "q", "p"),
    ),
)


def fitted(steps: list[Any], features: Features, y: np.ndarray) -> FittedPipeline:
    """Return the steps as they are learnt from all rows, in front of a naive Bayes."""
    pipeline = built({"name": "GaussianNB", "prepare": steps})
    assert isinstance(pipeline, Pipeline)
    return pipeline.fit(features, y, weights=None, rng=np.random.default_rng(0), n_classes=2)


def reached(steps: list[Any], features: Features) -> Features:
    """Return the table that reaches the learner, the classes of its rows being 0, 1, 0, 1, ..."""
    for step in fitted(steps, features, np.arange(features.n) % 2).steps:
        features = step.transform(features)
    return features
