from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.thetahat.paired_tests.pairs import (
    ALTERNATIVES,
    SCIPY_WORDS,
    assert_close,
    blocks_pair,
    differences_pair,
    holdout_pair,
    rng_of,
)
from thetahat.errors import InvalidParameter
from thetahat.paired_tests._sign_flips import random_sums
from thetahat.paired_tests.permutation import Permutation
from thetahat.values.types import Alternative, BlockKind

TWO, LESS, GREATER = Alternative.TWO_SIDED, Alternative.LESS, Alternative.GREATER


@pytest.mark.outside(
    "rasbt/mlxtend test_permutation.py, paired: .031 (vector randomisation_paired)"
)
def test_golden_mlxtend_randomisation() -> None:
    # rasbt/mlxtend test_permutation.py, paired: 4 of 128 patterns
    x, y = [3.67, 1.72, 3.46, 2.60, 2.03, 2.10, 3.01], [2.11, 1.79, 2.71, 1.89, 1.69, 1.71, 2.01]

    outcome = Permutation().test(holdout_pair(x, y), TWO, rng_of())

    assert outcome.p_value == 0.03125
    assert outcome.details == {"method": "exact", "n_patterns": 128}
    assert_close(outcome.statistic, (sum(x) - sum(y)) / 7, rtol=1e-12)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9), st.sampled_from(ALTERNATIVES))
def test_naive_all_patterns(values: list[int], alternative: Alternative) -> None:
    observed = sum(values)
    sums = [
        sum(s * v for s, v in zip(signs, values, strict=True))
        for signs in itertools.product([-1, 1], repeat=len(values))
    ]
    extreme = {
        TWO: [abs(s) >= abs(observed) for s in sums],
        LESS: [s <= observed for s in sums],
        GREATER: [s >= observed for s in sums],
    }[alternative]

    outcome = Permutation().test(differences_pair(values), alternative, rng_of())

    assert_close(outcome.p_value, sum(extreme) / len(sums), rtol=1e-13)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_against_scipy_permutation_test(alternative: Alternative) -> None:
    from scipy import stats

    values = np.random.default_rng(71).standard_normal(10) + 0.4
    expected = stats.permutation_test(
        (values, np.zeros(10)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=1024,
        vectorized=True,
        alternative=SCIPY_WORDS[alternative],
    )

    outcome = Permutation().test(differences_pair(values), alternative, rng_of())

    assert_close(outcome.p_value, expected.pvalue, rtol=1e-12)


def test_exact_ties_by_rounding_are_counted() -> None:
    # .1 + .2 - .3 sums in another order differ in the last bit: all |sums| >= observed count
    pair = differences_pair([0.1, 0.2, -0.3, 0.4])

    # |sum| = .4; sums of +-1 +-2 +-3 +-4: |s| >= 4 in 10 of 16
    assert Permutation().test(pair, TWO, rng_of()).p_value == 10 / 16


def test_limit_zero_one_losses_are_a_binomial_count() -> None:
    # 14 against 6 discordant: twice P(X <= 6 of 20)
    differences = [1.0] * 14 + [-1.0] * 6 + [0.0] * 30

    outcome = Permutation().test(differences_pair(differences), TWO, rng_of())

    expected = 2 * sum(math.comb(20, k) for k in range(7)) / 2**20
    assert_close(outcome.p_value, expected, rtol=1e-12)
    assert outcome.details == {"method": "exact_binomial"}


def test_limit_sampling_agrees_with_the_normal() -> None:
    rng = np.random.default_rng(72)
    values = rng.standard_normal(2000)
    values += 0.03

    outcome = Permutation(n_resamples=40_000).test(differences_pair(values), TWO, rng_of(73))

    z = values.sum() / math.sqrt(float(values @ values))
    p = math.erfc(abs(z) / math.sqrt(2))
    assert outcome.details == {"method": "random", "n_resamples": 40_000}
    assert outcome.p_value is not None
    # 5 Monte-Carlo errors, and 1e-3 for the fourth moment's part of order 1/n
    assert abs(outcome.p_value - p) < 5 * math.sqrt(p * (1 - p) / 40_000) + 1e-3


def test_exact_random_sums_have_the_moments_of_fair_signs() -> None:
    terms = np.arange(1.0, 12.0)  # a group of eight and one of three
    sums = random_sums(terms, 200_000, rng_of(74))

    variance = float(terms @ terms)
    assert set(np.unique(sums % 2)) == {0.0}  # 66 is even, so every sum is
    assert abs(sums).max() <= terms.sum()
    assert abs(sums.mean()) < 5 * math.sqrt(variance / 200_000)
    assert abs(sums.var() / variance - 1) < 5 * math.sqrt(2 / 200_000)
    assert abs((sums * terms[0]).mean()) < 5 * math.sqrt(variance / 200_000)


def test_exact_random_sums_of_many_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    from thetahat.paired_tests import _sign_flips

    terms = np.arange(8232.0)
    whole = random_sums(terms, 300, rng_of(75))
    monkeypatch.setattr(_sign_flips, "_SIGNS_AT_ONCE", 2**15)
    monkeypatch.setattr(_sign_flips, "_WORDS_AT_ONCE", 3)

    assert_close(random_sums(terms, 300, rng_of(75)), whole, rtol=1e-14)


def splitmix64(seed: int, place: int) -> int:
    """Number ``place`` of the published generator, in whole numbers."""
    x = (seed + (place + 1) * 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


def test_exact_patterns_do_not_depend_on_how_many_there_are() -> None:
    terms = np.random.default_rng(79).standard_normal(130)
    few, more = (random_sums(terms, b, rng_of(80)) for b in (50, 90_000))

    assert_close(few, more[:50], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 200, 2100])
def test_naive_tables_and_products_sum_under_the_same_signs(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from thetahat.paired_tests import _sign_flips

    terms = np.random.default_rng(n).standard_normal(n)
    products = random_sums(terms, 9, rng_of(78))
    monkeypatch.setattr(_sign_flips, "MANY_FLIPS", 0)
    tables = random_sums(terms, 9, rng_of(78))

    assert_close(tables, products, rtol=1e-10, atol=1e-12 * float(np.abs(terms).sum()))
    key = int(rng_of(78).integers(2**64, dtype=np.uint64))
    signs = [
        [1 - 2 * (splitmix64(splitmix64(key, i // 64), b) >> (i % 64) & 1) for i in range(n)]
        for b in range(9)
    ]
    assert_close(products, np.array(signs) @ terms, rtol=1e-10, atol=1e-10)


def test_exact_same_stream_same_number() -> None:
    values = np.random.default_rng(76).standard_normal(100)
    pair = differences_pair(values)

    first, again = (Permutation().test(pair, TWO, rng_of(5)).p_value for _ in range(2))

    assert first == again


def test_by_hand_clusters_flip_as_wholes() -> None:
    # clusters of sums 1 + 2 = 3, 4 and -1 over n = 4: T = 6/4; |+-3 +-4 +-1| >= 6: 8 and 6, 4 of 8
    pair = holdout_pair([1, 2, 4, -1], [0, 0, 0, 0], cluster=[0, 0, 1, 2])

    outcome = Permutation().test(pair, TWO, rng_of())

    assert outcome.unit == "cluster"
    assert_close(outcome.statistic, 1.5, rtol=1e-15)
    assert outcome.p_value == 0.5


def test_by_hand_sources_flip_as_wholes() -> None:
    a = np.array(
        [[1.0, 3.0], [3.0, 3.0], [4.0, 2.0]]
    )  # means 2, 3, 3: all flips but two are smaller

    outcome = Permutation().test(blocks_pair(a, np.zeros((3, 2)), BlockKind.SOURCE), TWO, rng_of())

    assert outcome.unit == "block"
    assert outcome.p_value == 0.25


def test_degenerate_no_difference() -> None:
    outcome = Permutation().test(differences_pair([0.0, 0.0]), TWO, rng_of())

    assert (outcome.statistic, outcome.p_value) == (0, 1)


@pytest.mark.parametrize("n", [98, 1_000_001])
def test_invalid_number_of_resamples(n: int) -> None:
    with pytest.raises(InvalidParameter, match="n_resamples"):
        Permutation(n_resamples=n)


def test_calibrated_size_when_sampled() -> None:
    rng, reps = np.random.default_rng(77), 1500
    rejected = sum(
        (Permutation(n_resamples=199).test(differences_pair(row), TWO, rng).p_value or 0) <= 0.05
        for row in rng.standard_normal((reps, 20))
    )

    # 10/200: exact for B + 1 a multiple of 20
    assert abs(rejected / reps - 0.05) < 5 * math.sqrt(0.05 * 0.95 / reps)


def test_by_hand_sampled_p_value_is_never_zero() -> None:
    # 60 differences of one sign: a random pattern is as extreme with chance 2^-59
    pair = differences_pair(np.arange(1.0, 61.0))

    outcome = Permutation(n_resamples=999).test(pair, TWO, rng_of())

    assert outcome.p_value == 1 / 1000


@pytest.mark.parametrize(
    ("n_units", "n_resamples"), [(50, 10_000), (100_000, 10_000), (200_000, 5000), (10**7, 999)]
)
def test_exact_the_default_number_of_resamples_goes_down_with_the_units(
    n_units: int, n_resamples: int
) -> None:
    assert Permutation()._choose_n_resamples(n_units) == n_resamples
    assert Permutation(n_resamples=200)._choose_n_resamples(n_units) == 200
