from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.learners.fits import predicted
from thetahat.cross_validation import build_rows, run_splits
from thetahat.learners.least_squares import LeastSquares
from thetahat.learners.ridge import Ridge
from thetahat.losses.squared import Squared
from thetahat.schemes import SCHEMES
from thetahat.tables.data import build_data
from thetahat.tables.features import Features


def test_by_hand_line_through_three_points() -> None:
    # (0, 1), (1, 2), (2, 6): means 1 and 3, slope (2 + 0 + 3)/2 and intercept 3 - 5/2
    predictions = predicted(LeastSquares(), [[0.0], [1.0], [2.0]], [1, 2, 6], [[0.0], [4.0]])

    assert_allclose(predictions.output, [0.5, 10.5], rtol=1e-14)


def test_by_hand_line_through_the_origin() -> None:
    # sum xy / sum xx = (2 + 12)/5
    predictions = predicted(
        LeastSquares(intercept=False), [[0.0], [1.0], [2.0]], [1, 2, 6], [[5.0]]
    )

    assert_allclose(predictions.output, [14.0], rtol=1e-14)


@pytest.mark.outside("scikit-learn LinearRegression, run here on its own diabetes data")
@pytest.mark.parametrize("scheme", ["k_fold", "leave_one_out"])
def test_against_sklearn_cross_val_predict(scheme: str) -> None:
    from sklearn.datasets import load_diabetes
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import cross_val_predict

    X, y = (part[:150] for part in load_diabetes(return_X_y=True))
    data = build_data({f"x{j}": X[:, j] for j in range(X.shape[1])}, y, "regression")
    splits = list(SCHEMES[scheme]().splits(build_rows(data), 5))

    outcomes = run_splits("m", LeastSquares(), data, splits, Squared(), 5, keep_predictions=True)

    theirs = cross_val_predict(LinearRegression(), X, y, cv=[(s.train, s.test) for s in splits])
    assert all(outcome.fit_reason is None for outcome in outcomes)
    for outcome in outcomes:
        assert outcome.output is not None
        assert_allclose(outcome.output, theirs[outcome.test], rtol=1e-9)


def test_exact_is_ridge_without_a_penalty() -> None:
    rng = np.random.default_rng(20_261_130)
    X, y, w = rng.normal(size=(30, 3)), rng.normal(size=30), rng.exponential(size=30)

    ours = predicted(LeastSquares(), X, y, X, weights=w)

    assert_array_equal(ours.output, predicted(Ridge(penalty=0), X, y, X, weights=w).output)


def test_exact_wide_rows_far_from_zero_are_interpolated_by_the_shortest_solution() -> None:
    # What rounding left of the columns' mean was a direction too, and the target was fitted to it:
    # predictions were wrong by 0.2 of the target's standard deviation.
    rng = np.random.default_rng(20_261_122)
    X, y, w = rng.normal(size=(25, 60)), rng.normal(size=25), rng.exponential(size=25)
    train, test = np.arange(18), np.arange(18, 25)
    centre, level = (
        np.average(X[train], axis=0, weights=w[train]),
        np.average(y[train], weights=w[train]),
    )
    slopes = np.linalg.pinv(X[train] - centre, rcond=1e-10) @ (y[train] - level)
    expected = (X[test] - centre) @ slopes + level
    for offset in (0.0, 100.0, 1e5):
        features = Features(tuple(f"x{j}" for j in range(60)), tuple((X + offset).T))
        fitted = LeastSquares().fit(
            features.rows(train), y[train], weights=w[train], n_classes=0, rng=rng
        )
        assert_allclose(fitted.predict(features.rows(test)).output, expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("scheme", ["k_fold", "leave_one_out"])
def test_naive_wide_splits_are_the_shortest_solutions(scheme: str) -> None:
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(24, 70)) + 5, rng.normal(size=24)
    data = build_data({f"x{j}": X[:, j] for j in range(70)}, y, "regression")
    splits = list(SCHEMES[scheme]().splits(build_rows(data), 5))
    outcomes = run_splits("m", LeastSquares(), data, splits, Squared(), 0, keep_predictions=True)
    for split, outcome in zip(splits, outcomes, strict=True):
        assert outcome.fit_reason is None
        assert outcome.output is not None
        centre, level = X[split.train].mean(axis=0), y[split.train].mean()
        slopes = np.linalg.pinv(X[split.train] - centre, rcond=1e-10) @ (y[split.train] - level)
        assert_allclose(outcome.output, (X[split.test] - centre) @ slopes + level, rtol=1e-9)
