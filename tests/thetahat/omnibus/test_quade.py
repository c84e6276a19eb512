from __future__ import annotations

import math

import numpy as np
import pytest

from tests.thetahat.omnibus.many import assert_close, by_source, codes, outcome_of

# Conover (1999), p. 375: bags of five brands of hand lotion sold in seven stores. The example of
# R's quade.test, whose help page prints F = 3.8293, df 4 and 24, p = 0.01519.
LOTION = (
    (5, 4, 7, 10, 12),
    (1, 3, 1, 0, 2),
    (16, 12, 22, 22, 35),
    (5, 4, 3, 5, 4),
    (10, 9, 7, 13, 10),
    (19, 18, 28, 37, 58),
    (10, 7, 6, 8, 7),
)


@pytest.mark.outside(
    "conover1999, p. 375, as the help page of R's quade.test prints it: 3.8293, 0.01519"
)
def test_golden_conover_hand_lotion() -> None:
    outcome = outcome_of("quade", by_source(LOTION))

    assert outcome.statistic is not None
    assert round(outcome.statistic, 4) == 3.8293
    assert round(outcome.p_value, 5) == 0.01519
    assert outcome.degrees_of_freedom == (4, 24)


@pytest.mark.outside("hand arithmetic in the comment")
def test_golden_by_hand() -> None:
    # ranges 2, 10, 4 have ranks 1, 3, 2; centred ranks (-1, 0, 1), (-1, 1, 0), (0, -1, 1):
    # S_j = -4, 1, 3; A = 2 + 18 + 8 = 28; B = 26/3; F = 2 * (26/3) / (28 - 26/3) = 26/29
    outcome = outcome_of("quade", by_source([[0, 1, 2], [0, 10, 3], [3, 1, 5]]))

    assert_close(outcome.statistic, 26 / 29, rtol=1e-14)
    # F tail with 2 and 4 degrees: (1 + F / 2)^-2
    assert_close(outcome.p_value, (1 + 13 / 29) ** -2, rtol=1e-13)
    # weighted mean ranks: (1 * 1 + 3 * 1 + 2 * 2) / 6 and so on
    assert_close(
        list(outcome.details["weighted_mean_ranks"].values()), [8 / 6, 13 / 6, 15 / 6], rtol=1e-14
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
