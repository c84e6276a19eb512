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
