"""The order of rows in time, and the layouts that have one."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import thetahat
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.values.time_order import find_longest_step, order_times


@pytest.mark.parametrize(
    ("times", "places"),
    [
        ([3, 1, 2, 1], [2, 0, 1, 0]),
        (["10", "9", "9.5", "-1"], [3, 1, 2, 0]),
        (["2026-10-01", "2026-09-30", "2025-12-31"], [2, 1, 0]),
        (["2026-01-01T08:30", "2026-01-01", "2026-01-01T08:30:00"], [1, 0, 1]),
        (["2026-01-01T01:00+02:00", "2026-01-01T00:00Z"], [0, 1]),
        ([0.5, -0.25, 1e300], [1, 0, 2]),
        ([10**18 + 1, 10**18, 10**400], [1, 0, 2]),
        (["1000000000000000001", "1000000000000000000", "0.5"], [2, 1, 0]),
        (["2026-Q3", "2025-Q4", "2026-Q1"], [2, 0, 1]),
    ],
)
def test_by_hand_the_places_of_times(times: list[Any], places: list[int]) -> None:
    assert order_times(times)[0].tolist() == places


@pytest.mark.parametrize(
    ("times", "row", "reason"),
    [
        (["monday", "tuesday"], 0, "is not a date or time that can be sorted"),
        ([1, 2, "x"], 2, "the first one is the number 1"),
        ([1, float("nan")], 1, "the first one is the number 1"),
        (["2026-01-01", "01.02.2026"], 1, "is not a date or time that can be sorted"),
        (["2026-01-01", "2026-01-01T00:00Z"], 1, "has a time zone"),
        (["2026-01-01", ""], 1, "is not a date or time that can be sorted"),
    ],
)
def test_invalid_times_name_the_row(times: list[Any], row: int, reason: str) -> None:
    with pytest.raises(InvalidParameter, match=re.escape(reason)) as caught:
        order_times(times)
    assert caught.value.loc == ("time", row)


def in_time(n: int = 40, **options: Any) -> thetahat.EvaluationResult:
    rng = np.random.default_rng(7)
    walk = np.convolve(rng.normal(size=n + 4), np.ones(5) / 5, mode="valid")
    losses = {f"m{k}": walk + rng.normal(size=n) * 0.1 + k * 0.05 for k in range(3)}
    return thetahat.evaluate(losses, **({"blocks": "holdout", "time": range(n)} | options))


def test_exact_newey_west_is_recommended_and_decides() -> None:
    result = in_time()

    target = thetahat.Target.THESE_MODELS
    assert {m.recommended[target].variance for m in result.models.values()} == {"newey_west"}
    for comparison in result.comparisons:
        assert comparison.interval is not None
        assert comparison.verdict is not None
        assert comparison.interval.variance == comparison.verdict.variance == "newey_west"
        assert comparison.tests is not None
        assert comparison.tests["theta_t"].details["variance"] == "newey_west"
        assert comparison.tests["theta_t"].expected_size is None
        expected = comparison.interval.expected_coverage
        assert (expected is None) == (comparison.interval.expected_coverage_missing is not None)


def test_exact_errors_in_time_have_no_interval_of_independent_rows() -> None:
    rng = np.random.default_rng(8)
    wrong = {name: rng.integers(0, 2, size=60) for name in ("new", "old")}
    result = thetahat.evaluate(wrong, blocks="holdout", time=range(60), include="all")

    assert result.comparisons[0].verdict is not None
    assert result.comparisons[0].verdict.variance == "newey_west"
    left_out = {entry.name for entry in result.not_applicable}
    assert {"wilson", "tango", "mcnemar", "sign", "wilcoxon", "permutation"} <= left_out
    wins = result.comparisons[0].wins
    assert wins is not None
    assert wins.lower is None
    assert "in the order of time" in wins.sentence


def test_exact_max_t_of_two_models_uses_the_variance_of_newey_west() -> None:
    from thetahat.analyses.losses.contributions import list_unit_moments
    from thetahat.values.block_losses import BlockLosses, LossTable
    from thetahat.values.layout import build_layout
    from thetahat.values.types import BlockKind, Target
    from thetahat.variances.newey_west import NeweyWest

    rng = np.random.default_rng(9)
    layout = build_layout(BlockKind.HOLDOUT, [0] * 50, time=rng.permutation(50))
    models = {name: BlockLosses(layout, values=rng.normal(size=50)) for name in ("a", "b")}
    moments = list_unit_moments(LossTable(layout, models), Target.THESE_MODELS)[0]

    found = moments.compute_difference_variances(np.array([[0, 1]]))[0] / 50**2
    expected = NeweyWest().estimate(models["a"].minus(models["b"])).value
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"blocks": "random", "block": [0, 1] * 20}, "time is for the rows of one test set"),
        ({"cluster": [0, 1] * 20}, "time and cluster cannot be sent together"),
        ({"weights": [1.0] * 40}, "weights do not go with time"),
    ],
)
def test_invalid_layouts_with_times(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnsupportedCombination, match=reason):
        in_time(**options)


def test_invalid_a_time_too_few() -> None:
    with pytest.raises(InvalidParameter, match="time has 39 entries and block has 40"):
        in_time(time=range(39))


DAYS = [f"2026-01-{day:02d}" for day in range(1, 31)]
WORKING_DAYS = [day for i, day in enumerate(DAYS) if i % 7 < 5]


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        (DAYS, 1),
        (WORKING_DAYS, 3),
        ([*DAYS[:10], *DAYS[20:]], 11),
        ([*range(20), 40], 21),
        ([2026, 2027, 2028, 2060], 32),
        ([0, 1, 2, 10**400], 10**400 - 2),
        (["2026-01", "2026-02", "2026-03", "2027-03"], 365 // 31),
        ([f"{day}T10:00:00+02:00" for day in (*DAYS[:9], DAYS[20])], 12),
    ],
)
def test_exact_longest_step_in_usual_steps(times: list[Any], expected: int) -> None:
    longest = find_longest_step(times)

    assert longest is not None
    before, after, steps = longest
    assert steps == expected
    assert times.index(after) == times.index(before) + 1


@pytest.mark.parametrize("times", [(), (1,), (1, 9), ("2026-Q1", "2026-Q2", "2099-Q1")])
def test_degenerate_steps_are_not_known(times: tuple[Any, ...]) -> None:
    assert find_longest_step(times) is None


@pytest.mark.parametrize(
    ("times", "cautioned"), [(DAYS, False), (WORKING_DAYS, False), ([*DAYS[:10], *DAYS[17:]], True)]
)
def test_exact_times_far_apart_have_a_caution(times: list[str], *, cautioned: bool) -> None:
    losses = np.random.default_rng(1).random((2, len(times)))
    result = thetahat.evaluate(
        {"a": losses[0].tolist(), "b": losses[1].tolist()}, blocks="holdout", time=times
    )

    assert ("uneven_times" in [caution.code for caution in result.cautions]) is cautioned
