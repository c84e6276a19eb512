"""Counts of kinds of units: a chain of binomial counts, each read from tables by a hash."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, pairwise
from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import bdtr, betainc, betaincc, gammaln

from thetahat.numerics.bootstrap.binomials import counts_of_kinds, distribution
from thetahat.numerics.loops.hashes import STEP, mix
from thetahat.values.types import FloatArray

STRATA = [
    [[1]],
    [[7]],
    [[1, 1]],
    [[1, 99_999]],
    [[99_999, 1]],
    [[2, 2, 1], [3], [1, 1, 1, 1000]],
    [[2100, 5500, 2400]],
    [[30] * 12, [250, 9500, 250]],
    [[3_000_000, 5, 7_000_000]],
]


def keys_of(n: int, seed: int = 1) -> np.ndarray:
    return mix(np.uint64(seed << 40) + np.arange(1, n + 1, dtype=np.uint64))


def drawn(strata: list[list[int]], keys: np.ndarray) -> FloatArray:
    members = np.concatenate([np.array(kinds, dtype=np.intp) for kinds in strata])
    starts = np.array([0, *accumulate(map(len, strata))], dtype=np.intp)
    return counts_of_kinds(starts, members, keys)


def test_by_hand_ten_trials_of_a_half() -> None:
    # sums of 1 10 45 120 210 252 210 120 45 10 1, the binomial coefficients of 10
    low, cdf = distribution(10, 5, 10)

    assert low == 0
    expected = np.array([1, 11, 56, 176, 386, 638, 848, 968, 1013, 1023, 1024]) / 1024
    assert_allclose(cdf, expected, rtol=1e-15)


@pytest.mark.parametrize(
    ("trials", "members", "rest"),
    [(1, 1, 3), (15, 999, 1000), (16, 1, 10**7), (3840, 2100, 10_000), (10**6, 1, 2), (900, 7, 9)],
)
def test_against_scipy_distribution_functions(trials: int, members: int, rest: int) -> None:
    low, cdf = distribution(trials, members, rest)
    high, share = low + len(cdf) - 1, members / rest

    # P(X <= k) = I_{1-p}(n - k, k + 1); some thousand products and sums, each off by 2^-53 at most
    counts = np.arange(low, high)
    expected = betainc(trials - counts, counts + 1, (rest - members) / rest)
    assert_allclose(cdf[:-1], expected, rtol=1e-13, atol=5e-14)
    assert cdf[-1] == 1
    below = betaincc(low, trials - low + 1, share) if low else 0.0
    above = betainc(high + 1, trials - high, share) if high < trials else 0.0
    assert max(below, above) < 2.0**-60


def test_exact_distribution_in_whole_numbers() -> None:
    trials, share = 3840, Fraction(21, 100)
    low, cdf = distribution(trials, 2100, 10_000)

    term, total, full = 79**trials, 0, 100**trials
    for k in range(low + len(cdf)):
        total += term
        term = term * (trials - k) * 21 // ((k + 1) * 79)
        if k >= low:
            assert abs(cdf[k - low] - ((total << 80) // full) / 2**80) < 4e-15
    assert 2**60 * (full - total) < full
    assert share * trials - low > 9 * (trials * share * (1 - share)) ** 0.5


@pytest.mark.parametrize("strata", STRATA)
def test_exact_every_stratum_draws_as_many_units_as_it_has(strata: list[list[int]]) -> None:
    counts, at = drawn(strata, keys_of(300)), 0
    for kinds in strata:
        assert_array_equal(counts[at : at + len(kinds)].sum(axis=0), sum(kinds))
        at += len(kinds)


def _inverted(u: Fraction, trials: int, share: Fraction) -> int:
    """Return the first count whose distribution function exceeds u, in whole numbers."""
    total = Fraction(0)
    for k in range(trials + 1):
        total += comb(trials, k) * share**k * (1 - share) ** (trials - k)
        if total > u:
            return k
    raise AssertionError


def test_naive_a_chain_of_counts_in_fractions() -> None:
    members, keys = [9, 25, 4, 40], keys_of(30, 5)
    replicates = drawn([[3], members], keys)

    for b, key in enumerate(keys.tolist()):
        left, rest = sum(members), sum(members)
        for j, counts_of_kind in enumerate(members[:-1]):
            count = 0
            places = [(0, left)] if j == 0 else [(0, left % 16), (1, left // 16 * 16)]
            for place, trials in places:
                state = (key + int(STEP) * (16 * (1 + j) + place + 1)) % 2**64
                hashed = int(mix(np.array([state], dtype=np.uint64))[0])
                count += _inverted(
                    Fraction(hashed >> 11, 2**53), trials, Fraction(counts_of_kind, rest)
                )
            assert replicates[1 + j, b] == count
            left -= count
            rest -= counts_of_kind
        assert replicates[4, b] == left


def test_exact_a_resample_is_a_function_of_its_key() -> None:
    keys = keys_of(500)
    whole = drawn(STRATA[5], keys)
    order = np.random.default_rng(1).permutation(500)

    assert_array_equal(drawn(STRATA[5], keys[order]), whole[:, order])
    assert_array_equal(drawn(STRATA[5], keys[77:78]), whole[:, 77:78])


def _assert_chi_squared(observed: FloatArray, expected: FloatArray) -> None:
    """Chi-squared with as many degrees of freedom as cells but one; z = 5."""
    free = len(expected) - 1
    assert expected.min() > 5
    chi_squared = float(((observed - expected) ** 2 / expected).sum())
    assert abs(chi_squared - free) < 5 * np.sqrt(2 * free) + 5


def test_calibrated_all_outcomes_of_a_small_stratum() -> None:
    # all 56 outcomes of 5 draws from 4 kinds, and the counts of another stratum beside them
    b, members = 100_000, np.array([2, 1, 1, 1])
    counts = drawn([members.tolist(), [1, 1]], keys_of(b)).astype(int)
    codes = np.array([125, 25, 5, 1]) @ counts[:4] * 5 + counts[4]

    outcomes = np.array(np.meshgrid(*[np.arange(6)] * 4)).reshape(4, -1)
    outcomes = outcomes[:, outcomes.sum(axis=0) == 5]
    log = gammaln(6) - gammaln(outcomes + 1).sum(axis=0) + np.log(members / 5) @ outcomes
    expected = (b * np.exp(log)[:, None] * np.array([0.25, 0.5, 0.25])).ravel()
    where = np.array([125, 25, 5, 1]) @ outcomes * 5 + np.arange(3)[:, None]
    observed = np.bincount(codes, minlength=5000)[where.T.ravel()]
    assert observed.sum() == b
    _assert_chi_squared(observed.astype(np.float64), expected)


@pytest.mark.parametrize(
    "members", [[2100, 5500, 2400], [250, 9500, 250], [5, 3, 9992], [9000, 999, 1], [40] * 30]
)
def test_calibrated_every_kind_is_binomial(members: list[int]) -> None:
    # each count by itself is binomial, wherever it stands in the chain; in classes of equal chance
    b, n = 40_000, sum(members)
    counts = drawn([members], keys_of(b, 3))

    for counts_of_kind, row in zip(members[:5], counts, strict=False):
        k = np.arange(max(0, counts_of_kind - 600), min(n, counts_of_kind + 600) + 1)
        cdf = bdtr(k, n, counts_of_kind / n)
        ends = k[np.unique(np.searchsorted(cdf, np.arange(1, 40) / 40))]
        inner = np.concatenate([[0], bdtr(ends, n, counts_of_kind / n), [1]])
        expected = b * np.diff(inner)
        classes = np.searchsorted(ends, row)
        observed = np.bincount(classes, minlength=len(expected)).astype(np.float64)
        keep = expected > 5
        _assert_chi_squared(observed[keep], expected[keep] * observed[keep].sum() / expected.sum())


def test_calibrated_kinds_covary_and_strata_do_not() -> None:
    b, strata = 40_000, [[700, 200, 100], [50, 950]]
    counts = drawn(strata, keys_of(b, 9))

    expected, at = np.zeros((5, 5)), 0
    for kinds in strata:
        n, p = sum(kinds), np.array(kinds) / sum(kinds)
        own = slice(at, at + len(kinds))
        expected[own, own] = n * (np.diag(p) - np.outer(p, p))
        at += len(kinds)
    covariance = np.cov(counts)
    spread = np.sqrt(np.diag(expected))
    # a correlation has the error 1 / sqrt(b) at most, a variance sqrt(2 / b) of itself; z = 5
    assert_allclose(
        covariance / np.outer(spread, spread),
        expected / np.outer(spread, spread),
        atol=5 * np.sqrt(2 / b),
    )
    assert_allclose(counts.mean(axis=1), np.concatenate(strata), atol=5 * spread.max() / np.sqrt(b))
    # neither do resamples that follow each other
    for row in counts:
        lagged = np.corrcoef(row[:-1], row[1:])[0, 1]
        assert abs(lagged) < 5 / np.sqrt(b)


def test_degenerate_strata_of_one_kind_are_drawn_whole() -> None:
    for first, second in pairwise([1, 2, 300]):
        assert_array_equal(
            drawn([[first], [second]], keys_of(3)), np.repeat([[first], [second]], 3, axis=1)
        )
