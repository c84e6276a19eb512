"""Tables of several runs of each item, from requests to what is shown."""

from __future__ import annotations

from typing import Any

import pytest

from tests.presentation.reading import row_of, table_of
from tests.service.kinds.run_requests import run_kind
from thetahat_presentation.numbers import format_number
from thetahat_presentation.showing import show

PAIR = "new \N{MINUS SIGN} old"


@pytest.fixture(scope="module")
def result() -> Any:
    wrong = {
        "new": [0, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1],
        "old": [0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 1],
    }
    body = {
        "kind": "losses",
        "blocks": "holdout",
        "losses": wrong,
        "item": [i // 4 for i in range(16)],
        "run": [i % 4 for i in range(16)],
        "pass_at": [1, 2],
    }
    return run_kind(body).result


def test_exact_each_cell_is_that_of_the_result(result: Any) -> None:
    row = row_of(table_of(show(result), "Items and runs"), "new")
    runs = result["models"]["new"]["runs"]

    parts = runs["components"]
    assert row[1:3] == ["4", "4"]
    assert row[3:6] == [format_number(parts[p]["variance"]) for p in ("item", "residual", "run")]
    assert row[7:] == [format_number(plan["standard_error"]) for plan in runs["plans"]]
    share = result["comparisons"][0]["runs"]["share_of_runs"]
    pair = row_of(table_of(show(result), "Runs in differences"), PAIR)
    assert pair[1] == f"{100 * share:.3g} %"


def test_by_hand_runs_that_succeed(result: Any) -> None:
    table = table_of(show(result), "Runs that succeed")

    # items with 2, 0, 4 and 3 of 4 runs right: 9/16 at once, (5/6 + 0 + 1 + 1) / 4 of two
    first, second = (row for row in table.rows if getattr(row[0], "text", "") == "new")
    assert getattr(first[2], "share", None) == pytest.approx(9 / 16)
    assert getattr(second[2], "share", None) == pytest.approx((5 / 6 + 2) / 4)
    assert getattr(second[4], "share", None) == pytest.approx((1 / 6 + 0 + 1 + 1 / 2) / 4)
    every = result["models"]["new"]["runs"]["pass_at"]["2"]["all_succeed"]
    assert [getattr(second[5], end, None) for end in ("least", "largest")] == [
        every["lower"],
        every["upper"],
    ]


def test_exact_losses_without_runs_have_no_such_table() -> None:
    body = {"kind": "losses", "blocks": "holdout", "losses": {"a": [0, 1, 1], "b": [1, 1, 0]}}

    assert "Items and runs" not in [
        table.caption
        for section in show(run_kind(body).result).sections
        for table in section.tables
    ]
