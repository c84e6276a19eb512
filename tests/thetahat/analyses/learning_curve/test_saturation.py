from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.analyses.learning_curve.saturation import (
    SmallerSize,
    assess_saturation,
    compare_with_largest,
)
from thetahat.analyses.losses import Choices, evaluate
from thetahat.analyses.losses.result import Comparison, Decision
from thetahat.intervals.base import Interval
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind, MeanKind, Target


def size(label: str, n_train: int, decision: str, *also: str, **more: Any) -> SmallerSize:
    fields = {"difference": 0.02, "upper": 0.05, **more}
    return SmallerSize(
        label=label,
        n_train=n_train,
        decision=Decision(decision),
        also=tuple(map(Decision, also)),
        **fields,
    )


def test_by_hand_the_smallest_size_that_is_enough_gives_the_test_share() -> None:
    result = assess_saturation(
        [
            size("20", 20, "not_worse"),  # after one that failed: not looked at
            size("40", 40, "worse"),
            size("60", 60, "worse", "not_worse"),
            size("80", 80, "equivalent", "not_worse"),
        ],
        "90",
        90,
        100,
        0.1,
    )

    assert result.decision == "saturated"
    assert (result.from_size, result.n_train) == ("60", 60)
    assert result.test_share == pytest.approx(0.4)
    assert [smaller.size for smaller in result.sizes] == ["20", "40", "60", "80", "90"]
    assert_allclose(result.sizes[-1].test_share, 0.1)
    assert "From size 60 on" in result.reason


def test_by_hand_all_sizes_may_be_enough() -> None:
    sizes = [size("5", 5, "not_worse"), size("50", 50, "equivalent")]

    assert assess_saturation(sizes, "90", 90, 100, 0.1).test_share == pytest.approx(0.95)


@pytest.mark.parametrize(
    ("last", "margin", "decision", "why"),
    [
        (size("80", 80, "worse"), None, "not_saturated", "still fell by 0.02"),
        (size("80", 80, "worse"), 0.01, "not_saturated", "still fell by 0.02"),
        (size("80", 80, "undecided"), None, "no_improvement_seen", "Name a margin"),
        (size("80", 80, "better"), None, "no_improvement_seen", "Name a margin"),
        (size("80", 80, "undecided"), 0.01, "undecided", "of up to 0.05 is possible"),
        (size("80", 80, "undecided", upper=None), 0.01, "undecided", "of unknown size is possible"),
        (size("80", 80, "better", "not_worse"), 0.01, "saturated", "no more than 0.01"),
    ],
)
def test_exact_every_decision(
    last: SmallerSize, margin: float | None, decision: str, why: str
) -> None:
    result = assess_saturation([size("40", 40, "worse"), last], "1", 90, 100, margin)

    assert result.decision == decision
    assert why in result.reason
    assert (result.test_share is None) == (decision != "saturated")


def test_degenerate_one_size_is_no_curve() -> None:
    result = assess_saturation([], "1", 90, 100, 0.1)

    assert result.decision == "undecided"
    assert "one size only" in result.reason


def comparison(difference: float, **interval: Any) -> Comparison:
    """Return a comparison with this difference, and with an interval or without one."""
    n = 12
    layout = build_layout(BlockKind.RANDOM, np.arange(n) % 3, instance=np.arange(n))
    losses = np.random.default_rng(5).random(n)
    models = {"a": BlockLosses(layout, values=losses), "b": BlockLosses(layout, values=losses)}
    (pair,) = evaluate(LossTable(layout, models), Choices(), 1).comparisons
    verdict = replace(pair.verdict, decision=Decision.UNDECIDED, also=(Decision.NOT_WORSE,))
    return replace(
        pair,
        difference=difference,
        verdict=verdict,
        interval=Interval(
            method="t",
            variance=None,
            target=Target.THESE_SOURCES,
            mean=MeanKind.MACRO,
            estimate=difference,
            level=0.95,
            alternative=Alternative.TWO_SIDED,
            lower=None,
            upper=None,
            **interval,
        )
        if interval
        else None,
    )


@pytest.mark.outside(
    "NIST e-Handbook, table 1.3.6.7.2: t of 9 degrees exceeds 1.833 with chance .05"
)
def test_golden_the_upper_end_is_one_sided() -> None:
    pair = comparison(0.2, standard_error=0.1, degrees_of_freedom=9)
    smaller = compare_with_largest("40", 40, pair, 0.05)

    assert smaller.upper is not None
    assert_allclose(smaller.upper, 0.2 + 0.1 * 1.833, atol=5e-5)
    assert smaller.is_not_worse


def test_degenerate_without_an_interval_only_equal_losses_have_an_end() -> None:
    assert compare_with_largest("40", 40, comparison(0.0), 0.05).upper == 0
    assert compare_with_largest("40", 40, comparison(0.3), 0.05).upper is None
    bare = comparison(0.2, standard_error=None, degrees_of_freedom=None)
    assert compare_with_largest("40", 40, bare, 0.05).upper is None
