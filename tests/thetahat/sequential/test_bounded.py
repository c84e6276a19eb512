"""The empirical Bernstein confidence sequence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.sequential.vectors import VECTORS, look_at
from thetahat.errors import InvalidParameter
from thetahat.sequential import SequentialQuestion
from thetahat.sequential.bounded import Bounded

NAMES = ("cs_bernoulli", "cs_beta_scores", "cs_all_zero", "cs_paired_difference")
INTERSECTED = "predictable_mixture_empirical_bernstein_intersected"


def question_of(name: str, reference: float = 0.0) -> SequentialQuestion:
    inputs = VECTORS[name]["inputs"]
    is_pair = "range" in inputs
    return SequentialQuestion(level=1 - inputs["alpha"], reference=reference, is_pair=is_pair)


@pytest.mark.outside("confseq (source of October 2024), predmix_empbern_twosided_cs")
@pytest.mark.parametrize("name", NAMES)
def test_golden_intersected_intervals(name: str) -> None:
    inputs, expected = VECTORS[name]["inputs"], VECTORS[name]["expected"]
    outcomes = look_at(Bounded((0, 1)), inputs["x"], inputs["looks"], question_of(name))

    ends = [(outcome.lower, outcome.upper) for outcome in outcomes]
    assert_allclose(ends, expected[INTERSECTED], rtol=1e-9, atol=1e-10)


def compute_slowly(x: Any, alpha: float) -> tuple[float, float]:
    """Return the intersected interval of values in [0, 1], row by row as it is written down."""
    best = []
    for values in (list(x), [1 - v for v in x]):
        lower, total, squares, wealth = 0.0, 0.0, 0.0, [0.0, 0.0, 0.0]
        for i, v in enumerate(values, start=1):
            variance = (0.25 + squares) / i
            bet = min(0.5, math.sqrt(2 * math.log(2 / alpha) / (variance * i * math.log(1 + i))))
            mean = total / (i - 1) if i > 1 else 0.0
            wealth[0] += bet * v
            wealth[1] += bet
            wealth[2] += (v - mean) ** 2 * (-math.log(1 - bet) - bet)
            lower = max(lower, (wealth[0] - math.log(2 / alpha) - wealth[2]) / wealth[1])
            total += v
            squares += (v - (0.5 + total) / (i + 1)) ** 2
        best.append(lower)
    return best[0], 1 - best[1]


def test_naive_row_by_row_whatever_the_batches() -> None:
    x = np.random.default_rng(11).beta(2, 5, 400)
    question = SequentialQuestion(level=0.9, reference=0.3, is_pair=False)
    for looks in ([400], [1, 2, 3, 399, 400], list(range(50, 401, 50))):
        *_, outcome = look_at(Bounded((0, 1)), x, looks, question)
        assert_allclose([outcome.lower, outcome.upper], compute_slowly(x, 0.1), rtol=1e-11)
        assert_allclose([outcome.estimate, outcome.standard_deviation], [x.mean(), x.std()])


def test_exact_another_scale_gives_the_same_interval_on_it() -> None:
    x = np.random.default_rng(12).random(300)
    ends = []
    for low, width in ((0.0, 1.0), (-5.0, 20.0)):
        question = SequentialQuestion(level=0.95, reference=low, is_pair=False)
        (outcome,) = look_at(Bounded((low, low + width)), low + width * x, [300], question)
        ends.append([(outcome.lower - low) / width, (outcome.upper - low) / width])
    assert_allclose(ends[0], ends[1], rtol=1e-10)


def test_exact_the_e_value_is_one_over_alpha_where_the_interval_ends() -> None:
    x = np.random.default_rng(13).random(200) < 0.3
    wide = SequentialQuestion(level=0.95, is_pair=False, reference=0.3)
    method = Bounded((0, 1))
    state, outcome = method.advance(method.begin(), x.astype(float), wide)
    # the interval of this row alone, whose ends are in the sums
    lower = (state["won"] - math.log(40) - state["paid_below"]) / state["bets"]
    question = SequentialQuestion(level=0.95, is_pair=False, reference=lower)
    _, at_end = method.advance(method.begin(), x.astype(float), question)

    assert at_end.log_e_value is not None
    assert_allclose(math.exp(at_end.log_e_value), 20, rtol=1e-10)
    assert outcome.lower >= lower


def test_degenerate_a_mean_that_changes_leaves_no_interval() -> None:
    x = np.repeat([0.0, 1.0], [2000, 100_000])
    _, second = look_at(
        Bounded((0, 1)), x, [2000, len(x)], SequentialQuestion(level=0.95, is_pair=False)
    )

    assert second.lower is None
    assert "the mean has changed" in second.reason


def test_invalid_values_outside_of_the_range() -> None:
    question = SequentialQuestion(level=0.95, is_pair=False)
    with pytest.raises(InvalidParameter, match=r"1\.5.* of row 1 is outside") as error:
        look_at(Bounded((0, 1)), [0.5, 1.5], [2], question)
    assert error.value.loc == ("losses",)
    with pytest.raises(InvalidParameter, match="the lower one first"):
        Bounded((1, 1))
