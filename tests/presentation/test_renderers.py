"""Documents as text, Markdown, HTML and LaTeX."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.architecture.sources import ROOT
from thetahat_presentation.document import Cell, Document, Findings, Name, Number, Section, Table
from thetahat_presentation.numbers import format_number
from thetahat_presentation.renderers.html import HtmlPage, typeset
from thetahat_presentation.renderers.latex import LatexPage, escape_latex
from thetahat_presentation.renderers.markdown import MarkdownPage
from thetahat_presentation.renderers.text import Page
from thetahat_presentation.showing import show

HOSTILE = "<b>|*x*|</b>"


def stored(name: str) -> Any:
    file = ROOT / "tests" / "clients" / "results" / f"{name}.json"
    content: Any = json.loads(file.read_text())
    return content


def make_table(columns: list[str], *rows: list[Any]) -> Table:
    return Table(caption="T", columns=columns, rows=rows)


def test_exact_columns_are_as_wide_as_their_widest_entry() -> None:
    table = make_table(["m", "value"], [Name("long name"), Number(1)])

    assert Page().format_table(table) == ("T\nm          value\n---------  -----\nlong name      1")


def test_exact_a_wide_table_is_folded_between_words() -> None:
    text = Page(table=17).format_table(make_table(["m", "95 %, a source"], ["x", "0.1 to 0.4000"]))

    assert text == "T\nm  95 %, a source\n-  --------------\nx  0.1 to 0.4000"
    narrow = Page(table=12).format_table(make_table(["m", "95 %, a source"], ["x", "0.1 to 0.4"]))
    assert max(map(len, narrow.splitlines())) <= 12


def test_exact_a_table_that_is_still_too_wide_is_several() -> None:
    row = ["xy", Number(1), Number(2), Number(3)]
    text = Page(table=12).format_table(make_table(["m", "aaaa", "bbbb", "cccc"], row))

    assert text == (
        "T\nm   aaaa\n--  ----\nxy     1\n\nm   bbbb\n--  ----\nxy     2\n\n"
        "m   cccc\n--  ----\nxy     3"
    )


@pytest.mark.parametrize("name", ["schools_left_out", "random_folds"])
@pytest.mark.parametrize("width", [60, 72, 80, 100])
def test_exact_no_table_is_wider_than_the_terminal(name: str, width: int) -> None:
    result = stored(name)
    text = Page(width, width).write(show(result))

    assert max(map(len, text.splitlines())) <= width
    assert "4059 instances" in text


def test_exact_no_line_breaks_between_a_number_and_its_percent_sign() -> None:
    document = show(stored("schools_left_out"))
    for width in range(60, 101):
        text = Page(width).write(document, show_all=True)
        prose = text.partition("What this does not say")[2].splitlines()

        assert max(map(len, prose)) <= width
        assert not any(line.lstrip().startswith("%") for line in prose)


def make_document(n_rows: int, *, is_detail: bool = False) -> Document:
    rows: list[list[Cell]] = [[Name(HOSTILE), Number(-0.5 - i)] for i in range(n_rows)]
    table = Table(caption="T", columns=["Name", "Value"], rows=rows, notes=["A note."])
    section = Section(name="main", title="S", tables=[table], is_detail=is_detail)
    findings = Findings(verdict="It is -1.", tables=[] if is_detail else [table])
    return Document(headline="It is -1.", findings=findings, sentences=["One."], sections=[section])


def test_exact_rows_that_are_left_out_are_counted() -> None:
    text = Page(all_option="?all=true").write(make_document(20))

    assert "5 more rows: ?all=true" in text
    assert "more row" not in Page().write(make_document(15))
    assert "more row" not in Page().write(make_document(20), show_all=True)


def test_exact_details_have_no_room_in_a_terminal() -> None:
    assert "A note." not in Page().write(make_document(2, is_detail=True), show_all=True)


def test_exact_every_renderer_escapes_names() -> None:
    document = make_document(1)

    assert HOSTILE in Page().write(document)
    assert r"\<b\>\|\*x\*\|\</b\>" in MarkdownPage().write(document)
    assert "&lt;b&gt;|*x*|&lt;/b&gt;" in HtmlPage().write(document)
    assert escape_latex(HOSTILE) in LatexPage().write(document)


def test_exact_numbers_are_to_the_right_and_have_minus_signs_where_they_are_set() -> None:
    document = make_document(1)

    assert "|:--|--:|" in MarkdownPage().write(document)
    assert "| -0.5 |" in MarkdownPage().write(document)
    html = HtmlPage().write(document)
    assert '<td class="number">−0.5</td>' in html
    assert "<p>It is −1.</p>" in html
    latex = LatexPage().write(document)
    assert r"\begin{tabular}{lr}" in latex
    assert "$-$0.5" in latex


def test_exact_a_long_table_of_latex_goes_over_pages() -> None:
    assert r"\begin{longtable}{lr}" in LatexPage().write(make_document(36), show_all=True)


def test_exact_the_same_number_is_the_same_text_on_every_surface() -> None:
    number = 0.123456
    document = show({"kind": "unknown", "value": number})
    texts = [page.write(document) for page in (Page(), MarkdownPage(), HtmlPage(), LatexPage())]

    assert all(format_number(number) in text for text in texts)


def test_exact_both_ends_of_an_interval_in_a_sentence_have_minus_signs() -> None:
    assert (
        typeset("an interval from -0.176 to -0.048")
        == "an interval from \u22120.176 to \u22120.048"
    )
