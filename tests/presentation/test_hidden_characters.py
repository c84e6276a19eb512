"""Characters that cannot be seen, or that reverse others, are escapes wherever people read."""

from __future__ import annotations

import sys
import unicodedata
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

import pytest

import thetahat
from thetahat_presentation.hidden_characters import show_hidden, show_hidden_in
from thetahat_presentation.renderers.html import HtmlPage
from thetahat_presentation.renderers.latex import LatexPage
from thetahat_presentation.renderers.markdown import MarkdownPage
from thetahat_presentation.renderers.text import Page
from thetahat_presentation.showing import ask, show
from thetahat_service.cli.gate import write_junit

VISIBLE_FORMATS = set("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2")
"""Signs of Unicode's category of formats that have a shape of their own, as in Arabic numbers."""
REVERSED = "new\u202ewon"
ALIKE = "new\u200bwon"
BROKEN = "new\nPASS"


def test_exact_every_character_of_format_or_control_is_shown() -> None:
    raw = [
        hex(code)
        for code in range(0x10000)
        if unicodedata.category(chr(code)) in {"Cc", "Cf", "Zl", "Zp", "Cs"}
        and chr(code) not in VISIBLE_FORMATS | {"\t", "\n"}
        and show_hidden(chr(code)) == chr(code)
    ]

    assert raw == []


def test_exact_letters_numbers_and_signs_of_all_scripts_stay() -> None:
    kinds = {"L", "M", "N", "P", "S"}
    blanks = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
    changed = {
        code
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code))[0] in kinds and show_hidden(chr(code)) != chr(code)
    }
    variants = {*range(0xFE00, 0xFE10), *range(0x180B, 0x1810), *range(0xE0100, 0xE01F0)}

    assert changed - variants == blanks
    assert show_hidden("a b\xa0c\u2009d\te\nf") == "a b\xa0c\u2009d\te\nf"


def test_exact_values_of_all_types_are_gone_through() -> None:
    class Pair(NamedTuple):
        name: str
        number: float

    value = {"a\u200b": [Pair(ALIKE, 1.5), (BROKEN, None)], "b": True}

    shown = show_hidden_in(value)

    assert shown == {
        "a\u200b": [Pair("new\\u200bwon", 1.5), ("new\\nPASS", None)],
        "b": True,
    }
    assert show_hidden_in([BROKEN], keeps_lines=True) == [BROKEN]


@pytest.mark.parametrize("page", [Page(), MarkdownPage(), LatexPage(), HtmlPage()])
@pytest.mark.parametrize("name", [REVERSED, ALIKE, BROKEN, "old\x1b[2Kwon"])
def test_property_no_surface_of_a_result_has_a_hidden_character(page: Page, name: str) -> None:
    losses = {name: [0.1, 0.2, 0.15, 0.3, 0.2], "old": [0.5, 0.4, 0.6, 0.5, 0.7]}
    result = thetahat.to_json(thetahat.evaluate(losses, blocks="holdout"))
    result = {**result, "kind": "losses"}

    text = page.write(show(result, {"losses": losses}), show_all=True)

    assert "old" in text
    assert show_hidden(text) == text
    assert "\nPASS" not in text
    assert all(show_hidden(each) == each for each in ask("losses", result, {"losses": losses}))


@pytest.mark.parametrize("name", [REVERSED, ALIKE, BROKEN, "old\x1b[2Kwon"])
def test_property_no_hidden_character_is_in_a_junit_report(name: str) -> None:
    losses = {name: [0.1, 0.2, 0.15, 0.3, 0.2], "old": [0.5, 0.4, 0.6, 0.5, 0.7]}
    gate = thetahat.Gate(model=name, against="old")
    evaluated = thetahat.evaluate(losses, blocks="holdout", gate=gate, margin=0.1)
    result: Any = {**thetahat.to_json(evaluated), "kind": "losses"}

    report = ET.fromstring(write_junit(result))

    texts = [each for item in report.iter() for each in (item.text or "", *item.attrib.values())]
    assert all(show_hidden(each) == each for each in texts)
