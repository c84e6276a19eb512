from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thetahat
from tests.clients.scripted_server import EVALUATION
from thetahat_client import Evaluation, ProgressBar, result_text
from thetahat_client.progress import format_progress_line
from thetahat_client.text import Page
from thetahat_client.text.all_models import build_all_models_table
from thetahat_client.text.cautions import list_cautions
from thetahat_client.text.comparisons import write_comparisons
from thetahat_client.text.group_letters import group_letters
from thetahat_client.text.models import build_models_table
from thetahat_client.text.page import (
    IntervalEnds,
    format_difference,
    format_interval,
    format_number,
)
from thetahat_client.text.verdicts import list_verdicts

PAGE = Page()
RESULTS = Path(__file__).parent / "results"


def stored(name: str) -> Any:
    content: Any = json.loads((RESULTS / f"{name}.json").read_text())
    return content


@pytest.fixture
def schools() -> Any:
    return stored("schools_left_out")


def test_exact_the_table_of_left_out_schools(schools: Any) -> None:
    lines = build_models_table(schools, PAGE).splitlines()

    ridge = next(line for line in lines if line.startswith("ridge"))
    # From the stored result: macro .618084, pooled .608106, and its three intervals.
    assert " ".join(ridge.split()) == (
        "ridge 0.6181 0.6081 0.5736 to 0.6626 0.5584 to 0.6778 0.1331 to 1.103"
    )
    assert re.split(r"  +", lines[0]) == [
        *("model", "macro mean", "pooled mean", "95 %, data like these"),
        *("95 %, a new source", "95 %, one new source's mean"),
    ]
    assert "4059 instances in 65 blocks" in lines
    meaning = "a new source (the expected loss on one source that is not in the data): "
    words = " ".join(build_models_table(schools, PAGE).split())
    assert f"{meaning}student_t on theta_gamma, 64 degrees of freedom" in words


def test_exact_only_recommended_intervals_and_predictions_are_shown(
    schools: Any,
) -> None:
    ridge = schools["models"]["ridge"]
    ridge["intervals"].append(
        {**ridge["intervals"][0], "recommended": False, "lower": 123.0, "upper": 456.0}
    )

    assert "123" not in result_text(schools)
    assert "prediction" not in build_models_table(stored("random_folds"), PAGE)


def test_exact_every_pair_has_its_verdict_in_words(schools: Any) -> None:
    table = list_verdicts(schools)

    assert len(table) == 6
    for sentence, pair in zip(table, schools["comparisons"], strict=True):
        assert sentence.startswith(pair["verdict"]["decision"].upper())
        assert pair["verdict"]["reason"] in sentence
    plan = "0.02, 491 sources (426 more) give a chance of 80 % to show it."
    assert table[-1].endswith(plan)


def test_exact_cautions_of_one_code_are_one_fact(schools: Any) -> None:
    sentences, n_hidden = list_cautions(schools)

    # theta_gamma's value is in its caution, so each of the four models has another sentence.
    alike = [sentence for sentence in sentences if "its value" in sentence]
    assert len(alike) == 1
    assert alike[0].startswith("all models (a new source, one new source's mean): its value")
    assert sentences[0] == schools["cautions"][0]["message"]
    assert len(sentences) == len(set(sentences)) == 5
    assert n_hidden == 0


def caution(code: str, severity: str) -> dict[str, str]:
    return {"code": code, "severity": severity, "message": f"Say {code}.", "advice": "Do it."}


def test_exact_three_cautions_are_shown_the_most_serious_first(schools: Any) -> None:
    codes = {"a": "info", "b": "warning", "c": "warning", "d": "serious", "e": "warning"}
    schools["cautions"] = [caution(*pair) for pair in codes.items()]
    schools["comparisons"] = []
    for model in schools["models"].values():
        model["recommended"], model["prediction"] = {}, None

    assert list_cautions(schools, show_all=False) == (
        ["SERIOUS  Say d. Do it.", "Say b. Do it.", "Say c. Do it."],
        2,
    )
    assert [sentence[-9] for sentence in list_cautions(schools)[0]] == ["d", "b", "c", "e", "a"]
    assert "- 2 more cautions: show_all=True or --all" in result_text(schools)
    assert "more caution" not in result_text(schools, show_all=True)


def test_exact_of_one_code_the_most_serious_caution_is_shown(schools: Any) -> None:
    schools["comparisons"] = []
    for name, model in schools["models"].items():
        severity = "serious" if name == "forest" else "info"
        part = {"level": 0.95, "lower": 0, "upper": 1, "method": "m"}
        model["recommended"] = {"new_source": {**part, "cautions": [caution("x", severity)]}}
    schools["cautions"] = []

    assert list_cautions(schools, show_all=False)[0][0].startswith(
        "SERIOUS  all models (a new source)"
    )


def test_exact_no_line_breaks_between_a_number_and_its_percent_sign(
    schools: Any,
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
        (123456.0, "123 456"),
        (-0.00012345, "-0.0001234"),
        (1e-9, "1.000e-09"),
        (None, "undefined"),
    ],
)
def test_exact_numbers_have_four_digits(value: float | None, text: str) -> None:
    assert format_number(value) == text


def test_exact_open_and_undefined_ends_are_words() -> None:
    assert format_interval({"lower": None, "upper": 0.5}) == "below 0.5000"
    assert format_interval({"lower": 0.5, "upper": None}) == "above 0.5000"
    assert format_interval({"lower": None, "upper": None}) == "undefined"
    assert format_interval(None) == "none"


def test_exact_ends_that_differ_are_written_differently() -> None:
    ends: IntervalEnds = {"lower": 100_000.384, "upper": 100_000.59}
    assert format_interval(ends) == "100 000.38 to 100 000.59"
    assert format_interval({"lower": 1234.41, "upper": 1234.58}) == "1234.41 to 1234.58"
    assert format_interval({"lower": 384_120.0, "upper": 589_480.0}) == "384 120 to 589 480"


def test_exact_columns_are_as_wide_as_their_widest_entry() -> None:
    assert PAGE.format_table(["m", "value"], [["long name", "1"]]) == (
        "m          value\n---------  -----\nlong name      1"
    )


def test_exact_a_wide_table_is_folded_between_words() -> None:
    text = Page(table=17).format_table(["m", "95 %, a source"], [["x", "0.1000 to 0.4000"]])

    assert text == ("m  95 %, a source\n-  --------------\nx       0.1000 to\n           0.4000")


def test_exact_a_table_that_is_still_too_wide_is_several() -> None:
    text = Page(table=12).format_table(["m", "aaaa", "bbbb", "cccc"], [["xy", "1", "2", "3"]])

    assert text == (
        "m   aaaa\n--  ----\nxy     1\n\nm   bbbb\n--  ----\nxy     2\n\n"
        "m   cccc\n--  ----\nxy     3"
    )


@pytest.mark.parametrize("name", ["schools_left_out", "random_folds"])
@pytest.mark.parametrize("width", [60, 72, 80, 100])
def test_exact_no_table_is_wider_than_the_terminal(name: str, width: int) -> None:
    result = stored(name)
    text = result_text(result, width, table_width=width)

    assert max(map(len, text.splitlines())) <= width
    cells = text.partition("\n4059 ")[0].split()
    assert all(format_number(m["mean"]["macro"]) in cells for m in result["models"].values())


def state(status: str, done: int, total: int | None) -> Evaluation:
    progress = {"done": done, "total": total, "unit": "splits"}
    answer: Any = {**EVALUATION, "status": status, "progress": progress}
    return Evaluation.read(answer)


def test_exact_the_bar_is_as_full_as_the_work_is_done() -> None:
    assert (
        format_progress_line(state("running", 10, 40))
        == f"[{'#' * 7}{'.' * 23}] 10 of 40 splits, running"
    )
    left = replace(state("running", 10, 40), seconds_left=150.0)
    assert format_progress_line(left).endswith("10 of 40 splits, running, about 2 minutes left")
    for seconds, words in (
        (0.2, "1 second"),
        (40.4, "40 seconds"),
        (59.6, "1 minute"),
        (3500.0, "58 minutes"),
        (3600.0, "1 hour"),
        (9000.0, "2.5 hours"),
    ):
        assert format_progress_line(replace(left, seconds_left=seconds)).endswith(
            f"about {words} left"
        )
    for early in (state("running", 1, 40), state("succeeded", 40, 40)):
        assert "left" not in format_progress_line(replace(early, seconds_left=150.0))
    assert format_progress_line(state("queued", 0, None)) == f"[{'.' * 30}] queued"
    assert format_progress_line(state("succeeded", 1, 1)).startswith(f"[{'#' * 30}]")
    assert format_progress_line(state("cancelled", 10, 40)).startswith(f"[{'#' * 7}.")


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


# Many models


@pytest.fixture(scope="module")
def thirty_models() -> Any:
    """Return the result of thirty models on ten sources, in a shuffled order."""
    rng = np.random.default_rng(1)
    shared = rng.normal(size=(10, 20)) ** 2
    losses = {
        f"model_{i:02d}": list(shared * (1 + 0.05 * i) + 0.3 * rng.normal(size=(10, 20)) ** 2)
        for i in rng.permutation(30)
    }
    result: Any = thetahat.to_json(thetahat.evaluate(losses, blocks="source"))
    return result


def test_exact_models_are_sorted_and_the_best_fifteen_are_shown(
    thirty_models: Any,
) -> None:
    lines = build_models_table(thirty_models, PAGE, show_all=False).splitlines()
    shown = [line.split()[0] for line in lines if line.startswith("model_")]
    means = {name: model["mean"]["macro"] for name, model in thirty_models["models"].items()}

    assert shown == sorted(means, key=means.__getitem__)[:15]
    assert "and 15 more models: show_all=True or --all" in lines
    every = build_models_table(thirty_models, PAGE).splitlines()
    assert sum(line.startswith("model_") for line in every) == 30


def test_exact_thirty_models_fill_at_most_sixty_lines(thirty_models: Any) -> None:
    text = result_text({"kind": "losses", **thirty_models}, 100, table_width=100)

    assert len(text.splitlines()) <= 60


def test_exact_models_that_share_a_letter_do_not_differ(thirty_models: Any) -> None:
    letters, note = group_letters(thirty_models)
    test = thirty_models["omnibus"]["nemenyi"]
    ranks, critical = test["mean_ranks"], test["critical_difference"]

    assert f"critical difference {critical:.2f} of mean ranks" in note
    for a, b in combinations(letters, 2):
        assert bool(set(letters[a]) & set(letters[b])) == (abs(ranks[a] - ranks[b]) < critical)


def test_exact_many_comparisons_are_a_table_around_the_best_model(
    thirty_models: Any,
) -> None:
    lines = write_comparisons(thirty_models, PAGE, show_all=False).splitlines()
    best = thirty_models["summary"]["best_model"]

    assert lines[0].split("  ")[0] == f"against {best}"
    assert "95 %, a new source" in lines[0]
    rows = [line for line in lines if re.match(r"model_\d\d  ", line)]
    assert len(rows) == 8
    for row in rows:
        name, difference, low, _, high, *_ = row.split()
        pair = next(
            pair for pair in thirty_models["comparisons"] if {pair["a"], pair["b"]} == {name, best}
        )
        sign = 1 if pair["a"] == name else -1
        ends = sorted(sign * pair["interval"][end] for end in ("lower", "upper"))
        assert float(difference) == pytest.approx(sign * pair["difference"], rel=1e-3)
        assert [float(low), float(high)] == pytest.approx(ends, rel=1e-3)
        decision = pair["verdict"]["decision"]
        seen = {"better": "worse", "worse": "better"}.get(decision, decision)
        assert row.endswith(decision if sign == 1 else seen)
    assert any(line.startswith("of all 435 comparisons, in ") for line in lines)


def test_exact_tests_of_all_models_name_those_that_may_be_the_best(
    thirty_models: Any,
) -> None:
    text = build_all_models_table(thirty_models, PAGE, show_all=False)
    row = next(line for line in text.splitlines() if line.startswith("model confidence set"))
    inside = set(thirty_models["omnibus"]["model_confidence_set"]["set"])
    best = thirty_models["summary"]["best_model"]

    assert text.splitlines()[0].endswith(f"not shown to differ from {best}")
    assert set(re.findall(r"model_\d\d", row)) == inside - {best}
    assert "cross validation with confidence" not in text  # it is about these trained models
    assert "cross validation with confidence" in build_all_models_table(
        thirty_models, PAGE, show_all=True
    )


def test_exact_the_text_of_thirty_models_is_short(thirty_models: Any) -> None:
    assert len(result_text(thirty_models).splitlines()) < 80
    everything = result_text(thirty_models, show_all=True)
    assert sum(" it is not clear which of " in line for line in everything.splitlines()) > 100


@pytest.mark.parametrize(
    ("value", "scale", "text"),
    [(3.469e-18, 0.1, "0"), (3.469e-18, 1e-17, "3.469e-18"), (0.25, 1.0, "0.2500"), (0, 0, "0")],
)
def test_exact_a_rounding_error_is_written_as_zero(value: float, scale: float, text: str) -> None:
    assert format_difference(value, scale) == text


@pytest.mark.parametrize(
    ("options", "is_named"),
    [({}, True), ({"level": 0.9}, False), ({"alternative": "less"}, False)],
)
def test_exact_the_simulated_share_is_named_for_intervals_like_the_simulated_ones(
    options: dict[str, Any], *, is_named: bool
) -> None:
    rng = np.random.default_rng(4)
    losses = {name: (rng.random((10, 20)) < 0.3).astype(float) for name in "ab"}
    result: Any = thetahat.to_json(thetahat.evaluate(losses, blocks="random", **options))
    recommended = result["models"]["a"]["recommended"]["these_sources"]
    share = recommended["expected_coverage"]["coverage"]

    text = result_text({"kind": "losses", **result}, 1000)

    assert (f"covers in {100 * share:.3g} % of simulated samples" in text) == is_named
    assert ("simulated samples" in text) == is_named
