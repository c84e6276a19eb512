"""Power and the smallest difference of two error rates: what is promised is found so often."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtr, ndtri

import thetahat
from tests.thetahat.analyses.losses.test_paired_rates import basis, compare
from tests.thetahat.naive.paired_rates import enumerate_tables
from thetahat.analyses.losses.power_of_rates import (
    compute_power_of_rates,
    find_detectable_difference_of_rates,
)
from thetahat.numerics.paired_rates import compute_p_value_of_no_difference, count_clustered_pair
from thetahat.values.paired_counts import PairedCounts
from thetahat.values.types import FloatArray, IntArray


def enumerate_power(difference: float, discordance: float, n: int, alpha: float) -> float:
    """Return how often the p-value of the verdict is below alpha, over all tables."""
    psi = max(difference, discordance)
    return sum(
        probability
        for a, b, probability in enumerate_tables(n, (psi + difference) / 2, (psi - difference) / 2)
        if compute_p_value_of_no_difference(PairedCounts(only_a=a, only_b=b, both=0, n=n)) < alpha
    )


@pytest.mark.parametrize("alpha", [0.05, 0.05 / 28])
@pytest.mark.parametrize(
    ("n", "discordance"), [(20, 0.05), (20, 0.4), (50, 0.1), (100, 0.02), (200, 0.05), (200, 0.2)]
)
def test_exact_the_detectable_difference_is_found_so_often(
    n: int, discordance: float, alpha: float
) -> None:
    """The normal form finds .80 to .96 here, and t on the standard error .00 to .94."""
    difference = find_detectable_difference_of_rates(discordance, n, alpha, 0.8)

    assert difference is not None
    assert_allclose(enumerate_power(difference, discordance, n, alpha), 0.8, atol=2e-6)


@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.5, 0.9])
@pytest.mark.parametrize(("difference", "discordance"), [(0.0, 0.3), (0.2, 0.5), (0.4, 0.1)])
def test_exact_power_is_that_of_all_tables(
    difference: float, discordance: float, alpha: float
) -> None:
    for n in (1, 2, 9, 30):
        power = compute_power_of_rates(-difference, discordance, n, alpha)
        assert_allclose(power, enumerate_power(difference, discordance, n, alpha), atol=1e-6)


def test_exact_the_plan_has_the_power_that_it_promises() -> None:
    plan = compare(10, 6, 200, margin=0.05).verdict.plan

    assert plan is not None
    assert enumerate_power(0.05, 0.08, plan.total, 0.05) >= 0.8
    assert enumerate_power(0.05, 0.08, plan.total - 1, 0.05) < 0.8


@pytest.mark.outside("formula of Connor 1987: (1.959964 sqrt(.2) + .841621 sqrt(.1999))^2 / .0001")
def test_golden_size_of_a_mcnemar_test_with_many_discordant_instances() -> None:
    assert compute_power_of_rates(0.01, 0.2, 15_696, 0.05) >= 0.8
    assert compute_power_of_rates(0.01, 0.2, 15_695, 0.05) < 0.8


@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_limit_the_normal_form_begins_at_four_hundred_discordant_instances(alpha: float) -> None:
    n, difference = 4000, 0.014
    for discordant, is_normal in ((395, False), (405, True)):
        psi = discordant / n
        spread, z = math.sqrt(psi - difference**2), -float(ndtri(alpha / 2)) * math.sqrt(psi)
        normal = float(ndtr((difference * math.sqrt(n) - z) / spread))
        power = compute_power_of_rates(difference, psi, n, alpha)

        assert (power == pytest.approx(normal, rel=1e-5)) is is_normal
        assert power == pytest.approx(normal, abs=0.006)


def test_limit_very_many_instances_keep_their_digits() -> None:
    of_many = compute_power_of_rates(2e-11, 5e-11, 10**12, 0.05)

    assert_allclose(of_many, compute_power_of_rates(2e-5, 5e-5, 10**6, 0.05), rtol=1e-4)


def test_degenerate_nothing_or_everything_differs() -> None:
    assert find_detectable_difference_of_rates(0.0, 3, 0.05, 0.8) is None
    assert find_detectable_difference_of_rates(0.0, 3, 0.05, 0.01) == 0
    assert compute_power_of_rates(0.0, 0.0, 100, 0.05) == 0
    assert compute_power_of_rates(1.0, 1.0, 5, 0.05) == 0  # exact p 2/32
    assert compute_power_of_rates(1.0, 1.0, 6, 0.05) == 1  # exact p 2/64
    assert compute_power_of_rates(1.0, 1.0, 4, 0.05) == 0  # mid-p 1/16
    assert compute_power_of_rates(1.0, 1.0, 500, 0.05) == pytest.approx(1.0)
    assert compute_power_of_rates(1.0, 1.0, 50, 0.05, 9.0) == pytest.approx(1.0)
    assert compute_power_of_rates(0.0, 0.0, 50, 0.05, 9.0) == 0


def test_hand_smallest_gap_of_rare_errors_is_that_of_the_verdicts() -> None:
    """One error of 100: by t on the standard errors the gap was .04, which is found in .1."""
    rows = np.eye(4, 100)
    result = thetahat.evaluate(
        dict(zip("abcd", rows, strict=True)), blocks="holdout", better="lower"
    )
    gaps = [
        pair.verdict.detectable.difference
        for pair in result.comparisons
        if "a" in {pair.a, pair.b} and pair.verdict.detectable is not None
    ]

    assert result.ranking is not None
    assert result.ranking.smallest_gap == float(np.median(gaps))
    assert len(gaps) == 3
    first = result.comparisons[0].verdict.detectable
    assert first is not None
    power = enumerate_power(result.ranking.smallest_gap, 0.02, 100, first.alpha)
    assert_allclose(power, 0.8, atol=2e-6)


def draw_clusters(
    rng: np.random.Generator, cluster: IntArray, rates: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Return errors of two models with a correlation of .3 within clusters, .4 between models."""

    def draw() -> FloatArray:
        common = rng.standard_normal(int(cluster[-1]) + 1)[cluster]
        return np.asarray(
            math.sqrt(0.3) * common + math.sqrt(0.7) * rng.standard_normal(len(cluster))
        )

    shared = draw()
    a, b = (
        (math.sqrt(0.4) * shared + math.sqrt(0.6) * draw() < ndtri(rate)).astype(np.float64)
        for rate in rates
    )
    return a, b


def test_calibrated_the_detectable_difference_over_clusters_is_found_so_often() -> None:
    """Ten clusters of ten, .2 against .494, which is what such samples call detectable.

    With normal quantiles they called .251 detectable, and found it in .68.
    """
    rng, cluster, repetitions = np.random.default_rng(33), np.repeat(np.arange(10), 10), 1500
    called, found = [], 0
    for _ in range(repetitions):
        counts = count_clustered_pair(*draw_clusters(rng, cluster, (0.494, 0.2)), cluster)
        assert counts is not None
        found += compute_p_value_of_no_difference(counts) < 0.05
        discordance = counts.discordant / counts.n
        find = partial(find_detectable_difference_of_rates, discordance, counts.n, 0.05, 0.8)
        called.append(find(counts.degrees_of_freedom) or 1.0)

    assert abs(np.mean(called) - 0.294) < 0.01
    assert abs(found / repetitions - 0.8) < 4 * math.sqrt(0.8 * 0.2 / repetitions)


def test_exact_a_plan_over_clusters_lets_the_degrees_of_freedom_grow() -> None:
    cluster = np.repeat(np.arange(16), 5)
    plan = compare(9, 4, 80, cluster=cluster, margin=0.1).verdict.plan
    a, b = np.zeros((2, 80))
    a[:9], b[9:13] = 1, 1
    counts = count_clustered_pair(a, b, cluster)

    assert plan is not None
    assert counts is not None
    for total, enough in ((plan.total, True), (plan.total - 1, False)):
        degrees = 16 * total / 80 - 1
        n = total / counts.design_effect
        assert (compute_power_of_rates(0.1, 13 / 80, n, 0.05, degrees) >= 0.8) is enough


def test_exact_the_verdict_takes_the_same_power() -> None:
    pair = basis(9, 2, 80)

    assert pair.compute_power(0.1, 0.05) == compute_power_of_rates(0.1, 11 / 80, 80, 0.05)
    assert pair.find_detectable_difference(0.05, 0.8) == find_detectable_difference_of_rates(
        11 / 80, 80, 0.05, 0.8
    )


def reject(k: int, m: int, n: int) -> bool:
    counts = PairedCounts(only_a=k, only_b=m - k, both=0, n=n)
    return compute_p_value_of_no_difference(counts) < 0.05


@pytest.mark.parametrize("n", range(5, 31))
def test_exact_equal_rates_are_called_different_in_at_most_alpha(n: int) -> None:
    """All tables of n; by mid-p alone it was .077 of 16 instances that all differ."""
    by_number = np.zeros(n + 1)
    for m in range(1, n + 1):
        ways = [math.comb(m, k) / 2**m for k in range(m + 1) if reject(k, m, n)]
        by_number[m] = sum(ways)
    for share in np.linspace(0.05, 1, 20):
        j = np.arange(n + 1)
        weights = np.array([math.comb(n, i) for i in j]) * share**j * (1 - share) ** (n - j)
        size = float(weights @ by_number)
        assert size <= 0.05
        assert_allclose(compute_power_of_rates(0.0, share, n, 0.05), size, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("n", "p"),
    [(5, 2 / 2**5), (6, 2 / 2**5), (7, 1 / 2**5)],  # five of seven are less than three quarters
)
def test_by_hand_five_of_five_are_undecided(n: int, p: float) -> None:
    counts = PairedCounts(only_a=5, only_b=0, both=0, n=n)
    pair = basis(5, 0, n)

    assert_allclose(compute_p_value_of_no_difference(counts), p, rtol=1e-12)
    low, high = pair.compute_ends(0.025)
    assert (low <= 0 <= high) is (p > 0.05)
    assert ("exact" in pair.test) is (p > 0.05)
