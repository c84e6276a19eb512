"""Estimators of a script, given to ``thetahat.cross_validate`` as objects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

import thetahat
from tests.thetahat.learners.fits import table
from thetahat.errors import (
    InsufficientData,
    InvalidParameter,
    LearnerFailed,
    UnsupportedCombination,
)
from thetahat.pipelines.estimator_object import EstimatorObject
from thetahat.tables.data import build_data
from thetahat.tables.frames import read_table

N_FOLDS = 5
FOLDS = np.arange(120) % N_FOLDS


def draw_table(labels: list[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return (120, 3) features and (120,) labels that depend on the first feature."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(120, 3)) * [1, 10, 0.1]
    score = X[:, 0] + rng.normal(size=120) * 0.8
    return X, np.array(labels, dtype=object)[np.digitize(score, [-0.5, 0.5])]


def evaluate(X: np.ndarray, y: np.ndarray, estimator: Any, task: str, **options: Any) -> Any:
    return thetahat.cross_validate(
        X, y.tolist(), {"m": estimator}, task=task, scheme="predefined", fold=FOLDS, **options
    )


@pytest.mark.parametrize("labels", [["low", "mid", "high"], [3, 1, 2], [True, False, True]])
@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(5, random_state=3),
        make_pipeline(StandardScaler(), LogisticRegression()),
        GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [0.1, 10]}),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_against_sklearn_zero_one_losses_of_a_plain_loop(labels: list[Any], estimator: Any) -> None:
    X, y = draw_table(labels)
    texts = np.array([str(label) for label in y])
    expected = []
    for fold in range(N_FOLDS):
        train, test = fold != FOLDS, fold == FOLDS
        predicted = clone(estimator).fit(X[train], texts[train]).predict(X[test])
        expected.append(np.mean(predicted != texts[test]))

    result = evaluate(X, y, estimator, "classification")

    assert_allclose(result.models["m"].mean.macro, np.mean(expected), atol=1e-15)
    assert not hasattr(estimator, "classes_")


def test_against_sklearn_probabilities_and_scores() -> None:
    X, y = draw_table(["no", "yes", "no"])
    estimator = make_pipeline(StandardScaler(), LogisticRegression())
    log_losses, areas = [], []
    for fold in range(N_FOLDS):
        train, test = fold != FOLDS, fold == FOLDS
        fitted = clone(estimator).fit(X[train], y[train].astype(str))
        log_losses.append(
            log_loss(y[test] == "yes", fitted.predict_proba(X[test])[:, 1], labels=[False, True])
        )
        areas.append(roc_auc_score(y[test] == "yes", fitted.decision_function(X[test])))

    result = evaluate(X, y, estimator, "classification", loss="log", metrics=["roc_auc"])

    assert_allclose(result.models["m"].mean.macro, np.mean(log_losses), rtol=1e-12)
    assert_allclose(result.models["m"].metrics["roc_auc"].estimate.macro, np.mean(areas))


def test_against_sklearn_regression() -> None:
    X, _ = draw_table([0, 1, 2])
    y = X @ [1.0, 0.2, -3.0]
    expected = [
        np.mean(
            (Ridge(2).fit(X[k != FOLDS], y[k != FOLDS]).predict(X[k == FOLDS]) - y[k == FOLDS]) ** 2
        )
        for k in range(N_FOLDS)
    ]

    result = evaluate(X, y, Ridge(2), "regression")

    assert_allclose(result.models["m"].mean.macro, np.mean(expected), rtol=1e-10)


def test_exact_the_seed_decides_estimators_without_a_random_state() -> None:
    X, _ = draw_table([0, 1, 2])
    y = X[:, 0] ** 2
    estimator = make_pipeline(StandardScaler(), RandomForestRegressor(3))

    means = [
        evaluate(X, y, estimator, "regression", seed=seed).models["m"].mean.macro
        for seed in (4, 4, 5)
    ]

    assert means[0] == means[1]
    assert means[0] != means[2]
    assert estimator.get_params()["randomforestregressor__random_state"] is None


class MajorityOfPairs:
    """An estimator without scikit-learn's base classes: it predicts the first label of its fit."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:  # noqa: ARG002 - the interface
        self.label = y[0]

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.full(len(X), self.label)


class PredictsAnotherClass(MajorityOfPairs):
    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.full(len(X), "other")


def test_exact_any_object_with_fit_and_predict_is_a_learner() -> None:
    X, y = draw_table(["a", "b", "b"])
    expected = [np.mean(y[k == FOLDS] != y[k != FOLDS][0]) for k in range(N_FOLDS)]

    result = evaluate(X, y, MajorityOfPairs(), "classification")

    assert_allclose(result.models["m"].mean.macro, np.mean(expected), atol=1e-15)


def test_invalid_objects_are_named() -> None:
    X, y = draw_table(["a", "b", "b"])

    for wrong in (3, None, RandomForestClassifier):
        with pytest.raises(InvalidParameter, match=r"Learner 'm' is .* must be the name"):
            evaluate(X, y, wrong, "classification")
    with pytest.raises(LearnerFailed, match="predicted 'other', which is not a class"):
        evaluate(X, y, PredictsAnotherClass(), "classification")
    with pytest.raises(UnsupportedCombination, match="probabilities"):
        evaluate(X, y, MajorityOfPairs(), "classification", loss="log")
    X[4, 1] = np.nan
    with pytest.raises(InvalidParameter, match="Column 'x1' has no value in row 4"):
        evaluate(X, y, Ridge(), "classification")


class ChangesItsInput(BaseEstimator):  # type: ignore[misc]
    """A regression on the first feature, which it doubles in the matrix that it is given."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> ChangesItsInput:
        X *= 2
        self.slope_ = float(X[:, 0] @ y / (X[:, 0] @ X[:, 0]))
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        X *= 2
        return self.slope_ * X[:, 0]


@pytest.mark.parametrize("width", [1, 3, 200])
def test_property_an_estimator_that_changes_its_input_changes_no_data(width: int) -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(120, width))
    y = X[:, 0] + rng.normal(size=120)
    features = build_data(read_table(X), y, "regression").features
    learner = EstimatorObject(ChangesItsInput(), "regression")

    fitted = learner.fit(features, y, weights=None, n_classes=0, rng=rng)
    first, second = fitted.predict(features).output, fitted.predict(features).output

    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(features.matrix(), X)


class OneClassFails:
    """Takes a single class at the fit and fails on it when it predicts."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> OneClassFails:
        del X
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.repeat(self.classes_[1], len(X))


def test_degenerate_a_single_class_is_refused_at_the_fit() -> None:
    learner = EstimatorObject(OneClassFails(), "classification", ("a", "b"))
    rows, rng = table(np.eye(4)), np.random.default_rng(0)

    fitted = learner.fit(rows, np.array([0, 1, 0, 1]), weights=None, rng=rng, n_classes=2)

    assert fitted.predict(rows).output.tolist() == [1, 1, 1, 1]
    with pytest.raises(InsufficientData, match="one class only, and OneClassFails needs"):
        learner.fit(rows, np.zeros(4, dtype=np.intp), weights=None, rng=rng, n_classes=2)


def test_exact_an_encoder_that_meets_an_unknown_category_has_advice() -> None:
    codes, values = np.array([[1]] * 10 + [[2]] * 9 + [[3]]), np.arange(20.0)

    def fit(encoder: OneHotEncoder) -> Any:
        learners = {"m": make_pipeline(encoder, Ridge())}
        return thetahat.cross_validate(codes, values, learners, task="regression")

    with pytest.raises(LearnerFailed, match="Give the encoder handle_unknown='ignore'"):
        fit(OneHotEncoder())
    assert fit(OneHotEncoder(handle_unknown="ignore")).models["m"].n == 20
