"""What is shown first of a result: verdict, one table with drawn intervals, what is open."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest

import thetahat
from tests.golden.write_shown import read_case, render_page
from tests.presentation.reading import caution
from tests.service.kinds.run_requests import run_kind
from thetahat_presentation.document import Bar, Caution, Cell, Document, Findings, Table
from thetahat_presentation.parts.documents import ask_about_models
from thetahat_presentation.parts.headlines import describe_best
from thetahat_presentation.parts.models import find_recommended
from thetahat_presentation.renderers.bars import ASCII, BLANK, draw_bar
from thetahat_presentation.renderers.html import HtmlPage
from thetahat_presentation.renderers.latex import LatexPage
from thetahat_presentation.renderers.markdown import MarkdownPage
from thetahat_presentation.renderers.text import Page
from thetahat_presentation.showing import show

SIZES = (2, 3, 12, 30)
BLOCKS = ("holdout", "random", "source")


@cache
def evaluate(n_models: int, blocks: str, better: str = "lower", **options: Any) -> Any:
    """Return the result of models that differ a little, with the omnibus tests."""
    rng = np.random.default_rng(3)
    base = rng.normal(1, 0.4, size=(12, 20))
    sign = 1 if better == "lower" else -1
    values = {
        f"model_{i:02d}": base
        + sign * 0.03 * i
        + rng.normal(0, 0.2, size=base.shape)
        + rng.normal(0, 0.05, size=(12, 1))
        for i in range(n_models)
    }
    if blocks == "holdout":
        values = {name: each.ravel() for name, each in values.items()}
    choices: Any = {"blocks": blocks, "better": better, "include": ["omnibus"], **options}
    return {"kind": "losses", **thetahat.to_json(thetahat.evaluate(values, **choices))}


def draw(bar: Bar, width: int = 11) -> str:
    return draw_bar(bar, width, ASCII).replace(BLANK, ".")


# Drawings


def test_exact_an_interval_is_drawn_on_its_scale() -> None:
    assert draw(Bar(2.0, 8.0, 5.0, 0.0, 10.0)) == "..|--o--|.."
    assert draw(Bar(0.0, 10.0, 1.0, 0.0, 10.0)) == "|o--------|"
    assert draw_bar(Bar(0.0, 10.0, 5.0, 0.0, 10.0), 5) == "├─●─┤"


def test_exact_an_open_end_has_an_arrow_and_a_mean_without_interval_is_a_point() -> None:
    assert draw(Bar(None, 8.0, 5.0, 0.0, 10.0)) == "<----o--|.."
    assert draw(Bar(2.0, None, 5.0, 0.0, 10.0)) == "..|--o---->"
    assert draw(Bar(None, None, 5.0, 0.0, 10.0)) == ".....o....."
    assert draw(Bar(None, None, None, 0.0, 10.0)) == "..........."


def test_degenerate_a_scale_without_length_has_its_point_in_the_middle() -> None:
    assert draw(Bar(1.0, 1.0, 1.0, 1.0, 1.0)) == ".....o....."


@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("better", ["lower", "higher"])
def test_exact_the_bars_are_the_intervals_of_the_question(blocks: str, better: str) -> None:
    result = evaluate(12, blocks, better)
    target = result["comparisons"][0]["interval"]["target"]
    (table,) = show(result).findings.tables
    intervals = {name: find_recommended(model)[target] for name, model in result["models"].items()}
    drawn: dict[str, Any] = {row[0].text: row[3] for row in table.rows}  # type: ignore[union-attr]

    assert len(drawn) == 12
    for name, bar in drawn.items():
        assert (bar.lower, bar.upper) == (intervals[name]["lower"], intervals[name]["upper"])
        assert bar.estimate == intervals[name]["estimate"]
        assert bar.start == min(each["lower"] for each in intervals.values())
        assert bar.stop == max(each["upper"] for each in intervals.values())


def test_exact_an_open_end_has_room_beyond_the_numbers() -> None:
    (table,) = show(evaluate(2, "random", alternative="less")).findings.tables
    bars: list[Any] = [row[3] for row in table.rows]

    assert all(bar.lower is None and bar.start < bar.estimate for bar in bars)
    assert bars[0].stop == max(bar.upper for bar in bars)


def test_exact_there_is_no_drawing_where_there_is_no_room_and_on_paper() -> None:
    rows: list[list[Cell]] = [["m", Bar(0.0, 1.0, 0.5, 0.0, 1.0), "1"]]
    table = Table(caption="T", columns=["Model", "From 0 to 1", "Rank"], rows=rows)

    assert Page(table=22).format_table(table).splitlines()[-1] == "m      1"
    assert Page(table=23).format_table(table).splitlines()[-1] == "m      ├───●────┤  1"
    assert "|  1" in Page(table=23, is_ascii=True).format_table(table)
    assert "●" in HtmlPage().format_table(table)
    for page in (MarkdownPage(), LatexPage()):
        assert "From 0 to 1" not in page.format_table(table)
        assert "Rank" in page.format_table(table)


# The account


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("n_models", SIZES)
def test_exact_the_account_is_short_and_as_wide_as_the_terminal(
    n_models: int, blocks: str, width: int
) -> None:
    text = Page(min(width, 100), width).write(show(evaluate(n_models, blocks)))
    lines = text.splitlines()

    assert max(map(len, lines)) <= width
    assert len(lines) <= 23 + min(n_models, 15)
    assert sum("●" in line for line in lines) == min(n_models, 15)
    assert text.count("Test that all") == (n_models > 2)
    assert text.count("Warning: ") + text.count("Serious: ") <= 1


def test_exact_the_exam_is_told_in_twenty_lines() -> None:
    text = Page(80, 80).write(show(read_case("exam")[1]))

    assert len(text.splitlines()) <= 20
    assert text.startswith(
        "On a new school and on these schools: ridge is better than forest and\nneighbours.\n"
    )
    assert "Test that all 3 models are equal on a new school: p < 0.001 (Iman-Davenport)." in text


@pytest.mark.parametrize("blocks", BLOCKS)
def test_exact_two_models_have_their_reasons_and_then_the_plan(blocks: str) -> None:
    result = evaluate(2, blocks)
    (pair,) = result["comparisons"]
    verdicts = [pair["verdict"], *(pair.get("other_verdicts") or {}).values()]
    findings = show(result).findings

    assert findings.verdict == " ".join(each["reason"] for each in verdicts)
    plans = [each["plan"]["sentence"] for each in verdicts if each["plan"]]
    assert findings.next_step == (f"Next: {plans[0]}" if plans else "")


def test_exact_one_question_is_named_and_what_it_leaves_out() -> None:
    findings = show(evaluate(3, "random")).findings

    assert findings.verdict.startswith("On data like these: it is not clear whether model_00")
    assert findings.limit.startswith("Nothing here says how the models do elsewhere")


def test_exact_the_next_step_is_about_the_best_models_nearest_rival() -> None:
    result = evaluate(12, "source")
    best = result["summary"]["best_model"]
    ranked = [each["name"] for each in result["summary"]["models"]]
    open_with = [
        ({pair["a"], pair["b"]} - {best}).pop()
        for pair in result["comparisons"]
        if best in {pair["a"], pair["b"]} and pair["verdict"]["decision"] == "undecided"
    ]
    nearest = min(open_with, key=ranked.index)

    step = show(result).findings.next_step

    assert re.match(rf"Next, ({best} and {nearest}|{nearest} and {best}): If the true", step)


def test_exact_the_caution_is_about_the_question_unless_another_is_serious() -> None:
    result = evaluate(2, "random")
    for model in result["models"].values():
        assert {"these_sources", "these_models"} <= model["recommended"].keys()
    changed = {**result, "cautions": [caution("b", "warning"), caution("a", "info")]}
    elsewhere = {
        name: {
            **model,
            "recommended": {
                target: {**interval, "cautions": [caution("far", "serious")]}
                if target == "these_models"
                else {**interval, "cautions": []}
                for target, interval in model["recommended"].items()
            },
        }
        for name, model in result["models"].items()
    }

    about, serious = show(changed).findings, show({**changed, "models": elsewhere}).findings

    assert about.caution is not None
    assert about.caution.code == "b"
    assert serious.caution is not None
    assert serious.caution.code == "far"


def test_exact_a_gate_is_said_once() -> None:
    options = {"margin": 0.2, "level": 0.95}
    result = evaluate(2, "random", **options)
    (pair,) = result["comparisons"]
    reason = pair["verdict"]["reason"]
    gate = {"outcome": "pass", "sentence": reason}

    for page in (Page(10_000), MarkdownPage()):
        written = page.write(show({**result, "gate": gate})).replace("\\", "")
        assert written.startswith(f"Gate: pass. {reason}")
        assert written.count(reason) == 1


# Folded


def make_document() -> Document:
    cautions = [
        Caution(
            code=code, severity="warning", message=f"Message {code}.", advice="", title=f"Of {code}"
        )
        for code in ("one", "two", "three", "four", "five")
    ]
    findings = Findings(
        verdict="a is better. By far.", caution=cautions[0], limit="Not elsewhere.", next_step="Go."
    )
    sentences = ["a is better. By far.", "a is better. Go. Or stay.", "b is worse."]
    return Document(
        headline="a.",
        findings=findings,
        sentences=sentences,
        scope="It is here. Not elsewhere.",
        cautions=cautions,
    )


@pytest.mark.parametrize("page", [MarkdownPage(), HtmlPage()])
def test_exact_what_is_folded_has_each_caution_and_no_sentence_twice(page: Page) -> None:
    written = page.write(make_document())

    for text in ("Message one.", "Message two.", "Message five.", "b is worse.", "Not elsewhere."):
        assert written.count(text) == 1
    assert written.count("By far.") == 1
    assert "Or stay." in written
    of_three = "of two; of three; of four; 1 other"
    assert f"<summary>4 more cautions ({of_three})</summary>" in written
    assert written.count("<details>") == written.count("</details>") == 2
    assert "<details>" not in page.write(make_document(), show_all=True)


def test_exact_signs_are_in_ascii_where_that_is_asked_for() -> None:
    for name in ("exam", "study", "bootstrap"):
        page = Page(80, 80, is_ascii=True)
        for show_all in (False, True):
            assert page.write(show(read_case(name)[1]), show_all=show_all).isascii()


@pytest.mark.parametrize("name", ["exam", "losses", "selection"])
def test_exact_the_table_of_models_says_no_number_of_the_findings_again(name: str) -> None:
    document = show(read_case(name)[1])
    (whole,) = (document.find_section("models") or document.sections[0]).tables[:1]
    section = document.rest.find_section("models")
    rest = [] if section is None else section.tables
    first = document.findings.tables[0]

    if name == "selection":  # its findings are about candidates
        assert rest == [whole]
        return
    assert set(whole.columns) >= {"Model", "Mean loss"}
    assert [list(table.columns) for table in rest] == (
        [["Model", "Pooled mean", "Interval on these schools", "One more school", "Groups"]]
        if name == "exam"
        else []
    )
    assert not {note for table in rest for note in table.notes} & set(first.notes)


def test_exact_a_list_has_the_mean_of_the_best_model() -> None:
    summary = read_case("exam")[1]["summary"]

    assert (
        describe_best(summary) == "The mean loss of ridge is 0.618 (95 % interval 0.533 to 0.703)."
    )
    for models in (summary["models"][:1], summary["models"] * 5):
        assert describe_best({**summary, "models": models}) == ""


def test_exact_the_links_on_a_page_lead_to_its_parts() -> None:
    html = render_page(*read_case("exam"))
    (contents,) = re.findall(r'<nav class="contents.*?</nav>', html, re.DOTALL)
    links = re.findall(r'href="#([^"]+)"', contents)

    assert {"models", "pairs", "sources", "doubts", "methods", "sign-offs"} <= set(links)
    for link in links:
        assert f'id="{link}"' in html


@pytest.mark.parametrize(
    ("names", "question"),
    [
        (("m",), "How large is the mean loss of m as trained?"),
        (("old", "new"), "Which of old and new, as trained, has the lower mean loss, and is"),
    ],
)
def test_exact_the_question_about_models_as_they_are_trained(
    names: tuple[str, ...], question: str
) -> None:
    losses = {name: [0, 1, i, 1] for i, name in enumerate(names)}
    request = {"kind": "losses", "blocks": "holdout", "losses": losses}

    assert ask_about_models(run_kind(request).result, request)[0].startswith(question)
