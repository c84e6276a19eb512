from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.clients.stub import EVALUATION
from thetahat_client import Evaluation, ProgressBar, result_text
from thetahat_client.progress import progress_line
from thetahat_client.tables import cautions, ends, models_table, number, table, verdicts

RESULTS = Path(__file__).parent / "results"


def stored(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())
    return found


@pytest.fixture
def schools() -> dict[str, Any]:
    return stored("schools_left_out")


def test_golden_the_table_of_left_out_schools(schools: dict[str, Any]) -> None:
    lines = models_table(schools).splitlines()

    ridge = next(line for line in lines if line.startswith("ridge"))
    # From the stored result: macro .618084, pooled .608106, and its three intervals.
    assert " ".join(ridge.split()) == (
        "ridge 0.6181 0.6081 0.5736 to 0.6626 0.5584 to 0.6778 0.1331 to 1.103"
    )
    assert re.split(r"  +", lines[0]) == [
        *("model", "macro mean", "pooled mean", "95 %, these sources"),
        *("95 %, a new source", "95 %, one new source's mean"),
    ]
    assert "4059 instances in 65 blocks" in lines
    assert "a new source: student_t on theta_gamma, 64 degrees of freedom" in models_table(schools)


def test_exact_only_recommended_intervals_and_predictions_are_shown(
    schools: dict[str, Any],
) -> None:
    ridge = schools["models"]["ridge"]
    ridge["intervals"].append(
        {**ridge["intervals"][0], "recommended": False, "lower": 123.0, "upper": 456.0}
    )

    assert "123" not in result_text(schools)
    assert "prediction" not in models_table(stored("random_folds"))


def test_exact_every_pair_has_its_verdict_in_words(schools: dict[str, Any]) -> None:
    found = verdicts(schools)

    assert len(found) == 6
    for sentence, pair in zip(found, schools["comparisons"], strict=True):
        assert sentence.startswith(pair["verdict"]["decision"].upper())
        assert pair["verdict"]["reason"] in sentence
    assert "80 %, were the true difference 0.02: 426 more sources, 491 in all." in found[-1]


def test_exact_a_caution_that_differs_in_its_numbers_stands_once(schools: dict[str, Any]) -> None:
    found = cautions(schools)

    # theta_gamma's value is in its caution, so each of the four models has another sentence.
    alike = [c for c in found if "its value" in c]
    assert len(alike) == 1
    assert alike[0].startswith("mean (and alike ridge, neighbours, forest), interval for a new")
    assert found[0] == schools["cautions"][0]["message"]
    assert len(found) == len(set(found)) == 5


def test_exact_no_line_breaks_between_a_number_and_its_percent_sign(
    schools: dict[str, Any],
) -> None:
    for width in range(60, 101):
        text = result_text(schools, width)
        prose = text.partition("Verdicts")[2].splitlines()

        assert max(map(len, prose)) <= width
        assert not any(line.lstrip().startswith("%") for line in prose)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.25, "0.2500"),
        (0, "0"),
        (12.3456, "12.35"),
        (1234.5, "1234"),
        (123456.0, "1.235e+05"),
        (-0.00012345, "-0.0001234"),
        (1e-9, "1.000e-09"),
        (None, "undefined"),
    ],
)
def test_exact_numbers_have_four_digits(value: float | None, text: str) -> None:
    assert number(value) == text


def test_exact_open_and_undefined_ends_are_words() -> None:
    assert ends({"lower": None, "upper": 0.5}) == "below 0.5000"
    assert ends({"lower": 0.5, "upper": None}) == "above 0.5000"
    assert ends({"lower": None, "upper": None}) == "undefined"
    assert ends(None) == "none"


def test_exact_columns_are_as_wide_as_their_widest_entry() -> None:
    assert table(["m", "value"], [["long name", "1"]]) == (
        "m          value\n---------  -----\nlong name      1"
    )


def state(status: str, done: int, total: int | None) -> Evaluation:
    progress = {"done": done, "total": total, "unit": "splits"}
    return Evaluation.read({**EVALUATION, "status": status, "progress": progress})


def test_exact_the_bar_is_as_full_as_the_work_is_done() -> None:
    assert (
        progress_line(state("running", 10, 40)) == f"[{'#' * 7}{'.' * 23}] 10 of 40 splits, running"
    )
    assert progress_line(state("queued", 0, None)) == f"[{'.' * 30}] queued"
    assert progress_line(state("succeeded", 1, 1)).startswith(f"[{'#' * 30}]")
    assert progress_line(state("cancelled", 10, 40)).startswith(f"[{'#' * 7}.")


def test_exact_the_bar_is_one_line_on_a_terminal_and_a_line_per_tenth_elsewhere() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    states = [*(state("running", done, 100) for done in range(101)), state("succeeded", 100, 100)]
    terminal, file = Terminal(), io.StringIO()
    for bar in (ProgressBar(terminal), ProgressBar(file)):
        for each in states:
            bar(each)

    assert terminal.getvalue().count("\n") == 1
    assert terminal.getvalue().count("\r") == len(states)
    assert file.getvalue().count("\n") == 12  # 0 %, 10 %, ..., 100 %, and the end
    assert "\r" not in file.getvalue()
