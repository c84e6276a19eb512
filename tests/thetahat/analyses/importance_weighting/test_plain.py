"""The whole procedure on one data set: by hand, against scikit-learn, and the faster fits."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.naive.importance_selection import plain_scores, plain_selection
from thetahat.analyses.importance_weighting.risk_curves import find_smallest_risk
from thetahat.analyses.importance_weighting.weighted_ridge import (
    compute_ridge_scores,
    fit_weighted_ridge,
)
from thetahat.values.types import FloatArray, IntArray
from thetahat.weighted_risks import WEIGHTED_RISKS


def draw_regression(
    seed: int, n: int = 30, p: int = 2
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 0.5
    y = np.where(rng.random(n) < 0.6, 1.0, -1.0)
    return X, y, rng.gamma(0.7, size=n), (rng.permutation(n) % 5).astype(np.intp)


def test_by_hand_four_points_two_folds_one_penalty() -> None:
    # x = 1, 2, 1, 2, y = 1, 1, -1, 1, w = 1, 2, 1, 1, folds {0, 1} and {2, 3}, penalty 1.
    # Without the first fold: theta = (1*-1 + 2*1) / (1 + 4 + 1) = 1/6: losses of rows 0, 1
    #   (1/6 - 1)^2 = 25/36 and (2/6 - 1)^2 = 16/36.
    # Without the second: theta = (1 + 4) / (1 + 8 + 1) = 1/2: losses (1/2 + 1)^2 = 9/4 and 0.
    # weighted: (25/36 + 32/36 + 81/36 + 0) / 4 = 138/144 = 23/24
    # controlled: lw - mean = (25 - 34.5, 32 - 34.5, 81 - 34.5, -34.5)/36, w - 5/4 = (-1, 3, -1,
    #   -1)/4: covariance sum (9.5 - 7.5 - 46.5 + 34.5)/144 = -10/144, spread 12/16 = 3/4,
    #   beta = -5/54; 23/24 + 5/54 * 1/4 = 212/216 = 53/54
    selection = plain_selection(
        np.array([[1.0], [2.0], [1.0], [2.0]]),
        np.array([1.0, 1.0, -1.0, 1.0]),
        np.array([1.0, 2.0, 1.0, 1.0]),
        np.array([1.0]),
        np.array([0, 0, 1, 1]),
    )

    assert_allclose(selection.losses[:, 0], [25 / 36, 16 / 36, 9 / 4, 0], rtol=1e-14, atol=1e-15)
    assert_allclose(selection.risks["weighted"][0].estimate, 23 / 24, rtol=1e-14)
    assert_allclose(selection.risks["controlled"][0].beta, [-5 / 54], rtol=1e-13)
    assert_allclose(selection.risks["controlled"][0].estimate, 53 / 54, rtol=1e-14)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.outside("scikit-learn's Ridge with sample_weight, a fit for each fold and penalty")
def test_against_sklearn_ridge(intercept: bool) -> None:  # noqa: FBT001 - a parameter
    from sklearn.linear_model import Ridge

    X, y, weights, fold = draw_regression(1)
    penalties = np.geomspace(1e-3, 1e3, 7)
    selection = plain_selection(X, y, weights, penalties, fold, intercept=intercept)

    expected = np.empty((30, 7))
    for k in range(5):
        for j, penalty in enumerate(penalties):
            train, test = fold != k, fold == k
            model = Ridge(alpha=penalty, fit_intercept=intercept, solver="svd")
            model.fit(X[train], y[train], sample_weight=weights[train])
            expected[test, j] = (model.predict(X[test]) - y[test]) ** 2
    products = expected * weights[:, None]
    beta = [np.cov(lw, weights)[0, 1] / weights.var(ddof=1) for lw in products.T]
    controlled = (products - np.outer(weights - 1, beta)).mean(axis=0)

    assert_allclose(selection.losses, expected, rtol=1e-9)
    assert selection.selected["weighted"] == int(np.argmin(products.mean(axis=0)))
    assert selection.selected["controlled"] == int(np.argmin(controlled))
    assert_allclose([r.estimate for r in selection.risks["controlled"]], controlled, rtol=1e-9)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("n", "p"), [(30, 1), (30, 4), (12, 40), (60, 100)])
def test_naive_all_penalties_from_one_decomposition(n: int, p: int, intercept: bool) -> None:  # noqa: FBT001 - a parameter
    X, y, weights, fold = draw_regression(2, n, p)
    weights[3] = 0
    # with more columns than rows the plain equations have a condition of 1e3 over the penalty
    penalties = np.geomspace(1e-3 if n > p else 0.1, 1e6, 50)
    plain = plain_scores(X, y, weights, penalties, fold, intercept=intercept)

    for k in range(5):
        train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        fast = compute_ridge_scores(X, y, weights, penalties, train, test, intercept=intercept)
        assert_allclose(fast, plain[test], rtol=1e-10, atol=1e-10)


def test_limit_equal_weights_make_every_risk_plain_cross_validation() -> None:
    X, y, _, fold = draw_regression(3)
    ones, penalties = np.ones(30), np.geomspace(1e-2, 1e2, 9)
    every = {name: WEIGHTED_RISKS[name]() for name in WEIGHTED_RISKS}
    selection = plain_selection(X, y, ones, penalties, fold, every)
    mean = selection.losses.mean(axis=0)

    for name in WEIGHTED_RISKS:
        assert_allclose([r.estimate for r in selection.risks[name]], mean, rtol=1e-12)
        assert selection.selected[name] == int(np.argmin(mean))


def test_exact_fits_without_weights_and_risks_with_them() -> None:
    X, y, weights, fold = draw_regression(4)
    penalties = np.array([0.1, 10.0])
    plain = plain_selection(X, y, np.ones(30), penalties, fold)
    selection = plain_selection(X, y, weights, penalties, fold, weighted_fit=False)

    assert_allclose(selection.losses, plain.losses, rtol=1e-14)
    expected = (selection.losses * weights[:, None]).mean(axis=0)
    assert_allclose([r.estimate for r in selection.risks["weighted"]], expected, rtol=1e-13)


def test_degenerate_rows_without_weight_have_no_say() -> None:
    X, y, weights, _ = draw_regression(5)
    theta, level = fit_weighted_ridge(X, y, np.zeros(30), np.array([1.0, 2.0]))
    kept = weights > np.median(weights)
    some_theta, _ = fit_weighted_ridge(X, y, weights * kept, np.array([1.0]), intercept=True)
    of_kept, _ = fit_weighted_ridge(
        X[kept], y[kept], weights[kept], np.array([1.0]), intercept=True
    )

    assert not theta.any()
    assert not level.any()
    assert_allclose(some_theta, of_kept, rtol=1e-10)


def test_degenerate_a_singular_problem_has_the_solution_of_least_norm() -> None:
    X, y, weights, _ = draw_regression(6)
    twice = np.column_stack([X[:, 0], X[:, 0]])
    (coefficient,), _ = fit_weighted_ridge(X[:, :1], y, weights, np.array([0.0]))
    theta, _ = fit_weighted_ridge(twice, y, weights, np.array([0.0]))

    assert_allclose(theta[:, 0], [coefficient[0] / 2, coefficient[0] / 2], rtol=1e-10)


def test_exact_of_equal_risks_the_larger_penalty_wins() -> None:
    curve = np.array([0.5, 0.3, 0.3 + 1e-15, 0.4])

    assert find_smallest_risk(curve) == 2
    assert find_smallest_risk(curve, np.array([1.0, 2.0, 3.0, 4.0])) == 2
    assert find_smallest_risk(curve, np.array([4.0, 3.0, 2.0, 1.0])) == 1
    assert find_smallest_risk(curve, np.zeros(4)) == 1
    assert find_smallest_risk(-curve) == 0
