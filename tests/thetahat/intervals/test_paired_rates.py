"""tango, tango_clusters and newcombe."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.thetahat.intervals.builders import GREATER, LESS, TWO
from tests.thetahat.naive import paired_rates as naive
from thetahat.distributions import LEAST_P_VALUE
from thetahat.intervals.base import PairedRatesInterval
from thetahat.intervals.clopper_pearson import ClopperPearson
from thetahat.intervals.newcombe import Newcombe, compute_correlation
from thetahat.intervals.tango import Tango
from thetahat.intervals.tango_clusters import TangoClusters
from thetahat.numerics.paired_rates import (
    compute_p_value_of_at_least,
    compute_p_value_of_no_difference,
    compute_score_statistic,
    count_clustered_pair,
)
from thetahat.values.paired_counts import PairedCounts, count_pair
from thetahat.values.types import Alternative

PUBLISHED = Tango(exact=False)


def table(only_a: int, only_b: int, n: int, both: int = 0) -> PairedCounts:
    return PairedCounts(only_a=only_a, only_b=only_b, both=both, n=n)


def both_ends(
    method: PairedRatesInterval, counts: PairedCounts, level: float = 0.95
) -> tuple[float, float]:
    interval = method.build_from_counts(counts, level, TWO)
    assert interval.lower is not None
    assert interval.upper is not None
    return interval.lower, interval.upper


@pytest.mark.about("intervals/tango")
@pytest.mark.outside(
    "R contingencytables 3.0.0, its tests of chapter 8 (Cavo 2012: 59, 6, 16, 80); R "
    "PropCIs::scoreci.mp(25, 28, 618, 0.9); PMC10763857, table 2 (2, 25 of 102)"
)
@pytest.mark.parametrize(
    ("counts", "level", "expected", "digits"),
    [
        ((6, 16, 161), 0.95, (-0.1240, -0.0054), 4),
        ((28, 25, 618), 0.90, (-0.0148, 0.0247), 4),
        ((25, 2, 102), 0.95, (0.139, 0.321), 3),
    ],
)
def test_golden_tango(
    counts: tuple[int, int, int], level: float, expected: tuple[float, float], digits: int
) -> None:
    for method in (PUBLISHED, Tango()):
        assert_allclose(
            both_ends(method, table(*counts), level), expected, atol=0.5 * 10.0**-digits
        )


@pytest.mark.about("intervals/newcombe")
@pytest.mark.outside(
    "R contingencytables 3.0.0, its tests of chapter 8 (Cavo 2012: 59, 6, 16, 80); Altman et al. "
    "(2000), Statistics with Confidence, thallium stress test (14, 5, 0, 22), method 10; the tests "
    "of the R package propint, which have four intervals of Newcombe (1998, paired), method 10"
)
@pytest.mark.parametrize(
    ("counts", "expected", "digits"),
    [
        (table(6, 16, 161, 59), (-0.1186, -0.0046), 4),
        (table(12, 2, 50, 36), (0.0569, 0.3404), 4),
        (table(12, 2, 50, 18), (0.0562, 0.3290), 4),
        (table(0, 0, 54, 53), (-0.0729, 0.0729), 4),
        (table(30, 0, 30, 0), (0.8395, 1.0), 4),
        (table(5, 0, 41, 14), (0.011, 0.226), 3),
    ],
)
def test_golden_newcombe(counts: PairedCounts, expected: tuple[float, float], digits: int) -> None:
    assert_allclose(both_ends(Newcombe(), counts), expected, atol=0.5 * 10.0**-digits)


@pytest.mark.about("intervals/tango")
@pytest.mark.parametrize("counts", [(6, 16, 161), (0, 4, 30), (1, 0, 5), (3, 3, 8), (7, 1, 8)])
def test_naive_tango_by_halving_and_a_searched_likelihood(counts: tuple[int, int, int]) -> None:
    x_a, x_b, n = counts
    expected = -naive.upper_end(x_b, x_a, n, 1.959964), naive.upper_end(x_a, x_b, n, 1.959964)

    assert_allclose(both_ends(PUBLISHED, table(*counts)), expected, atol=1e-6)


@pytest.mark.about("intervals/tango")
@pytest.mark.parametrize("counts", [(6, 16, 161), (0, 4, 30), (4, 0, 200), (9, 2, 20)])
@pytest.mark.parametrize("tail", [0.3, 0.05, 0.001])
def test_exact_the_score_statistic_at_an_end_is_the_quantile(
    counts: tuple[int, int, int], tail: float
) -> None:
    from scipy.special import ndtri

    lower, upper = PUBLISHED.compute_ends(table(*counts), tail)

    assert_allclose(compute_score_statistic(table(*counts), upper), ndtri(tail), rtol=1e-9)
    assert_allclose(compute_score_statistic(table(*counts), lower), -ndtri(tail), rtol=1e-9)


@pytest.mark.about("intervals/tango")
@pytest.mark.parametrize("x", [0, 1, 4, 20])
def test_limit_one_model_never_alone_in_its_error_has_at_least_the_binomial_end(x: int) -> None:
    n = 20
    binomial = 1 - ClopperPearson().compute_lower_end(n - x, n, 0.05)
    _, exact = Tango().compute_ends(table(x, 0, n), 0.05)
    _, score = PUBLISHED.compute_ends(table(x, 0, n), 0.05)

    assert_allclose(exact, max(binomial, score), rtol=1e-12)


@pytest.mark.about("intervals/tango")
@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_exact_the_interval_leaves_out_0_where_mid_p_rejects(level: float) -> None:
    """Every table of up to 60 discordant instances of 200, and of up to 30 of 30."""
    for discordant in range(61):
        for x_a in range(discordant + 1):
            counts = table(x_a, discordant - x_a, 30 if discordant <= 30 else 200)
            lower, upper = both_ends(Tango(), counts, level)
            p_value = compute_p_value_of_no_difference(counts)
            assert (lower > 0 or upper < 0) == (p_value < 1 - level), counts


@pytest.mark.about("intervals/tango")
@pytest.mark.parametrize("alternative", [LESS, GREATER])
def test_exact_one_sided_bounds_are_the_p_values_of_a_margin(alternative: Alternative) -> None:
    for counts in (table(2, 0, 500), table(6, 3, 80), table(0, 0, 40)):
        interval = Tango().build_from_counts(counts, 0.95, alternative)
        end = interval.upper if alternative is LESS else interval.lower
        assert end is not None
        other = counts if alternative is LESS else counts.swap()
        assert_allclose(compute_p_value_of_at_least(other, abs(end)), 0.05, rtol=1e-9)


@pytest.mark.parametrize("n", [3, 4, 6, 9, 10, 12, 20])
@pytest.mark.parametrize("margin", [0.01, 0.05, 0.3, 0.5, 0.9])
def test_exact_not_worse_of_few_instances_by_enumeration(n: int, margin: float) -> None:
    """The score test alone says it in up to .185 (n = 4, margin .9)."""
    counts = [(a, b) for a in range(n + 1) for b in range(n + 1 - a)]
    said = [c for c in counts if compute_p_value_of_at_least(table(*c, n), margin) < 0.05]
    for p_b in np.linspace(0, (1 - margin) / 2, 41):
        tables = naive.enumerate_tables(n, p_b + margin, p_b)
        assert sum(p for a, b, p in tables if (a, b) in said) < 0.07


@pytest.mark.parametrize("margin", [0.05, 0.3, 0.7])
def test_naive_the_exact_probability_of_few_instances(margin: float) -> None:
    for a, b in [(0, 7), (0, 4), (1, 6), (2, 3)]:
        largest = 0.0
        for p_b in np.linspace(0, (1 - margin) / 2, 2001):
            tables = naive.enumerate_tables(7, p_b + margin, p_b)
            largest = max(largest, sum(p for i, j, p in tables if i <= a and j >= b))
        counts = table(a, b, 7)
        score = 0.5 * math.erfc(-compute_score_statistic(counts, margin) / math.sqrt(2))
        of_equal = compute_p_value_of_no_difference(counts, LESS)
        expected = max(score, min(largest, of_equal))
        assert_allclose(compute_p_value_of_at_least(counts, margin), expected, rtol=1e-4)


@pytest.mark.parametrize(("n", "is_exact"), [(100, True), (101, False)])
def test_limit_exact_probabilities_take_part_up_to_a_hundred(n: int, *, is_exact: bool) -> None:
    counts = table(0, 2, n)
    score = 0.5 * math.erfc(-compute_score_statistic(counts, 0.005) / math.sqrt(2))

    larger = compute_p_value_of_at_least(counts, 0.005) / score > 1 + 1e-9
    assert larger is is_exact


def test_by_hand_three_of_three_instances_won() -> None:
    """P(3 won) is at most .475**3 = .107 for a margin of .05, and 1/8 for none."""
    counts = table(0, 3, 3)

    assert_allclose(compute_p_value_of_at_least(counts, 0.05), 0.475**3, rtol=1e-12)
    assert_allclose(compute_p_value_of_at_least(counts, 0.3), 0.35**3, rtol=1e-4)
    end = Tango().build_from_counts(counts, 0.95, LESS).upper
    assert end is not None
    assert_allclose(end, 1 - 2 * 0.05 ** (1 / 3), rtol=1e-4)


@pytest.mark.about("intervals/tango")
@pytest.mark.parametrize(
    ("n", "p_a", "p_b"), [(20, 0.05, 0.05), (50, 0.02, 0.01), (100, 0.1, 0.04), (50, 0.3, 0.2)]
)
def test_exact_coverage_by_enumeration(n: int, p_a: float, p_b: float) -> None:
    covered = 0.0
    for x_a, x_b, probability in naive.enumerate_tables(n, p_a, p_b):
        lower, upper = both_ends(Tango(), table(x_a, x_b, n))
        covered += probability * (lower <= p_a - p_b <= upper)

    assert 0.948 < covered <= 1 + 1e-6


@pytest.mark.about("intervals/newcombe")
def test_exact_newcombe_by_enumeration() -> None:
    covered = 0.0
    for x_a, x_b, probability in naive.enumerate_tables(50, 0.1, 0.05):
        counts = table(x_a, x_b, 50, both=min(5, 50 - x_a - x_b))
        lower, upper = both_ends(Newcombe(), counts)
        covered += probability * (lower <= 0.05 <= upper)

    assert 0.94 < covered < 0.99


@pytest.mark.about("intervals/newcombe")
def test_by_hand_the_correlation_has_half_of_n_taken_off() -> None:
    # errors 20 and 19 of 41: 14 x 22 - 5 x 0 = 308 - 20.5, over sqrt(19 x 22 x 14 x 27)
    counts = table(5, 0, 41, 14)

    assert_allclose(
        compute_correlation(counts), (308 - 20.5) / math.sqrt(19 * 22 * 14 * 27), rtol=1e-14
    )
    assert compute_correlation(table(0, 0, 10)) == 0  # no errors
    # 1 x 1 - 4 x 4 = -15, with nothing taken off, over 5 x 5
    assert_allclose(compute_correlation(table(4, 4, 10, 1)), -15 / 25, rtol=1e-14)


@pytest.mark.about("intervals/newcombe")
def test_exact_swapping_the_models_mirrors_both_intervals() -> None:
    for counts in (table(6, 16, 161, 59), table(3, 0, 12, 2)):
        for method in (Tango(), PUBLISHED, Newcombe(), TangoClusters()):
            lower, upper = both_ends(method, counts)
            assert_allclose(both_ends(method, counts.swap()), (-upper, -lower), rtol=1e-12)


def test_by_hand_counts_of_a_pair() -> None:
    counts = count_pair(np.array([1.0, 1.0, 0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0, 1.0, 0.0]))

    assert counts == table(2, 1, 5, both=1)
    assert (counts.difference, counts.discordant) == (0.2, 3)
    # differences 1, -1, 1 and two zeros about .2: mean square .6 - .04
    assert_allclose(counts.standard_error, math.sqrt(0.56 / 5), rtol=1e-14)


@pytest.mark.parametrize(
    ("counts", "difference", "expected"),
    [((5, 0, 5), 1.0, 0.0), ((4, 0, 5), 1.0, -math.inf), ((0, 5, 5), -1.0, 0.0)],
)
def test_degenerate_no_variance_is_left(
    counts: tuple[int, int, int], difference: float, expected: float
) -> None:
    assert compute_score_statistic(table(*counts), difference) == expected


def test_degenerate_rates_differ_by_at_most_one() -> None:
    assert compute_p_value_of_at_least(table(3, 0, 3), 1.5) == LEAST_P_VALUE


CLUSTERS = np.repeat(np.arange(10), 4)


@pytest.mark.about("intervals/tango_clusters")
def test_by_hand_a_design_effect_below_one_counts_as_one() -> None:
    """Seven clusters with +1, two with -1, one with 0: mean 5/40, cluster means about .5."""
    a, b = np.zeros(40), np.zeros(40)
    a[[0, 4, 8, 12, 16, 20, 24]] = 1  # one in each of seven clusters
    b[[29, 34]] = 1
    counts = count_clustered_pair(a, b, CLUSTERS)
    assert counts is not None

    # squares about 4 x 5/40 = .5: 7 x .25 + 2 x 2.25 + .25 = 6.5, over 1 - 4/40, is below
    # 9 - 40 (5/40)^2 of the instances
    assert (counts.design_effect, counts.degrees_of_freedom) == (1, 9)
    assert (counts.only_a, counts.only_b, counts.n) == (7, 2, 40)


@pytest.mark.about("intervals/tango_clusters")
def test_limit_whole_clusters_count_as_one_instance_each() -> None:
    """Six clusters of five in which only a errs, three in which only b does, of thirty."""
    a, b = np.zeros(30), np.zeros(30)
    a[:6] = b[6:9] = 1

    counts = count_clustered_pair(np.repeat(a, 5), np.repeat(b, 5), np.repeat(np.arange(30), 5))

    # CR2 of equal clusters has C / (C - 1)
    assert counts is not None
    assert_allclose(counts.design_effect, 5 * 30 / 29, rtol=1e-12)
    assert_allclose((counts.only_a, counts.only_b), (6 * 29 / 30, 3 * 29 / 30), rtol=1e-12)
    assert counts.n_instances == 150


@pytest.mark.about("intervals/tango_clusters")
@pytest.mark.parametrize(("n_discordant", "weight"), [(2, 0.4), (5, 1.0)])
def test_by_hand_few_discordant_clusters_shrink_towards_alike_instances(
    n_discordant: int, weight: float
) -> None:
    a = np.zeros(80)
    a[: 4 * n_discordant : 4] = 1  # one of four instances in each of the first clusters
    counts = count_clustered_pair(a, np.zeros(80), np.repeat(np.arange(20), 4))
    assert counts is not None

    # estimated below or at one; clusters of four that are all alike have a design effect of four
    assert_allclose(counts.design_effect, weight * 1 + (1 - weight) * 4, rtol=1e-12)


@pytest.mark.about("intervals/tango_clusters")
@pytest.mark.outside(
    "statsmodels 0.15.0, OLS(d, 1).fit(cov_type='cluster', use_correction=True), squared bse"
)
def test_golden_the_variance_over_clusters() -> None:
    """With clusters of one size the divisor 1 - m_c / n is the factor C / (C - 1)."""
    sums = [3, 0, -1, 2, 0, 0, 4, 1, 0, 0, -2, 1]  # of clusters of six instances
    d = np.concatenate([[np.sign(s)] * abs(s) + [0] * (6 - abs(s)) for s in sums])
    a, b = (d > 0).astype(np.float64), (d < 0).astype(np.float64)
    counts = count_clustered_pair(a, b, np.repeat(np.arange(12), 6))

    assert counts is not None
    assert counts.design_effect > 1
    assert_allclose(counts.standard_error**2, 0.006453423120089773, rtol=1e-12)


@pytest.mark.about("intervals/tango_clusters")
def test_calibrated_not_worse_in_clusters_keeps_its_level() -> None:
    """Twenty clusters of ten, rates .1 and .05, correlation .3; t on CR1 says it in .08."""
    rng, said, repetitions = np.random.default_rng(12), 0, 1500
    cluster = np.repeat(np.arange(20), 10)
    size = 1 / 0.3 - 1
    for _ in range(repetitions):
        p_a, p_b = rng.beta(0.1 * size, 0.9 * size, 20), rng.beta(0.05 * size, 0.95 * size, 20)
        at = rng.random(200) * np.maximum(1, (p_a + p_b)[cluster])
        a = (at < p_a[cluster]).astype(float)
        b = ((at >= p_a[cluster]) & (at < (p_a + p_b)[cluster])).astype(float)
        counts = count_clustered_pair(a, b, cluster)
        said += counts is not None and compute_p_value_of_at_least(counts, 0.05) < 0.05

    # fails by chance in 1 of 16 000 seeds if the level is .054
    assert said / repetitions < 0.054 + 4 * math.sqrt(0.054 * 0.946 / repetitions)


def test_degenerate_tables_of_clusters() -> None:
    zeros, halves = np.zeros(4), np.array([0, 0, 1, 1])

    assert count_clustered_pair(zeros, zeros, halves) is None
    assert count_clustered_pair(zeros + 1, zeros, np.zeros(4, dtype=np.intp)) is None
    # every instance is discordant, so the variance of instances is 0
    all_differ = count_clustered_pair(zeros + 1, zeros, halves)
    assert all_differ is not None
    assert all_differ.design_effect == 2


@pytest.mark.parametrize("sizes", [[50, 2, 3, 5, 10, 30], [145, *[5] * 29], [4, 4, 4]])
def test_by_hand_degrees_of_clusters_are_those_of_the_cr2_matrices(sizes: list[int]) -> None:
    n, code = sum(sizes), np.repeat(np.arange(len(sizes)), sizes)
    residual = np.eye(n) - 1 / n
    terms = []
    for cluster in range(len(sizes)):
        own = np.flatnonzero(code == cluster)
        values, vectors = np.linalg.eigh(residual[np.ix_(own, own)])
        ones = np.ones(len(own)) / n
        terms.append(residual[own].T @ (vectors @ ((vectors.T @ ones) / np.sqrt(values))))
    g = np.array(terms) @ np.array(terms).T
    a = np.zeros(n)
    a[::2] = 1

    counts = count_clustered_pair(a, np.zeros(n), code)

    assert counts is not None
    assert counts.degrees_of_freedom == pytest.approx(np.trace(g) ** 2 / (g**2).sum(), rel=1e-9)


@pytest.mark.calibration
def test_calibrated_one_cluster_with_half_of_the_instances() -> None:
    """With C - 1 = 29 degrees of freedom the interval covers in .89."""
    rng, covered = np.random.default_rng(11), 0
    code = np.repeat(np.arange(30), [145, *[5] * 29])
    for _ in range(400):
        shared, own = rng.normal(size=(2, 30))[:, code], rng.normal(size=(2, len(code)))
        a, b = (np.sqrt(0.3) * shared + np.sqrt(0.7) * own < stats.norm.ppf(0.2)) * 1.0
        counts = count_clustered_pair(a, b, code)
        assert counts is not None
        lower, upper = TangoClusters().compute_ends(counts, 0.025)
        covered += lower <= 0 <= upper

    assert covered / 400 > 0.93
