from __future__ import annotations

import math

import numpy as np
import pytest

from tests.thetahat.multiple_tests.many import (
    assert_close,
    by_source,
    codes,
    details_of,
    outcome_of,
)
from thetahat.errors import InvalidParameter
from thetahat.multiple_tests import MULTIPLE_TESTS

# Conover (1999), p. 375: bags of five brands of hand lotion sold in seven stores, as the example of
# R's quade.test has them. Neither prints digits that we have seen, so that the result is from
# another package and from hand arithmetic.
LOTION = (
    (5, 4, 7, 10, 12),
    (1, 3, 1, 0, 2),
    (16, 12, 22, 22, 35),
    (5, 4, 3, 5, 4),
    (10, 9, 7, 13, 10),
    (19, 18, 28, 37, 58),
    (10, 7, 6, 8, 7),
)


# Derrac et al. (2011), Table 7: errors of four algorithms on four problems, two of them with ties.
DERRAC = (
    (2.711, 3.147, 2.515, 2.612),
    (7.832, 9.828, 7.832, 7.921),
    (0.012, 0.532, 0.122, 0.005),
    (3.431, 4.111, 3.401, 3.401),
)


@pytest.mark.outside("StaTDS 1.1.7: no_parametrics.quade(lotion, 0.05, minimize=True)")
def test_golden_conover_hand_lotion() -> None:
    # ranges 8 3 23 2 6 40 4 have ranks 5 2 6 1 4 7 3; times centred ranks, the columns sum to
    # -9.5 -38 -14 23.5 38: A = 1366.5, B = 3726.5 / 7, F = 6 B / (A - B) = 22359 / 5839
    outcome = outcome_of("quade", by_source(LOTION))

    assert_close(outcome.statistic, 22359 / 5839, rtol=1e-13)
    assert_close(outcome.statistic, 3.8292515841753727, rtol=1e-13)
    assert_close(outcome.p_value, 0.015189020073274623, rtol=1e-11)
    assert outcome.degrees_of_freedom == (4, 24)


@pytest.mark.outside("dnafinder/quade: the example in quadetest.m, W = 10.3788, p = 0.0001")
def test_golden_quadetest() -> None:
    x = [
        [115, 142, 36, 91, 28],
        [28, 31, 7, 21, 6],
        [220, 311, 108, 51, 117],
        [82, 56, 24, 46, 33],
        [256, 298, 124, 46, 84],
        [294, 322, 176, 54, 86],
        [98, 87, 55, 84, 25],
    ]

    outcome = outcome_of("quade", by_source(x))

    assert outcome.statistic is not None
    assert round(outcome.statistic, 4) == 10.3788
    assert round(outcome.p_value, 4) == 0.0001
    assert outcome.degrees_of_freedom == (4, 24)
    # it prints differences of the treatments' sums; they are 28 = 1 + ... + 7 times those of ours
    means = 28 * np.array(list(details_of(outcome)["weighted_mean_ranks"].values()))
    apart = np.abs(means[:, np.newaxis] - means)[np.tril_indices(5, -1)]
    np.testing.assert_allclose(apart, [18, 51, 69, 69, 87, 18, 63, 81, 12, 6], rtol=1e-12)


@pytest.mark.outside(
    "Derrac et al. (2011), Table 10: weighted mean ranks 2.3, 4, 1.55, 2.15; ddmtolab: quade_test, "
    "as scmamp's quadeTest, which both take A = N(N+1)(2N+1)k(k+1)(k-1)/72 for any ties"
)
def test_golden_derrac_2011_without_correction() -> None:
    example, lotion = (
        outcome_of("quade", by_source(losses), ties="none") for losses in (DERRAC, LOTION)
    )

    weighted = list(details_of(example)["weighted_mean_ranks"].values())
    assert_close(weighted, [2.3, 4, 1.55, 2.15], rtol=1e-13)
    assert_close(example.statistic, 3.7039106145251397, rtol=1e-13)
    assert_close(example.p_value, 0.05517675677701018, rtol=1e-12)
    assert_close(lotion.statistic, 3.681402815510003, rtol=1e-13)
    assert_close(lotion.p_value, 0.017859502677487527, rtol=1e-12)
    assert details_of(example)["ties"] == "none"


def test_by_hand_pairs_without_correction() -> None:
    # by the formula without ties, 4 * 5 * 9 / (9 * 4 * 5) = 1
    ranks_of_ties, corrected = (
        outcome_of("quade", by_source(DERRAC), ties=ties).post_hoc for ties in ("none", "corrected")
    )

    assert ranks_of_ties is not None
    assert corrected is not None
    assert_close(ranks_of_ties.standard_error, 1, rtol=1e-14)
    # ties of rows 2 and 4 take 1/2 of the 5 of the squared centred ranks; Q is 2, 4, 1, 3
    # A = 5 * (4 + 1) + 4.5 * (16 + 9) = 137.5 of 150
    assert_close(corrected.standard_error, math.sqrt(137.5 / 150), rtol=1e-13)


def test_limit_without_ties_the_correction_changes_nothing() -> None:
    losses = np.random.default_rng(312).normal(size=(9, 5))

    first, other = (outcome_of("quade", by_source(losses), ties=t) for t in ("none", "corrected"))

    assert_close(first.statistic, other.statistic, rtol=1e-12)
    assert_close(first.p_value, other.p_value, rtol=1e-12)
    assert first.post_hoc is not None
    assert other.post_hoc is not None
    assert_close(first.post_hoc.standard_error, other.post_hoc.standard_error, rtol=1e-14)


def test_by_hand_values() -> None:
    # ranges 2, 10, 4 have ranks 1, 3, 2; centred ranks (-1, 0, 1), (-1, 1, 0), (0, -1, 1):
    # S_j = -4, 1, 3; A = 2 + 18 + 8 = 28; B = 26/3; F = 2 * (26/3) / (28 - 26/3) = 26/29
    outcome = outcome_of("quade", by_source([[0, 1, 2], [0, 10, 3], [3, 1, 5]]))

    assert_close(outcome.statistic, 26 / 29, rtol=1e-14)
    # F tail with 2 and 4 degrees: (1 + F / 2)^-2
    assert_close(outcome.p_value, (1 + 13 / 29) ** -2, rtol=1e-13)
    # weighted mean ranks: (1 * 1 + 3 * 1 + 2 * 2) / 6 and so on
    assert_close(
        list(details_of(outcome)["weighted_mean_ranks"].values()),
        [8 / 6, 13 / 6, 15 / 6],
        rtol=1e-14,
    )


def test_naive_definition() -> None:
    losses = np.random.default_rng(311).integers(0, 6, (11, 4)).astype(np.float64)
    n, k = losses.shape

    def mid_rank(value: float, among: list[float]) -> float:
        return sum(v < value for v in among) + (sum(v == value for v in among) + 1) / 2

    ranges = [max(row) - min(row) for row in losses.tolist()]
    s = [
        [mid_rank(r, ranges) * (mid_rank(v, row) - (k + 1) / 2) for v in row]
        for r, row in zip(ranges, losses.tolist(), strict=True)
    ]
    a = sum(v * v for row in s for v in row)
    b = sum(sum(row[j] for row in s) ** 2 for j in range(k)) / n

    assert_close(
        outcome_of("quade", by_source(losses)).statistic, (n - 1) * b / (a - b), rtol=1e-12
    )


def test_degenerate_rows_that_agree_with_equal_ranges() -> None:
    outcome = outcome_of("quade", by_source(np.tile([1.0, 2.0, 4.0, 8.0], (3, 1))))

    assert outcome.statistic is None
    assert_close(outcome.p_value, math.factorial(4) ** -2, rtol=1e-13)
    assert "rows_agree" in codes(outcome)


def test_degenerate_rows_that_agree_without_correction() -> None:
    outcome = outcome_of("quade", by_source(np.tile([1.0, 2.0, 4.0, 8.0], (3, 1))), ties="none")

    # Q = 2 in every row: the columns sum to 6 times -1.5, -.5, .5, 1.5 and B = 36 * 5 / 3 = 60, and
    # A = 3 * 4 * 7 * 4 * 15 / 72 = 70: F = 2 * 60 / 10
    assert_close(outcome.statistic, 12, rtol=1e-13)
    assert "rows_agree" not in codes(outcome)


@pytest.mark.parametrize("name", ["quade", "aligned_ranks"])
def test_degenerate_flat_rows_without_correction(name: str) -> None:
    outcome = outcome_of(name, by_source(np.ones((5, 3))), ties="none")

    assert (outcome.statistic, outcome.p_value) == (0, 1)
    assert "no_difference" in codes(outcome)


@pytest.mark.parametrize("name", ["quade", "aligned_ranks"])
def test_invalid_ties(name: str) -> None:
    with pytest.raises(InvalidParameter, match="ties"):
        MULTIPLE_TESTS[name](ties="some")  # type: ignore[call-arg]
