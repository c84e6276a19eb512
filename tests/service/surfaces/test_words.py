"""People read words: no surface shows the name that a request would write for a method."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

import pytest

from tests.cases import each
from tests.service.surfaces.rendering import READ
from tests.service.surfaces.results import find_result, list_names
from tests.service.surfaces.test_equal_facts import render_all

pytestmark = pytest.mark.usefixtures("small_by_default")

IDENTIFIER: Final = re.compile(r"\b[A-Za-z0-9]{2,}(?:_[A-Za-z0-9]+)+\b")
"""A letter with an index, as in V_k, is a symbol of a formula."""
CODE: Final = (
    re.compile(r"<(code|pre)\b.*?</\1>", re.DOTALL),
    re.compile(r"<table>\s*<caption>Methods that were not used.*?</table>", re.DOTALL),
    re.compile(r'<section id="methods" .*?</section>', re.DOTALL),
    re.compile(r'"[^"\n]*"|“[^”\n]*”'),
    re.compile(r"(to_text\()?show\\?_all=True"),
)
"""What may have names: code samples and what a request would have, in quotes, and the appendix."""


def find_identifiers(surface: str, text: str, names: Collection[str]) -> Iterator[str]:
    """Yield each identifier that people read; names of models are theirs."""
    for pattern in CODE[:3]:
        text = pattern.sub("", text)
    shown = READ[surface](text).text
    for pattern in CODE[3:]:
        shown = pattern.sub("", shown)
    yield from (found for found in IDENTIFIER.findall(shown) if found not in names)


def list_given_names(result: Mapping[str, Any]) -> set[str]:
    """Return the names of models, and those that a request gives to metrics and tests."""
    methods = (result.get("provenance") or {}).get("methods") or ()
    return {*result.get("models", ()), *(each["as"] for each in methods if "as" in each)}


@each("name", list_names())
def test_exact_no_surface_shows_the_name_of_a_method_on_the_wire(name: str) -> None:
    _, result = find_result(name)
    faults = [
        f"{surface}: {found}"
        for surface, text in render_all(name).items()
        if text
        for found in dict.fromkeys(find_identifiers(surface, text, list_given_names(result)))
    ]

    assert faults == []


def test_exact_a_name_is_found() -> None:
    assert list(find_identifiers("terminal", 'roc_auc: 1, by theta_5. Use "f_g".', {"x_y"})) == [
        "roc_auc",
        "theta_5",
    ]
