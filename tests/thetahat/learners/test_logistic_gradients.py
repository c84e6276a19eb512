"""Logistic regression with many coefficients, from gradients alone."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.learners.fits import table
from tests.thetahat.learners.test_logistic_regression import slopes_of
from thetahat.learners.base import OrdinaryFit, Part
from thetahat.learners.fast.logistic.gradient_steps import (
    MAX_LOGIT_ERROR,
    LogitMetric,
    minimise_by_gradients,
    suits_gradients,
)
from thetahat.learners.fast.logistic.model import LogisticModel, encode_target
from thetahat.learners.fast.logistic.newton import Objective, minimise, softmax
from thetahat.learners.fast.logistic.over_splits import LogisticSplits
from thetahat.learners.logistic_regression import LogisticRegression
from thetahat.values.types import FloatArray

SIZES = ((150, 280, 2), (400, 130, 3))


def draw(n: int, p: int, n_classes: int) -> tuple[FloatArray, np.ndarray, FloatArray]:
    rng = np.random.default_rng(20_261_123)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 2, p) + 1
    y = np.digitize(X[:, 0] + rng.normal(size=n), np.linspace(0, 2, n_classes + 1)[1:-1])
    return X, y.astype(np.intp), rng.exponential(size=n)


def fitted(X: FloatArray, y: np.ndarray, w: FloatArray | None, penalty: float) -> LogisticModel:
    return LogisticRegression(penalty=penalty).fit(
        table(X), y, weights=w, n_classes=int(y.max()) + 1, rng=np.random.default_rng(0)
    )


def folds(n: int) -> list[Part]:
    fold = np.arange(n) % 10
    return [
        Part(np.flatnonzero(fold != k), test, test)
        for k in range(10)
        for test in [np.flatnonzero(fold == k)]
    ]


@pytest.mark.outside("scikit-learn LogisticRegression, run here on data made for it")
@pytest.mark.parametrize("size", SIZES)
def test_against_sklearn_newton_cholesky(size: tuple[int, int, int]) -> None:
    from sklearn.linear_model import LogisticRegression as Theirs

    X, y, w = draw(*size)
    theirs = Theirs(C=0.5, solver="newton-cholesky", tol=1e-12).fit(X, y, sample_weight=w)
    assert suits_gradients(len(X), X.shape[1], 1 if size[2] == 2 else 3)

    model = fitted(X, y, w, 2.0)

    assert model.rows.directions is None  # the columns were not rotated for factorisations
    assert_allclose(slopes_of(model).T, theirs.coef_, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("size", SIZES)
def test_naive_splits_are_those_of_fits(size: tuple[int, int, int]) -> None:
    X, y, w = draw(*size)
    parts = folds(len(y))
    fast = LogisticRegression().over_splits(table(X), y, weights=w, n_classes=size[2])
    assert not isinstance(fast, OrdinaryFit)

    for part, predictions in zip(parts, fast.predict_all(parts), strict=True):
        assert not isinstance(predictions, OrdinaryFit)
        model = fitted(X[part.train], y[part.train], w[part.train], 1.0)
        alone = model.predict(table(X[part.test]))
        assert_array_equal(predictions.output, alone.output)
        assert_allclose(
            np.asarray(predictions.probabilities), np.asarray(alone.probabilities), atol=2e-9
        )


def test_exact_a_part_does_not_depend_on_the_other_parts() -> None:
    X, y, w = draw(*SIZES[0])
    parts = folds(len(y))
    splits = _prepare_splits(X, y, w)

    together, alone = splits.optima(parts), splits.optima(parts[3:4])

    assert_array_equal(np.asarray(together[3]), np.asarray(alone[0]))


def test_naive_parts_that_leave_many_rows_out() -> None:
    X, y, w = draw(*SIZES[0])
    splits = _prepare_splits(X, y, w)
    train, test = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
    twice = np.sort(np.concatenate([train, train[:40]]))

    for part in (Part(train, test, test), Part(twice, test, None)):
        (predictions,) = splits.predict_all([part])
        assert not isinstance(predictions, OrdinaryFit)
        model = fitted(X[part.train], y[part.train], w[part.train], 1.0)
        assert_allclose(
            np.asarray(predictions.scores), np.asarray(model.predict(table(X[test])).scores),
            atol=4e-9,
        )  # fmt: skip


@pytest.mark.parametrize("penalty", [0.3, 30.0])
def test_property_the_bound_is_above_the_error(penalty: float) -> None:
    X, y, w = draw(120, 40, 2)
    Z = np.column_stack([np.ones(len(X)), X - w @ X / w.sum()])
    penalties = np.array([0.0, *[penalty] * 40])
    objective = Objective(Z, encode_target(y, np.arange(2)), w, penalties)
    best, _ = minimise(objective, np.zeros((41, 1)))
    shares = softmax(Z @ best)
    metric = LogitMetric(objective, shares, Z)

    for size in (1e-3, 1e-6):
        B = best + size * np.random.default_rng(1).normal(size=best.shape)
        gradient = objective.gradient(B, softmax(Z @ B)).T
        assert np.abs(Z @ (B - best)).max() <= metric.bound_error(gradient)[0]
    accurate = minimise_by_gradients(objective, np.zeros((41, 1)), Z)
    assert accurate is not None
    assert np.abs(Z @ (accurate - best)).max() <= MAX_LOGIT_ERROR


def test_degenerate_a_tiny_penalty_is_left_to_newtons_method() -> None:
    X, y, _ = draw(400, 130, 3)

    model = fitted(X, y, None, 1e-7)

    assert model.cautions == ()
    shares = np.asarray(model.predict(table(X)).probabilities)
    gradient = X.T @ (shares - np.eye(3)[y]) + 1e-7 * slopes_of(model)
    assert_allclose(gradient, 0, atol=1e-9)


def _prepare_splits(X: FloatArray, y: np.ndarray, w: FloatArray) -> LogisticSplits:
    prepared = LogisticRegression().over_splits(table(X), y, weights=w, n_classes=2)
    assert isinstance(prepared, LogisticSplits)
    return prepared
