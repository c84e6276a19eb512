from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.learners.fits import predicted, table
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.learners.ridge import LinearModel, Ridge
from thetahat.tables.features import Features

LINE = [[0.0], [1.0], [2.0]]


def fitted(ridge: Ridge, X: Any, y: Any, weights: Any = None) -> LinearModel:
    return ridge.fit(
        table(X),
        np.asarray(y, dtype=np.float64),
        weights=None if weights is None else np.asarray(weights, dtype=np.float64),
        n_classes=0,
        rng=np.random.default_rng(0),
    )


def test_by_hand_slope_of_a_line() -> None:
    # about the means: sum xy = 2, sum xx = 2, so slope 2/(2 + 1) and intercept 1 - 2/3
    model = fitted(Ridge(penalty=1.0), LINE, [0, 1, 2])

    assert_allclose(model.coefficients, [2 / 3], rtol=1e-14)
    assert model.intercept == pytest.approx(1 / 3, rel=1e-14)


def test_by_hand_slope_through_the_origin() -> None:
    # sum xy = sum xx = 5
    model = fitted(Ridge(penalty=1.0, intercept=False), LINE, [0, 1, 2])

    assert_allclose(model.coefficients, [5 / 6], rtol=1e-14)
    assert model.intercept == 0


@pytest.mark.outside("scikit-learn Ridge, run here on its own diabetes data")
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("penalty", [1e-3, 1.0, 100.0])
def test_against_sklearn_ridge_on_diabetes(
    penalty: float, *, weighted: bool, intercept: bool
) -> None:
    from sklearn.datasets import load_diabetes
    from sklearn.linear_model import Ridge as Theirs

    X, y = load_diabetes(return_X_y=True)
    X = X * 20 + 3
    w = np.random.default_rng(20_261_110).exponential(size=400) if weighted else None

    model = fitted(Ridge(penalty=penalty, intercept=intercept), X[:400], y[:400], w)

    theirs = Theirs(alpha=penalty, fit_intercept=intercept, solver="svd").fit(X[:400], y[:400], w)
    assert_allclose(model.coefficients, theirs.coef_, rtol=1e-10)
    assert_allclose(model.predict(table(X[400:])).output, theirs.predict(X[400:]), rtol=1e-10)


def test_against_sklearn_ridge_with_more_columns_than_rows() -> None:
    from sklearn.linear_model import Ridge as Theirs

    rng = np.random.default_rng(20_261_111)
    X, y = rng.normal(size=(20, 50)), rng.normal(size=20)

    model = fitted(Ridge(penalty=0.3), X, y)

    assert_allclose(model.coefficients, Theirs(alpha=0.3, solver="svd").fit(X, y).coef_, rtol=1e-10)


def test_against_numpy_least_squares_without_a_penalty() -> None:
    rng = np.random.default_rng(20_261_112)
    X, y = rng.normal(size=(30, 4)), rng.normal(size=30)

    model = fitted(Ridge(penalty=0), X, y)

    wanted = np.linalg.lstsq(np.column_stack([np.ones(30), X]), y)[0]
    assert_allclose([model.intercept, *model.coefficients], wanted, rtol=1e-12)


def test_exact_weight_two_is_the_row_twice() -> None:
    rng = np.random.default_rng(20_261_113)
    X, y, w = rng.normal(size=(15, 3)), rng.normal(size=15), rng.integers(0, 4, 15)
    w[0] = 2

    weighted = fitted(Ridge(penalty=0.7), X, y, w)
    repeated = fitted(Ridge(penalty=0.7), np.repeat(X, w, axis=0), np.repeat(y, w))

    assert_allclose(weighted.coefficients, repeated.coefficients, rtol=1e-12)
    assert weighted.intercept == pytest.approx(repeated.intercept, rel=1e-12)


def test_exact_gradient_is_zero_at_the_solution() -> None:
    rng = np.random.default_rng(20_261_114)
    X, y, w = rng.normal(size=(25, 3)), rng.normal(size=25), rng.exponential(size=25)

    model = fitted(Ridge(penalty=2.0), X, y, w)

    residual = y - X @ model.coefficients - model.intercept
    assert_allclose(X.T @ (w * residual), 2.0 * model.coefficients, rtol=1e-11)
    assert abs(w @ residual) < 1e-12


def test_exact_far_from_the_origin() -> None:
    """Shifting the features by 1e8 changes the intercept and nothing else."""
    rng = np.random.default_rng(20_261_115)
    X, y = rng.normal(size=(50, 2)).round(3), rng.normal(size=50)

    near, far = fitted(Ridge(), X, y), fitted(Ridge(), X + 2.0**27, y)

    assert_allclose(far.coefficients, near.coefficients, rtol=1e-6)


def test_limit_large_penalty_gives_the_mean() -> None:
    predictions = predicted(Ridge(penalty=1e15), LINE, [0.0, 1.0, 5.0], [[0.0], [9.0]])

    assert_allclose(predictions.output, [2.0, 2.0], rtol=1e-12)


@pytest.mark.parametrize("value", [0.0, 0.1, 12345.6789])
def test_degenerate_constant_column_gets_no_slope(value: float) -> None:
    X = [[x[0], value] for x in LINE]
    model = fitted(Ridge(penalty=0), X, [0.0, 1.0, 2.0])

    assert_allclose(model.coefficients, [1.0, 0.0], rtol=1e-14)


def test_degenerate_only_constant_columns_give_the_mean() -> None:
    y = np.arange(7.0)  # the mean of seven times 0.1 is not 0.1 in double precision
    predictions = predicted(Ridge(penalty=0), [[0.1]] * 7, y, [[0.1], [7.0]])

    assert_allclose(predictions.output, [3.0, 3.0], rtol=1e-14)


def test_degenerate_same_column_twice_shares_the_slope() -> None:
    X = [[x[0], x[0]] for x in LINE]

    assert_allclose(fitted(Ridge(penalty=0), X, [0, 1, 2]).coefficients, [0.5, 0.5], rtol=1e-12)


def test_degenerate_one_row() -> None:
    assert_allclose(predicted(Ridge(), [[3.0]], [7.0], [[0.0]]).output, [7.0])


@pytest.mark.parametrize("penalty", [-1.0, math.nan, math.inf])
def test_invalid_penalty(penalty: float) -> None:
    with pytest.raises(
        InvalidParameter, match="penalty must be a finite number of at least 0"
    ) as caught:
        Ridge(penalty=penalty)

    assert caught.value.loc == ("penalty",)


def test_invalid_weights_all_zero() -> None:
    with pytest.raises(InsufficientData, match="All weights of the training part are zero"):
        fitted(Ridge(), LINE, [0, 1, 2], [0, 0, 0])


def test_invalid_missing_value_names_column_and_row() -> None:
    features = table([[1.0, 2.0], [3.0, math.nan]]).rows(np.array([1, 0]))

    with pytest.raises(
        InvalidParameter, match=r"Column 'x1' has no value in row 1.*impute step"
    ) as e:
        Ridge().fit(features, np.zeros(2), weights=None, n_classes=0, rng=np.random.default_rng(0))
    assert e.value.loc == ("columns", "features", "x1", 1)


def test_invalid_text_names_the_column() -> None:
    features = Features(("town",), (np.array(["a", "b"], dtype=object),))

    with pytest.raises(InvalidParameter, match="Column 'town' is not numeric"):
        Ridge().fit(features, np.zeros(2), weights=None, n_classes=0, rng=np.random.default_rng(0))
