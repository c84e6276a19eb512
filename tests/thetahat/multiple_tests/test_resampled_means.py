"""Resampled means of all models at once, and what they are compared with."""

from __future__ import annotations

import math

import numpy as np

from tests.thetahat.multiple_tests.many import details_of, in_a_holdout, outcome_of
from thetahat.multiple_tests._resampled_means import (
    MAX_COUNTED,
    compute_triangular_factor,
    draw_bootstrap_deviations,
    draw_inflation_factors,
    studentise,
)

NAME = "model_confidence_set"


def test_exact_the_bootstrap_has_the_moments_of_the_mean() -> None:
    rng = np.random.default_rng(352)
    losses = rng.normal(size=(30, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0.5], [0, 0, 1]])
    shares = np.full(30, 1 / 30)

    drawn = draw_bootstrap_deviations(losses - losses.mean(axis=0), shares, 40_000, rng)

    covariance = np.cov(losses.T, ddof=0) / 30
    spread = math.sqrt(2 / 40_000) * np.diagonal(covariance).max()
    np.testing.assert_allclose(drawn @ drawn.T / 40_000, covariance, atol=5 * spread)
    assert np.abs(drawn.mean(axis=1)).max() < 5 * math.sqrt(np.diagonal(covariance).max() / 40_000)


def test_by_hand_resamples_of_two_clusters() -> None:
    """Means 4 of one instance and 0 of three: 1 in all, and 4, 0 or 1 in the resamples.

    Less 1 that is 3, -1 or 0, with chances 1/4, 1/4 and 1/2.
    """
    shares, deviations = np.array([0.25, 0.75]), np.array([[3.0], [-1.0]])

    drawn = draw_bootstrap_deviations(deviations, shares, 4000, np.random.default_rng(384))

    values, counts = np.unique(drawn.round(12), return_counts=True)
    assert values.tolist() == [-1, 0, 3]
    spread = np.sqrt(4000 * np.array([3 / 16, 1 / 4, 3 / 16]))
    assert (np.abs(counts - [1000, 2000, 1000]) < 4.5 * spread).all()


def test_limit_many_units_take_normal_multipliers_of_the_same_moments() -> None:
    rng = np.random.default_rng(353)
    n = MAX_COUNTED + 1
    losses = rng.random((n, 3)) + 0.5 * rng.random((n, 1))
    shares = np.full(n, 1 / n)

    drawn = draw_bootstrap_deviations(losses - losses.mean(axis=0), shares, 20_000, rng)

    covariance = np.cov(losses.T, ddof=0) / n
    spread = math.sqrt(2 / 20_000) * np.diagonal(covariance).max()
    np.testing.assert_allclose(drawn @ drawn.T / 20_000, covariance, atol=5 * spread)
    outcome = outcome_of(NAME, in_a_holdout(losses), n_resamples=99)
    assert details_of(outcome)["resampling"] == "normal_multipliers"


def test_exact_the_triangular_factor_is_that_of_all_rows() -> None:
    terms = np.random.default_rng(354).normal(size=(20_000, 4))

    factor = compute_triangular_factor(terms)

    np.testing.assert_allclose(factor.T @ factor, terms.T @ terms, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(compute_triangular_factor(terms[::-1]), factor, atol=1e-9)
    assert (np.diagonal(factor) > 0).all()


def test_exact_ratios() -> None:
    ratios = studentise(
        np.array([0.0, 1e-17, 1.0, -1.0, 0.5]),
        np.array([0.0, 0.0, 0.0, 1e-17, 0.25]),
        np.full(5, 1e-16),
    )

    assert ratios.tolist() == [0, 0, math.inf, -math.inf, 2]


def test_exact_the_reference_allows_for_estimated_errors() -> None:
    rng = np.random.default_rng(382)

    factors = draw_inflation_factors("student", 10, 9, 200_000, rng)

    # E[n / chi2_nu] = n / (nu - 2) = 10 / 7, its variance 2 n^2 / ((nu - 2)^2 (nu - 4))
    error = math.sqrt(2 * 100 / (49 * 5) / 200_000)
    assert abs((factors**2).mean() - 10 / 7) < 5 * error
    assert (draw_inflation_factors("none", 10, 9, 7, rng) == 1).all()
