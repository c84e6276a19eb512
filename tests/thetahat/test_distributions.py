"""Quantiles and tails against scipy.stats, and their identities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import thetahat
from tests.golden.replay import flat
from thetahat.distributions import (
    LEAST_P_VALUE,
    compute_alpha,
    compute_binomial_cdf,
    compute_chi_squared_tail,
    compute_f_upper_tail,
    compute_fair_coin_mid_p_value,
    compute_fair_coin_p_value,
    compute_p_value,
    compute_p_values,
    compute_upper_quantile,
    count_extreme,
)
from thetahat.values.types import Alternative


@pytest.mark.outside(
    "Wikipedia, 97.5th percentile point: 1.95996 39845 40054 23552; NIST e-Handbook, table "
    "1.3.6.7.2 of Student's t: 2.776 and 6.314"
)
def test_golden_quantiles_of_printed_tables() -> None:
    assert_allclose(compute_upper_quantile(0.025, None), 1.95996398454005423552, rtol=1e-15)
    assert round(compute_upper_quantile(0.025, 4), 3) == 2.776
    assert round(compute_upper_quantile(0.05, 1), 3) == 6.314


def test_exact_quantiles_of_t_that_have_a_closed_form() -> None:
    # Cauchy's distribution function inverted; with four degrees a cubic equation of the tail
    assert_allclose(compute_upper_quantile(0.05, 1), math.tan(0.45 * math.pi), rtol=1e-13)
    area = 4 * 0.025 * 0.975
    root = math.cos(math.acos(math.sqrt(area)) / 3) / math.sqrt(area)
    assert_allclose(compute_upper_quantile(0.025, 4), 2 * math.sqrt(root - 1), rtol=1e-13)


@pytest.mark.parametrize("degrees", [None, 1, 2.5, 4, 9, 29, 1e3, 1e6])
@pytest.mark.parametrize("tail", [1e-12, 1e-4, 0.025, 0.3, 0.5, 0.9])
def test_against_scipy_quantiles(degrees: float | None, tail: float) -> None:
    from scipy import stats

    law = stats.norm if degrees is None else stats.t(degrees)

    # the inversion of the t distribution stops at about 1e-10
    assert_allclose(compute_upper_quantile(tail, degrees), law.isf(tail), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("degrees", [None, 1, 4, 9, 99])
@pytest.mark.parametrize("statistic", [-9.0, -1.3, 0.0, 0.2, 4.0])
def test_against_scipy_p_values(degrees: float | None, statistic: float) -> None:
    from scipy import stats

    law = stats.norm if degrees is None else stats.t(degrees)

    less = compute_p_value(statistic, degrees, Alternative.LESS)
    greater = compute_p_value(statistic, degrees, Alternative.GREATER)
    two_sided = compute_p_value(statistic, degrees, Alternative.TWO_SIDED)

    assert_allclose(less, law.cdf(statistic), rtol=1e-12)
    assert_allclose(greater, law.sf(statistic), rtol=1e-12)
    assert_allclose(two_sided, 2 * law.sf(abs(statistic)), rtol=1e-12)


@pytest.mark.parametrize(("k", "n"), [(0, 1), (3, 9), (9, 9), (40, 100), (499_000, 1_000_000)])
def test_against_scipy_binomial(k: int, n: int) -> None:
    from scipy import stats

    assert_allclose(compute_binomial_cdf(k, n, 0.5), stats.binom.cdf(k, n, 0.5), rtol=1e-9)
    assert_allclose(compute_binomial_cdf(k, n, 0.1), stats.binom.cdf(k, n, 0.1), rtol=1e-9)
    two_sided = compute_fair_coin_p_value(k, n, Alternative.TWO_SIDED)
    assert_allclose(two_sided, stats.binomtest(k, n).pvalue, rtol=1e-9)


def test_against_scipy_f_tail() -> None:
    from scipy import stats

    assert_allclose(compute_f_upper_tail(3.1, 10, 5), stats.f.sf(3.1, 10, 5), rtol=1e-12)


@pytest.mark.outside(
    "NIST e-Handbook, table 1.3.6.7.3: F of 10 and 5 degrees exceeds 4.735 with chance .05"
)
def test_golden_f_tail() -> None:
    # printed with three decimals
    assert_allclose(compute_f_upper_tail(4.735, 10, 5), 0.05, rtol=1e-3)


def test_degenerate_binomial_ends() -> None:
    assert compute_binomial_cdf(-1, 5, 0.5) == 0
    assert compute_binomial_cdf(5, 5, 0.5) == 1
    assert compute_binomial_cdf(0, 0, 0.5) == 1
    assert compute_fair_coin_p_value(0, 0, Alternative.TWO_SIDED) == 1


@pytest.mark.parametrize("n", [1, 8, 31])
def test_exact_coin_tails_share_the_observed_point(n: int) -> None:
    for k in range(n + 1):
        below = compute_fair_coin_p_value(k, n, Alternative.LESS)
        above = compute_fair_coin_p_value(k, n, Alternative.GREATER)
        point = float(np.prod([(n - i) / (i + 1) for i in range(k)])) / 2**n
        assert_allclose(below + above, 1 + point, rtol=1e-13)


@pytest.mark.parametrize(("level", "alpha"), [(0.95, 0.05), (0.9, 0.1), (0.99, 0.01), (0.5, 0.5)])
def test_exact_alpha_is_the_decimal_complement_of_the_level(level: float, alpha: float) -> None:
    assert compute_alpha(level) == alpha


@pytest.mark.parametrize(
    ("observed", "alternative", "count"),
    [
        (1.0, Alternative.TWO_SIDED, 3),  # -2, -1 and 1
        (1.0, Alternative.GREATER, 1),
        (1.0, Alternative.LESS, 4),
        (-1.0, Alternative.LESS, 2),
        (0.0, Alternative.TWO_SIDED, 4),
    ],
)
def test_by_hand_values_at_least_as_extreme(
    observed: float, alternative: Alternative, count: int
) -> None:
    values = np.array([-2.0, -1.0 + 1e-15, 0.0, 1.0 - 1e-15])

    assert count_extreme(values, observed, 1e-12, alternative) == count


def test_degenerate_no_p_value_is_zero() -> None:
    """Tails below 1e-308 are 0 as numbers; beside them those that fit keep their digits."""
    sides = (Alternative.TWO_SIDED, Alternative.GREATER)
    for side in sides:
        assert compute_p_value(60.0, None, side) == LEAST_P_VALUE == 2.2250738585072014e-308
        assert compute_p_value(1e40, 30.0, side) == LEAST_P_VALUE
        assert compute_p_values(np.array([60.0]), None, side)[0] == LEAST_P_VALUE
        assert compute_fair_coin_p_value(2000, 2000, side) == LEAST_P_VALUE
        assert compute_fair_coin_mid_p_value(2000, 2000, side) == LEAST_P_VALUE
    assert compute_f_upper_tail(1e9, 3.0, 500.0) == LEAST_P_VALUE
    assert compute_chi_squared_tail(3000.0, 4) == LEAST_P_VALUE
    # Mills' ratio: -37^2 / 2 log10(e) - log10(37 sqrt(2 pi)) + log10(1 - 1 / 37^2) = -299.2422
    tail = compute_p_value(37.0, None, Alternative.GREATER)
    assert math.log10(tail) == pytest.approx(-299.2422, abs=1e-4)


@pytest.mark.parametrize("blocks", ["random", "holdout", "source"])
def test_degenerate_no_result_says_that_equality_is_impossible(blocks: str) -> None:
    """Differences of 5 with a spread of .01: bayle_z, among others, had p = 0."""
    rng = np.random.default_rng(4)
    losses = {name: rng.normal(5.0 * i, 0.01, 6000) for i, name in enumerate("abc")}
    block = None if blocks == "holdout" else np.arange(6000) % 40
    result = thetahat.evaluate(
        losses, blocks=blocks, block=block, better="lower", margin=0.1, include="all"
    )
    p_values = {
        path: value
        for path, value in flat(result.to_dict()).items()
        if "p_value" in path and isinstance(value, float)
    }

    assert min(p_values.values()) == LEAST_P_VALUE, p_values
    assert len(p_values) > 40
