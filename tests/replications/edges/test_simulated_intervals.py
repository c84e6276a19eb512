"""The power of intervals as a share of the oracle's."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from thetahat_replications.edges import identical_losses
from thetahat_replications.edges.groups import compute_power_of_equality
from thetahat_replications.edges.simulated_intervals import (
    NORMAL,
    ORACLE,
    SHIFT,
    compute_oracle_power,
    compute_power_of_bounds,
    measure_power,
)

N = 20_000
ERRORS = 2 * stats.norm.ppf((np.arange(N) + 0.5) / N)
"""Quantiles of the errors of an estimate with a standard deviation of 2."""


def test_exact_the_oracle_rejects_where_the_normal_test_does() -> None:
    shifts = np.array([0.0, 1.0, 3.0])
    expected = stats.norm.sf(1.959964 - shifts) + stats.norm.cdf(-1.959964 - shifts)

    assert_allclose(compute_oracle_power(shifts), expected, atol=1e-6)
    assert_allclose(compute_oracle_power(0.0, 0.9), 0.1, atol=1e-12)
    assert_allclose(compute_power_of_bounds(shifts), stats.norm.sf(1.644854 - shifts), atol=1e-6)
    assert pytest.approx(expected[2], abs=1e-6) == ORACLE


def test_exact_the_interval_of_the_oracle_has_its_power() -> None:
    """An end on the wrong side of the truth is in the oracle's power, and less than 1e-6."""
    reach = 2 * NORMAL

    assert_allclose(measure_power(ERRORS - reach, ERRORS + reach, 2.0), 1, atol=1e-4)


@pytest.mark.parametrize("n_intervals", [1, 5])
def test_exact_intervals_of_all_groups_have_the_power_of_tests_at_their_level(
    n_intervals: int,
) -> None:
    reach = 2 * float(stats.norm.ppf((1 + 0.95 ** (1 / n_intervals)) / 2))
    power = measure_power(ERRORS - reach, ERRORS + reach, 2.0, n_intervals=n_intervals)

    assert_allclose(power, 1, atol=1e-4)


def test_hand_values_that_are_impossible_have_no_power() -> None:
    """The lower ends exclude the value below in a half, the upper ones that above always."""
    lower, upper = np.array([-7.0, -5.0]), np.array([1.0, 2.0])
    both = measure_power(lower, upper, 2.0)
    below = measure_power(lower, upper, 2.0, possible=(-6.0, 5.9))
    above = measure_power(lower, upper, 2.0, possible=(-5.9, np.inf))

    assert SHIFT == 3
    assert_allclose([both, below, above], np.array([0.75, 0.5, 1.0]) / ORACLE)
    assert np.isnan(measure_power(lower, upper, 2.0, possible=(-5.9, 5.9)))


def test_degenerate_what_is_no_interval_finds_nothing() -> None:
    lower, upper = np.array([0.0, np.nan, -1.0]), np.array([0.0, np.nan, 1.0])

    assert_allclose(measure_power(lower, upper, 2.0), 1 / 3 / ORACLE)


def test_exact_of_two_groups_the_oracle_is_the_normal_test() -> None:
    power = compute_power_of_equality(np.diag([2.0, 7.0]), 6.0)

    assert power == pytest.approx(float(compute_oracle_power(2.0)), abs=1e-12)


def test_calibrated_the_oracle_of_four_groups_rejects_as_often_as_it_says() -> None:
    """Weighted squares about their mean, where the first of four independent means is larger."""
    variances, raised = np.array([1.0, 2.0, 3.0, 4.0]), 2.5
    drawn = np.random.default_rng(5).normal(0, np.sqrt(variances), (40_000, 4))
    drawn[:, 0] += raised
    centre = (drawn / variances).sum(axis=1) / (1 / variances).sum()
    statistics = ((drawn - centre[:, None]) ** 2 / variances).sum(axis=1)
    share = np.mean(statistics > 7.814728)

    # four standard errors of a share of 40 000 samples
    assert_allclose(compute_power_of_equality(np.diag(variances), raised), share, atol=0.01)


def test_hand_the_best_test_of_identical_losses() -> None:
    """It rejects in .05 / .8^5 of the samples of five units without a hit, which are .95^5."""
    power = identical_losses.compute_oracle_power(5, 0.2)

    assert power == pytest.approx(0.05 / 0.8**5 * 0.95**5, rel=1e-12)
