from __future__ import annotations

from typing import Any

import pytest
from numpy.testing import assert_allclose

from thetahat.analyses.learning_curve.saturation import AgainstLargest, against_largest, saturation


def size(label: str, n_train: int, decision: str, *also: str, **more: Any) -> AgainstLargest:
    fields = {"difference": 0.02, "upper": 0.05, **more}
    return AgainstLargest(label=label, n_train=n_train, decision=decision, also=also, **fields)


def test_by_hand_the_smallest_size_that_is_enough_gives_the_test_share() -> None:
    told = saturation(
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

    assert told["decision"] == "saturated"
    assert (told["from_size"], told["n_train"]) == ("60", 60)
    assert_allclose(told["test_share"], 0.4)
    assert [s["size"] for s in told["sizes"]] == ["20", "40", "60", "80", "90"]
    assert_allclose(told["sizes"][-1]["test_share"], 0.1)
    assert "from size 60 on" in told["reason"]


def test_by_hand_all_sizes_may_be_enough() -> None:
    sizes = [size("5", 5, "not_worse"), size("50", 50, "equivalent")]

    assert saturation(sizes, "90", 90, 100, 0.1)["test_share"] == pytest.approx(0.95)


@pytest.mark.parametrize(
    ("last", "margin", "decision", "why"),
    [
        (size("80", 80, "worse"), None, "not_saturated", "still fell by 0.02"),
        (size("80", 80, "worse"), 0.01, "not_saturated", "still fell by 0.02"),
        (size("80", 80, "undecided"), None, "no_improvement_seen", "give a margin"),
        (size("80", 80, "better"), None, "no_improvement_seen", "give a margin"),
        (size("80", 80, "undecided"), 0.01, "undecided", "up to 0.05 is possible"),
        (size("80", 80, "undecided", upper=None), 0.01, "undecided", "of unknown size"),
        (size("80", 80, "better", "not_worse"), 0.01, "saturated", "no more than 0.01"),
    ],
)
def test_exact_every_decision(
    last: AgainstLargest, margin: float | None, decision: str, why: str
) -> None:
    told = saturation([size("40", 40, "worse"), last], "1", 90, 100, margin)

    assert told["decision"] == decision
    assert why in told["reason"]
    assert (told["test_share"] is None) == (decision != "saturated")


def test_degenerate_one_size_is_no_curve() -> None:
    told = saturation([], "1", 90, 100, 0.1)

    assert told["decision"] == "undecided"
    assert "one size is no curve" in told["reason"]


def comparison(interval: dict[str, Any] | None, difference: float) -> dict[str, Any]:
    verdict = {"decision": "undecided", "also": ["not_worse"]}
    return {"interval": interval, "difference": difference, "verdict": verdict}


@pytest.mark.outside("the table of Student's t: 1.833 for 9 degrees of freedom, 5 % above")
def test_golden_the_upper_end_is_one_sided() -> None:
    interval = {"standard_error": 0.1, "estimate": 0.2, "degrees_of_freedom": 9}
    found = against_largest("40", 40, comparison(interval, 0.2), 0.05)

    assert found.upper is not None
    assert_allclose(found.upper, 0.2 + 0.1 * 1.833, atol=5e-5)
    assert found.is_not_worse


def test_degenerate_without_an_interval_only_equal_losses_have_an_end() -> None:
    assert against_largest("40", 40, comparison(None, 0.0), 0.05).upper == 0
    assert against_largest("40", 40, comparison(None, 0.3), 0.05).upper is None
    bare = {"standard_error": None, "estimate": 0.2, "degrees_of_freedom": None}
    assert against_largest("40", 40, comparison(bare, 0.2), 0.05).upper is None
