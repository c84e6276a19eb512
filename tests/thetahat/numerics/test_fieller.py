"""Fieller's set in all its shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.vectors.reading import VECTORS
from thetahat.numerics.fieller import MeansOfPair, find_log_ratios, find_ratios

RATIOS = [name for name in VECTORS if name.startswith("relative_")]


def describe(a: Any, b: Any) -> MeansOfPair:
    (v_a, c), (_, v_b) = np.cov(a, b) / len(a)
    return MeansOfPair(
        a=float(a.mean()),
        b=float(b.mean()),
        variance_a=float(v_a),
        variance_b=float(v_b),
        covariance=float(c),
    )


def make(a: float, b: float, v_a: float, v_b: float, c: float = 0.0) -> MeansOfPair:
    return MeansOfPair(a=a, b=b, variance_a=v_a, variance_b=v_b, covariance=c)


@pytest.mark.parametrize("name", RATIOS)
def test_exact_the_t_test_is_at_its_limit_at_both_ends(name: str) -> None:
    a, b = (np.array(VECTORS[name]["inputs"]["loss"][m], dtype=float) for m in "ab")
    quantile = float(stats.t.ppf(0.975, len(a) - 1))
    found = find_ratios(describe(a, b), quantile)

    for end in (found.lower, found.upper):
        assert end is not None
        rest = a - end * b
        t = rest.mean() / (rest.std(ddof=1) / len(rest) ** 0.5)
        assert_allclose(abs(t), quantile, rtol=1e-9)


@pytest.mark.parametrize(
    ("means", "shape"),
    [
        pytest.param(make(1.0, 2.0, 0.01, 0.02, 0.005), "interval", id="bounded"),
        pytest.param(make(1.0, 0.1, 0.01, 0.02), "two_rays", id="exclusive"),
        pytest.param(make(0.1, 0.1, 0.1, 0.2), "everything", id="unbounded"),
        pytest.param(make(-1.0, 0.1, 0.01, 0.02), "two_rays", id="below 0"),
    ],
)
def test_naive_the_set_by_a_grid_of_tests(means: MeansOfPair, shape: str) -> None:
    found = find_ratios(means, 2.0)
    grid = np.linspace(-40, 40, 8001)
    variance = means.variance_a - 2 * grid * means.covariance + grid**2 * means.variance_b
    inside = np.abs(means.a - grid * means.b) <= 2 * np.sqrt(variance)

    assert found.shape == shape
    if found.lower is None or found.upper is None:
        assert inside.all()
    elif shape == "interval":
        assert (inside == ((grid >= found.lower) & (grid <= found.upper))).all()
    else:
        assert (inside == ((grid <= found.lower) | (grid >= found.upper))).all()


def test_degenerate_g_of_one_and_no_spread() -> None:
    ray: Any = find_ratios(make(3.0, 2.0, 1.0, 1.0), 2.0)
    other: Any = find_ratios(make(-3.0, 2.0, 1.0, 1.0), 2.0)

    assert (ray.shape, ray.lower, ray.g) == ("two_rays", None, 1.0)
    assert_allclose(ray.upper, (9 - 4) / 12)
    assert (other.shape, other.upper) == ("two_rays", None)
    assert_allclose(other.lower, -(9 - 4) / 12)
    assert find_ratios(make(0.0, 0.0, 0.0, 0.0), 2.0).shape == "everything"
    point: Any = find_ratios(make(1.0, 2.0, 0.0, 0.0), 2.0)
    assert_allclose([point.lower, point.upper], [0.5, 0.5])


@pytest.mark.parametrize(("x", "n", "y", "m"), [(7, 40, 12, 50), (30, 60, 3, 45)])
def test_outside_the_log_ratio_of_independent_rates_is_scipy_s(
    x: int, n: int, y: int, m: int
) -> None:
    p, q = x / n, y / m
    found = find_log_ratios(make(p, q, p * (1 - p) / n, q * (1 - q) / m), stats.norm.ppf(0.975))
    other = stats.contingency.relative_risk(x, n, y, m).confidence_interval(0.95)

    assert found is not None
    assert_allclose(found[:2], [other.low, other.high], rtol=1e-9)


def test_naive_the_log_ratio_of_paired_means() -> None:
    """Its standard error is that of the mean of a / mean(a) - b / mean(b)."""
    rng = np.random.default_rng(4)
    b = rng.gamma(2.0, 1.0, 30)
    a = 0.5 * b + rng.gamma(1.0, 1.0, 30)
    quantile = float(stats.t.ppf(0.975, 29))
    found = find_log_ratios(describe(a, b), quantile)
    error = (a / a.mean() - b / b.mean()).std(ddof=1) / 30**0.5
    ends = a.mean() / b.mean() * np.exp(quantile * error * np.array([-1, 1]))

    assert found is not None
    assert_allclose(found, [*ends, error], rtol=1e-12)


@pytest.mark.parametrize("means", [make(0.0, 1.0, 0.1, 0.1), make(1.0, -1.0, 0.1, 0.1)])
def test_degenerate_a_mean_of_0_has_no_log_ratio(means: MeansOfPair) -> None:
    assert find_log_ratios(means, 2.0) is None
