"""Tables of relative differences, wins and numbers needed, from requests to what is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.presentation.reading import row_of, table_of
from tests.service.kinds.run_requests import run_kind
from thetahat_presentation.renderers.text import Page
from thetahat_presentation.showing import show

ASKED = ["number_needed", "relative", "wins"]


def run(losses: Any, include: list[str]) -> Any:
    body = {"kind": "losses", "blocks": "holdout", "losses": losses, "include": include}
    return run_kind(body).result


@pytest.fixture(scope="module")
def errors() -> Any:
    new = [1] * 10 + [0] * 90
    old = [1] * 40 + [0] * 60
    return run({"new": new, "old": old}, ASKED)


def test_by_hand_the_result_as_json(errors: Any) -> None:
    (pair,) = errors["comparisons"]

    assert errors["include"] == ASKED
    assert pair["relative"]["change"] == pytest.approx(-0.75)
    assert pair["relative"]["shape"] == "interval"
    assert (pair["wins"]["a"], pair["wins"]["b"], pair["wins"]["ties"]) == (30, 0, 70)
    assert pair["number_needed"]["estimate"] == pytest.approx(1 / 0.3)


def test_by_hand_the_tables(errors: Any) -> None:
    document = show(errors)
    (pair,) = errors["comparisons"]
    relative = row_of(table_of(document, "Relative differences"), "new \N{MINUS SIGN} old")
    wins = row_of(table_of(document, "Wins"), "new \N{MINUS SIGN} old")
    needed = row_of(table_of(document, "Instances for one error fewer"), "new \N{MINUS SIGN} old")

    assert relative[1] == "-75 %"
    assert relative[4] == pair["relative"]["sentence"]
    assert wins[1:5] == ["30", "0", "70", "65 %"]
    assert needed[1:] == ["3.333", pair["number_needed"]["sentence"]]


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ({"time": list(range(40))}, "Rows in the order of time depend on each other"),
        ({"cluster": [i // 4 for i in range(40)]}, "so in clusters it has no p-value"),
        ({}, ""),
    ],
)
def test_exact_wins_without_an_interval_or_a_p_value_say_why(field: Any, reason: str) -> None:
    losses = {"a": [i % 3 / 2 for i in range(40)], "b": [i % 5 / 4 for i in range(40)]}
    body = {"kind": "losses", "blocks": "holdout", "losses": losses, "include": ["wins"], **field}
    result = run_kind(body).result
    wins = result["comparisons"][0]["wins"]
    notes = table_of(show(result), "Wins").notes

    assert ("p_value" not in wins or wins["p_value"] is None) == bool(reason)
    assert reason in wins.get("reason", "")
    assert len(notes) == 1 + bool(reason)
    assert reason in notes[-1]


def test_exact_a_refused_ratio_is_shown_in_words() -> None:
    result = run({"a": [0.5, -0.1, 0.3, 0.2], "b": [0.4, 0.2, 0.9, 0.1]}, ["relative"])
    row = row_of(table_of(show(result), "Relative differences"), "a \N{MINUS SIGN} b")

    assert row[4].startswith("Some losses are below 0")
    assert "below 0" in Page().format_table(table_of(show(result), "Relative differences"))


def test_by_hand_the_log_ratio_is_beside_fieller_s_interval(errors: Any) -> None:
    table = table_of(show(errors), "Relative differences")
    row = row_of(table, "new \N{MINUS SIGN} old")

    # The ratio is .25, and its logarithm has the variance 7.5 / 99: .9 / .1 and .6 / .4 for the
    # rates, less twice .06 / .04 for their covariance. The t quantile is 1.984.
    assert list(table.columns)[3] == "By log ratio"
    assert row[3] == "-85.5 % to -56.8 %"
    assert table.notes[1].startswith("Fieller's interval is recommended")
    assert len(table.notes) == 2


def test_exact_the_log_ratio_is_shown_where_fieller_s_set_has_no_end() -> None:
    result = run({"new": [1] * 3 + [0] * 17, "old": [0] * 18 + [1] * 2}, ["relative"])
    table = table_of(show(result), "Relative differences")
    row = row_of(table, "new \N{MINUS SIGN} old")

    assert result["comparisons"][0]["relative"]["shape"] == "two_rays"
    assert row[1:4] == ["\N{EN DASH}", "\N{EN DASH}", "-78.9 % to 965.2 %"]
    assert table.notes[-1].endswith("covers too rarely: use the difference.")


def test_exact_nothing_is_shown_that_was_not_asked_for() -> None:
    document = show(run({"a": [0.5, 0.1, 0.3], "b": [0.4, 0.2, 0.9]}, []))

    assert "additions" not in [section.name for section in document.sections]


def test_exact_tables_of_many_pairs_are_folded_away() -> None:
    rng = np.random.default_rng(1)
    losses = {f"m{i}": rng.random(30).tolist() for i in range(7)}
    (section,) = [
        section for section in show(run(losses, ASKED)).sections if section.name == "additions"
    ]

    assert not section.tables
    assert [len(table.rows) for table in section.more] == [21, 21, 21]


def test_exact_a_result_with_every_part_shows_the_numbers_that_there_are() -> None:
    losses = {"a": [0.5, 0.1, 0.3, 0.2], "b": [0.4, 0.2, 0.9, 0.1]}
    named, whole = (
        [section for section in show(run(losses, include)).sections if section.name == "additions"]
        for include in (ASKED, ["all"])
    )

    assert [len(section.tables) for section in (*named, *whole)] == [3, 2]
