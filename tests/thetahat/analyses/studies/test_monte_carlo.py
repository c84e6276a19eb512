"""Numbers from repetitions with their errors."""

from __future__ import annotations

import numpy as np
import pytest

from thetahat.analyses.studies.monte_carlo import (
    compute_interval_score,
    divide,
    estimate_deviation,
    estimate_mean,
    estimate_pooled_variance,
    estimate_share,
    estimate_variance,
    subtract,
)
from thetahat.values.monte_carlo_number import UNDEFINED, MonteCarloNumber

X = np.array([1.0, 2.0, 4.0, 5.0, np.nan])


def test_by_hand_a_mean_and_its_error() -> None:
    # mean 3; squares 4 + 1 + 1 + 4 = 10, over 3 is 10/3, over 4 is 5/6
    mean = estimate_mean(X)

    assert mean.value == 3.0
    assert mean.standard_error == pytest.approx(np.sqrt(5 / 6), rel=1e-15)


def test_by_hand_a_mean_of_groups() -> None:
    # groups {1, 2} and {4, 5}: sums about the mean -3 and 3; 2/1 (9 + 9) / 16 = 2.25
    mean = estimate_mean(X, np.array([0, 0, 1, 1, 1]))

    assert mean.standard_error == pytest.approx(1.5, rel=1e-15)


def test_limit_groups_of_one_are_none() -> None:
    assert estimate_mean(X, np.arange(5)) == estimate_mean(X)


def test_by_hand_variances() -> None:
    # 10/3; m4 = (16 + 1 + 1 + 16)/4 = 8.5; (8.5 - (1/3)(100/9))/4 = 1.199074
    variance = estimate_variance(X)

    assert variance.value == pytest.approx(10 / 3, rel=1e-15)
    assert variance.standard_error == pytest.approx(np.sqrt(1.199074074), rel=1e-9)
    root = estimate_deviation(X)
    assert root.value == pytest.approx(np.sqrt(10 / 3), rel=1e-15)
    assert root.standard_error == pytest.approx(
        np.sqrt(1.199074074) / (2 * np.sqrt(10 / 3)), rel=1e-9
    )
    # within groups (0.25 + 0.25 + 0.25 + 0.25) / (4 - 2)
    assert estimate_pooled_variance(X, np.array([0, 0, 1, 1, 1])).value == pytest.approx(
        0.5, rel=1e-15
    )


@pytest.mark.parametrize("of", [estimate_variance, estimate_deviation])
def test_calibrated_the_error_of_a_spread(of: object) -> None:
    """The error said is the standard deviation over samples, on average; skewed numbers; z = 5."""
    rng = np.random.default_rng(5)
    estimates = [of(x) for x in rng.exponential(size=(3000, 200))]  # type: ignore[operator] # a function
    spread = np.std([f.value for f in estimates])
    errors = np.array([f.standard_error for f in estimates])

    # the formula is of the first order in 1/200 and the fourth moment's estimate is low: 10 percent
    assert abs(np.sqrt((errors**2).mean()) - spread) < 0.1 * spread


def test_by_hand_a_share_and_its_error() -> None:
    so, among = np.array([True, False, False, True]), np.array([True, True, True, False])

    # one of three: p (1 - p) / (n - 1)
    share = estimate_share(so, among)

    assert share.value == pytest.approx(1 / 3, rel=1e-15)
    assert share.standard_error == pytest.approx(np.sqrt(2 / 9 / 2), rel=1e-14)


def test_degenerate_a_share_of_all_or_nothing_is_not_certain() -> None:
    every = np.ones(50, dtype=bool)

    assert estimate_share(every, every).standard_error == np.sqrt(0.01 * 0.99 / 50)
    assert estimate_share(~every, every).standard_error == np.sqrt(0.01 * 0.99 / 50)


def test_degenerate_too_few() -> None:
    nothing = np.array([np.nan])

    assert estimate_mean(nothing) == UNDEFINED
    assert estimate_mean(np.array([2.0])) == MonteCarloNumber(2.0, None)
    assert estimate_variance(np.array([2.0])) == UNDEFINED
    assert estimate_deviation(np.array([2.0])) == UNDEFINED
    assert estimate_deviation(np.array([1.0, 3.0])) == MonteCarloNumber(np.sqrt(2), None)
    assert estimate_deviation(np.ones(9)) == MonteCarloNumber(0.0, 0.0)
    assert estimate_pooled_variance(nothing, np.zeros(1, dtype=np.intp)) == UNDEFINED
    assert estimate_pooled_variance(np.ones(2), np.arange(2)) == UNDEFINED
    assert estimate_pooled_variance(X, np.zeros(5, dtype=np.intp)) == estimate_variance(X)


def test_by_hand_ratios_and_differences() -> None:
    a, b = MonteCarloNumber(6.0, 0.3), MonteCarloNumber(2.0, 0.1)

    # (0.3/2)^2 + (3 x 0.1/2)^2 = 2 x 0.0225
    assert divide(a, b).standard_error == pytest.approx(np.sqrt(0.045), rel=1e-14)
    assert divide(a, b).value == 3.0
    assert subtract(a, b).value == 4.0
    assert subtract(a, b).standard_error == pytest.approx(np.sqrt(0.1), rel=1e-14)


def test_degenerate_ratios_and_differences() -> None:
    a = MonteCarloNumber(6.0, 0.3)

    assert divide(a, UNDEFINED) == divide(a, MonteCarloNumber(0.0, 0.1)) == UNDEFINED
    assert divide(a, MonteCarloNumber(2.0, None)) == MonteCarloNumber(3.0, None)
    assert subtract(a, UNDEFINED) == UNDEFINED
    assert subtract(a, MonteCarloNumber(2.0, None)) == MonteCarloNumber(4.0, None)


def test_by_hand_interval_scores() -> None:
    # level .9: 2/alpha = 20; inside: the width; .25 below: 2 + 20 x .25; .5 above: 2 + 20 x .5
    lower, upper = np.array([0.0, 0.0, 0.0, -np.inf, np.nan]), np.array([2.0, 2, 2, 2, np.nan])
    scores = compute_interval_score(lower, upper, np.array([1.0, -0.25, 2.5, 1, 1]), 0.9)
    np.testing.assert_allclose(scores[:3], [2, 7, 12], rtol=1e-14)
    assert np.isnan(scores[3:]).all()


def test_limit_the_interval_between_true_quantiles_scores_best() -> None:
    """Of intervals of many normal draws, at level .8 the one to +-1.2816 has the least score."""
    truth = np.random.default_rng(1).normal(size=40_000)
    scores = []
    for end in (1.0, 1.2816, 1.6):
        ends = np.full(len(truth), end)
        scores.append(compute_interval_score(-ends, ends, truth, 0.8).mean())
    assert min(scores) == scores[1]
