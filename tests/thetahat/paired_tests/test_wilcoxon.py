from __future__ import annotations

import itertools
import math
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tests.thetahat.paired_tests.pairs import (
    ALTERNATIVES,
    SCIPY_WORDS,
    assert_close,
    details_of,
    differences_pair,
    holdout_pair,
    rng_of,
)
from thetahat.errors import InvalidParameter
from thetahat.paired_tests._signed_ranks import SignedRanks, rank_values
from thetahat.paired_tests.wilcoxon import Wilcoxon
from thetahat.values.types import Alternative, FloatArray

TWO, LESS, GREATER = Alternative.TWO_SIDED, Alternative.LESS, Alternative.GREATER

# Demsar 2006, Table 2: AUC of C4.5 and C4.5+m on 14 data sets
C45 = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1, 0.94, 0.619, 0.972, 0.957]
C45_M = [
    0.768,
    0.591,
    0.971,
    0.661,
    0.888,
    0.931,
    0.668,
    0.583,
    0.838,
    1,
    0.962,
    0.666,
    0.981,
    0.978,
]


@pytest.mark.outside("demsar2006, Table 2 and section 3.1.3: T = 12")
def test_golden_demsar_table_2() -> None:
    # by hand from the table: |d| ranks 3.5 and 3.5 for the two .005s after two zeros, R- of the
    # two negative differences (.008 and .005) with the zeros' 1.5: 7 + 3.5 + 1.5 = 12 = T, as
    # printed in section 3.1.3; z = (12 - 105/2) / sqrt(14 * 15 * 29 / 24)
    pair = holdout_pair([1 - auc for auc in C45], [1 - auc for auc in C45_M])

    outcome = Wilcoxon(zeros="demsar_split", method="normal").test(pair, TWO, rng_of())

    z = (12 - 52.5) / math.sqrt(14 * 15 * 29 / 24)
    assert outcome.statistic == 12
    assert details_of(outcome)["rank_sum_positive"] == 93
    assert details_of(outcome)["zeros"] == 2
    assert_close(abs(details_of(outcome)["z"]), abs(z), rtol=1e-13)
    # twice the tail: scmamp's Phi(z) alone would be half of it
    assert_close(outcome.p_value, math.erfc(abs(z) / math.sqrt(2)), rtol=1e-12)


def test_by_hand_exact() -> None:
    # -1, 2, 3, 4: R- = 1; of 16 patterns R- <= 1 in two
    pair = differences_pair([-1, 2, 3, 4])

    two, greater = (Wilcoxon().test(pair, way, rng_of()) for way in (TWO, GREATER))

    assert (two.statistic, two.p_value) == (1, 4 / 16)
    assert (greater.statistic, greater.p_value) == (9, 2 / 16)
    assert details_of(two)["method"] == "exact"


@pytest.mark.parametrize("odd", [False, True])
def test_exact_demsar_split_leaves_one_of_an_odd_number_out(odd: bool) -> None:  # noqa: FBT001 - a table's column
    zeros = [0.0] * (3 if odd else 2)

    outcome = Wilcoxon(zeros="demsar_split").test(
        differences_pair([*zeros, 1, -2, 3]), TWO, rng_of()
    )

    # two zeros have rank 1.5 each, one to each side; 3, 4, 5 for the rest
    assert details_of(outcome)["rank_sum_positive"] == 3 + 5 + 1.5
    assert details_of(outcome)["rank_sum_negative"] == 4 + 1.5


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("correction", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_against_scipy_normal(
    alternative: Alternative,
    zeros: Literal["wilcox", "pratt", "zsplit"],
    correction: bool,  # noqa: FBT001 - a table's column
    ties: bool,  # noqa: FBT001 - a table's column
) -> None:
    from scipy import stats

    rng = np.random.default_rng(61)
    for _ in range(5):
        values = rng.integers(-4, 6, 60) / 4 if ties else rng.standard_normal(60)
        expected = stats.wilcoxon(
            values,
            zero_method=zeros,
            correction=correction,
            method="approx",
            alternative=SCIPY_WORDS[alternative],
        )
        method = Wilcoxon(zeros=zeros, method="normal", correction=correction)

        outcome = method.test(differences_pair(values), alternative, rng_of())

        assert outcome.statistic == expected.statistic
        assert_close(outcome.p_value, expected.pvalue, rtol=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [1, 2, 9, 25, 50])
def test_against_scipy_exact(alternative: Alternative, n: int) -> None:
    from scipy import stats

    values = np.random.default_rng(62).standard_normal(n) + 0.3
    expected = stats.wilcoxon(values, method="exact", alternative=SCIPY_WORDS[alternative])

    outcome = Wilcoxon().test(differences_pair(values), alternative, rng_of())

    assert outcome.statistic == expected.statistic
    assert_close(outcome.p_value, expected.pvalue, rtol=1e-12)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=8), st.sampled_from(ALTERNATIVES))
def test_naive_exact_counts_all_sign_patterns(values: list[int], alternative: Alternative) -> None:
    sizes = [abs(v) for v in values if v]
    ranks = [sum(s < t for s in sizes) + (sizes.count(t) + 1) / 2 for t in sizes]
    observed = sum(r for r, v in zip(ranks, [v for v in values if v], strict=True) if v > 0)
    sums = [
        sum(itertools.compress(ranks, signs))
        for signs in itertools.product([0, 1], repeat=len(ranks))
    ]
    below = sum(s <= observed for s in sums) / len(sums)
    above = sum(s >= observed for s in sums) / len(sums)
    expected = {TWO: min(1, 2 * min(below, above)), LESS: below, GREATER: above}[alternative]

    outcome = Wilcoxon(method="exact").test(differences_pair(values), alternative, rng_of())

    assert_close(outcome.p_value, expected, rtol=1e-14)


def test_limit_exact_meets_normal_in_large_samples() -> None:
    values = np.random.default_rng(63).standard_normal(400) + 0.08

    exact, normal = (
        Wilcoxon(method=method, correction=True).test(differences_pair(values), TWO, rng_of())
        for method in ("exact", "normal")
    )

    # the Edgeworth remainder of a symmetric lattice distribution is of order 1/n
    assert_close(exact.p_value, normal.p_value, rtol=0.02)


@pytest.mark.parametrize(("n", "how"), [(50, "exact"), (51, "normal")])
def test_exact_auto_is_exact_to_fifty(n: int, how: str) -> None:
    values = np.random.default_rng(64).standard_normal(n)

    assert details_of(Wilcoxon().test(differences_pair(values), TWO, rng_of()))["method"] == how


def test_exact_ties_survive_a_shift_of_both_models() -> None:
    # steps of .04: .96 - .92 and .88 - .84 differ in their last bit
    b = np.array([0.92, 0.84, 0.6, 0.72, 0.8, 0.76])
    a = b + np.array([0.04, 0.04, -0.04, 0.08, 0.12, -0.08])
    plain = Wilcoxon().test(holdout_pair(a, b), TWO, rng_of())
    moved = Wilcoxon().test(holdout_pair(a + 1000, b + 1000), TWO, rng_of())

    assert details_of(plain)["rank_sum_positive"] == 2 + 2 + 4.5 + 6
    assert details_of(plain)["ties"] is True
    assert moved.statistic == plain.statistic
    assert moved.p_value == plain.p_value


def ranked(values: FloatArray, roundings: FloatArray) -> SignedRanks:
    return rank_values(values, roundings, "wilcox")


def test_exact_signs_travel_with_the_sizes() -> None:
    ranks = ranked(np.array([3.0, 1.0, -3.0, -2.0, 3.0]), np.zeros(5))
    empty = ranked(np.zeros(0), np.zeros(0))

    assert_array_equal(ranks.ranks, [1, 2, 4, 4, 4])
    assert (ranks.positive, ranks.negative) == (9, 6)
    assert ranks.has_ties
    assert empty.n_ranked == 0
    assert not empty.has_ties


def test_exact_each_value_has_its_own_rounding() -> None:
    # 1 and 1.25 tie, since one of them is only known to .5; 4 and 4.25 do not
    values, roundings = np.array([4.25, -1.25, 4.0, 1.0]), np.array([0.1, 0.5, 0.1, 0.1])

    ranks = ranked(values, roundings)

    assert_array_equal(ranks.ranks, [1.5, 1.5, 3, 4])
    assert (ranks.positive, ranks.negative) == (8.5, 1.5)
    assert ranks.has_ties
    # with the rounding on the 4 instead, nothing ties: 1 and 1.25 are known to .1
    assert not ranked(values, np.array([0.1, 0.1, 0.2, 0.1])).has_ties


@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "zsplit", "demsar_split"])
@pytest.mark.parametrize("method", ["exact", "normal"])
def test_degenerate_no_difference(zeros: Literal["wilcox", "pratt", "zsplit"], method: str) -> None:
    outcome = Wilcoxon(zeros=zeros, method=method).test(  # type: ignore[arg-type]
        differences_pair([0.0, 0.0, 0.0]), TWO, rng_of()
    )

    assert outcome.p_value == 1


@pytest.mark.parametrize("correction", [False, True])
def test_degenerate_balanced_sums_have_p_one(correction: bool) -> None:  # noqa: FBT001 - a table's column
    pair = differences_pair([1, -2, -3, 4])

    outcome = Wilcoxon(method="normal", correction=correction).test(pair, TWO, rng_of())

    assert outcome.p_value == 1


def test_invalid_words_and_sizes() -> None:
    with pytest.raises(
        InvalidParameter, match="zeros must be wilcox, pratt, zsplit or demsar_split"
    ):
        Wilcoxon(zeros="drop")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="method must be auto, exact or normal"):
        Wilcoxon(method="asymptotic")  # type: ignore[arg-type]
    large = differences_pair(np.ones(501)).difference.layout
    assert "500 units" in str(Wilcoxon(method="exact").inapplicable(large))
    assert Wilcoxon(method="exact").inapplicable(differences_pair([1, 2]).difference.layout) is None
    assert Wilcoxon().inapplicable(large) is None
    assert "cluster column" in str(Wilcoxon(method="exact", unit="cluster").inapplicable(large))


def test_calibrated_size() -> None:
    rng, reps = np.random.default_rng(65), 2000
    rejected = sum(
        (Wilcoxon().test(differences_pair(row), TWO, rng_of()).p_value or 0) <= 0.05
        for row in rng.standard_normal((reps, 12))
    )

    # W <= 13 of 12 differences: 87 of 2^12 patterns in each tail
    size = 2 * 87 / 2**12
    assert abs(rejected / reps - size) < 5 * math.sqrt(size * (1 - size) / reps)
