from __future__ import annotations

import math

import numpy as np
import pytest

from tests.thetahat.paired_tests.pairs import (
    ALTERNATIVES,
    SCIPY_WORDS,
    assert_close,
    blocks_pair,
    details_of,
    differences_pair,
    rng_of,
)
from thetahat.errors import InvalidParameter
from thetahat.paired_tests.sign import Sign
from thetahat.values.types import Alternative, BlockKind

TWO, LESS, GREATER = Alternative.TWO_SIDED, Alternative.LESS, Alternative.GREATER


def test_by_hand_nine_of_ten_wins() -> None:
    # a has the smaller loss 9 times of 10: P(X <= 1) = 11/1024
    pair = differences_pair([-1] * 9 + [1])

    two, less = Sign().test(pair, TWO, rng_of()), Sign().test(pair, LESS, rng_of())

    assert two.statistic == 1
    assert_close(two.p_value, 22 / 1024, rtol=1e-13)
    assert_close(less.p_value, 11 / 1024, rtol=1e-13)
    assert two.details == {"a_better": 9, "b_better": 1, "ties": 0}
    assert two.unit == "instance"


@pytest.mark.parametrize(
    ("zeros", "heads", "p_value"), [("drop", 1, 14 / 64), ("split", 2, 74 / 256)]
)
def test_by_hand_zeros(zeros: str, heads: int, p_value: float) -> None:
    # 5 wins, 1 loss, 3 ties: drop 1 of 6; split one tie to each side and leave one
    # out: 2 of 8, where twice the tail is 2 (1 + 8 + 28) of 256
    pair = differences_pair([-1, -2, -3, -4, -5, 6, 0, 0, 0])

    outcome = Sign(zeros=zeros).test(pair, TWO, rng_of())  # type: ignore[arg-type]

    assert outcome.statistic == heads
    assert_close(outcome.p_value, p_value, rtol=1e-13)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_against_scipy_binomtest(alternative: Alternative) -> None:
    from scipy import stats

    values = np.random.default_rng(51).standard_normal(40) + 0.2
    expected = stats.binomtest(
        int((values > 0).sum()), 40, alternative=SCIPY_WORDS[alternative]
    ).pvalue

    outcome = Sign().test(differences_pair(values), alternative, rng_of())

    assert_close(outcome.p_value, expected, rtol=1e-12)


def test_by_hand_sources_are_the_unit() -> None:
    a = [[0, 0, 9], [1, 1, 1], [0, 1, 0]]  # means 3, 1, 1/3 against 2: +, -, -
    outcome = Sign().test(blocks_pair(a, np.full((3, 3), 2.0), BlockKind.SOURCE), TWO, rng_of())

    assert outcome.unit == "block"
    assert details_of(outcome)["a_better"] == 2
    assert outcome.p_value == 1  # 2 * (1 + 3)/8


def test_calibrated_size() -> None:
    # 25 units: P(X <= 7 or X >= 18) = .0433 for a fair coin
    rng, reps = np.random.default_rng(52), 4000
    counts = rng.random((reps, 25)) < 0.5

    rejected = sum(
        (Sign().test(differences_pair(np.where(row, 1.0, -1.0)), TWO, rng_of()).p_value or 0) < 0.05
        for row in counts
    )

    size = 2 * sum(math.comb(25, k) for k in range(8)) / 2**25
    assert abs(rejected / reps - size) < 5 * math.sqrt(size * (1 - size) / reps)


def test_invalid_words() -> None:
    with pytest.raises(InvalidParameter, match="zeros must be drop or split"):
        Sign(zeros="keep")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="unit must be instance, cluster or block"):
        Sign(unit="fold")  # type: ignore[arg-type]
