"""The largest of several standardised differences, beside scipy's distributions and slow twins."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from thetahat.numerics.joint_distribution import JointDistribution, UnitMoments
from thetahat.values.types import FloatArray, IntArray

pytestmark = pytest.mark.about("corrections/max_t")


def all_pairs(k: int) -> IntArray:
    return np.array(list(itertools.combinations(range(k), 2)))


def covariance_of(k: int, seed: int) -> FloatArray:
    root = np.random.default_rng(seed).normal(size=(k, k))
    return np.asarray(root @ root.T)


def largest_exceeds(covariance: FloatArray, places: IntArray, z: float) -> float:
    """Return P(max |Z| > z) by scipy's multivariate normal distribution function."""
    contrasts = np.zeros((len(places), len(covariance)))
    rows = np.arange(len(places))
    contrasts[rows, places[:, 0]], contrasts[rows, places[:, 1]] = 1.0, -1.0
    of_pairs = contrasts @ covariance @ contrasts.T
    spread = np.sqrt(np.diag(of_pairs))
    ends = np.full(len(places), z)
    inside = stats.multivariate_normal.cdf(
        ends,
        np.zeros(len(places)),
        of_pairs / np.outer(spread, spread),
        allow_singular=True,
        maxpts=30_000,
        abseps=1e-3,
        releps=1e-3,
        lower_limit=-ends,
    )
    return 1 - float(inside)


def test_exact_the_p_value_of_a_single_pair_stays() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(40, 2))
    covariance = UnitMoments.accumulate([rows - rows.mean(axis=0)]).estimate_covariance()
    family = JointDistribution(covariance, np.array([[0, 1]]), rng)

    assert family.rank == 1
    assert_allclose(family.find_pair_alpha(0.05), 0.05, rtol=1e-9)
    for p_value in (1e-12, 0.003, 0.4, 1.0):
        (adjusted,) = family.step_down([p_value]).adjust([p_value])
        assert adjusted is not None
        assert_allclose(adjusted, p_value, rtol=1e-12)


# The standard error of a probability of .05 from 10 000 draws is .0022; the length is integrated.
def test_against_scipy_comparisons_with_a_control() -> None:
    covariance = covariance_of(5, 2)
    places = np.array([(i, 4) for i in range(4)])
    family = JointDistribution(covariance, places, np.random.default_rng(3))

    for z in (1.5, 2.0, 2.5, 3.0):
        p_value = 2 * stats.norm.sf(z)
        adjusted = family.step_down([p_value] * 4).adjust([p_value] * 4)[0]
        assert adjusted == pytest.approx(largest_exceeds(covariance, places, z), abs=0.006)


@pytest.mark.parametrize(("k", "tolerance"), [(3, 0.02), (10, 0.03), (30, 0.03)])
def test_against_scipy_studentised_range_of_equal_models(k: int, tolerance: float) -> None:
    family = JointDistribution(np.eye(k) - 1 / k, all_pairs(k), np.random.default_rng(4))

    quantile = stats.norm.isf(family.find_pair_alpha(0.05) / 2) * np.sqrt(2)

    assert family.rank == k - 1
    assert quantile == pytest.approx(stats.studentized_range.ppf(0.95, k, np.inf), abs=tolerance)


def test_naive_step_down_with_scipy_at_every_step() -> None:
    covariance, places = covariance_of(4, 5), all_pairs(4)
    z = np.array([3.1, 0.4, 2.7, 2.2, 1.1, 2.45])
    p_values = (2 * stats.norm.sf(z)).tolist()
    expected, running = np.empty(6), 0.0
    for step, pair in enumerate(order := np.argsort(-z)):
        running = max(running, largest_exceeds(covariance, places[order[step:]], z[pair]))
        expected[pair] = running

    steps = JointDistribution(covariance, places, np.random.default_rng(6)).step_down(p_values)

    assert_allclose(np.array(steps.adjust(p_values), float), expected, atol=0.012)
    # another test, of which an early pair is not shown, shows none of the later ones
    assert np.all(np.array(steps.adjust([0.2, *p_values[1:]]), float) >= 0.2)


def test_naive_shrinkage_unit_by_unit() -> None:
    rng = np.random.default_rng(7)
    n, k = 12, 5
    rows = rng.normal(size=(n, k)) * np.arange(1, k + 1) + rng.normal(size=(n, 1)) * 5
    rows -= rows.mean(axis=0)
    own = rows - rows.mean(axis=1, keepdims=True)
    scale = own.std(axis=0, ddof=1)
    noise = signal = 0.0
    r = np.corrcoef(own.T)
    for i, j in itertools.permutations(range(k), 2):
        w = own[:, i] * own[:, j] / (scale[i] * scale[j])
        noise += n / (n - 1) ** 3 * ((w - w.mean()) ** 2).sum()
        signal += r[i, j] ** 2
    shrunk = (1 - noise / signal) * r
    np.fill_diagonal(shrunk, 1.0)
    centring = np.eye(k) - 1 / k
    expected = centring @ (shrunk * np.outer(scale, scale)) @ centring

    moments = UnitMoments.accumulate([rows[:5], rows[5:]])

    assert 0 < noise / signal < 1
    assert_allclose(moments.estimate_covariance() / (n - 1), expected, rtol=1e-10, atol=1e-12)
    spread = ((rows[:, 1] - rows[:, 3]) ** 2).sum()
    assert_allclose(moments.compute_difference_variances(np.array([[1, 3]])), [spread], rtol=1e-12)


def test_degenerate_models_that_do_not_vary_are_corrected_by_their_number() -> None:
    scale = np.array([1.0, 1.0, 2.0])
    family = JointDistribution(np.outer(scale, scale), all_pairs(3), np.random.default_rng(9))
    nothing = JointDistribution(np.zeros((3, 3)), all_pairs(3), np.random.default_rng(9))

    assert family.varies.tolist() == [False, True, True]
    assert family.step_down([0.01, None, 0.9]).adjust([0.01, None, 0.9])[0] == pytest.approx(0.03)
    assert nothing.step_down([0.2, 0.4, 1.0]).adjust([0.2, 0.4, 1.0]) == [0.6000000000000001, 1, 1]
    assert nothing.find_pair_alpha(0.06) == pytest.approx(0.02)


@pytest.mark.calibration
@pytest.mark.parametrize(("n", "k", "repetitions"), [(8, 12, 700), (100, 30, 300)])
def test_calibrated_equal_models_are_seldom_told_apart(n: int, k: int, repetitions: int) -> None:
    # Any of all pairs, so also any pair with the model that is best by chance. Correct code has
    # .04 to .065 here, and fails once in a thousand times.
    rng = np.random.default_rng(n + k)
    places = all_pairs(k)
    found = 0
    for _ in range(repetitions):
        losses = 0.7 * rng.normal(size=(n, 1)) + 0.7 * rng.normal(size=(n, k))
        moments = UnitMoments.accumulate([losses - losses.mean(axis=0)])
        errors = np.sqrt(moments.compute_difference_variances(places) / (n * (n - 1)))
        means = losses.mean(axis=0)
        t = np.abs(means[places[:, 0]] - means[places[:, 1]]) / errors
        family = JointDistribution(
            moments.estimate_covariance(), places, np.random.default_rng(0), n_draws=1000
        )
        found += (2 * stats.t.sf(t.max(), n - 1)) < family.find_pair_alpha(0.05)

    share, error = found / repetitions, np.sqrt(0.05 * 0.95 / repetitions)
    assert 0.02 < share < 0.065 + 3.1 * error
