"""Results of scores say score, and not loss, in every text, table, page and figure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from tests.golden.replay import names, request_of, run_request
from thetahat_client.text import result_html, result_latex, result_markdown, result_text
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.pages.shown_results import show_result

LOSS: Final = re.compile(r"(?i)\bloss(?:es)?\b|lower is better")
CHOSEN: Final = re.compile("source|weights|split_scores|one|all_that|rope|zero_var")
REQUESTS: Final = [
    name
    for name in names()
    if request_of(name)["kind"] == "losses"
    and re.search("source|weights|split_scores|one|all_that|rope|zero_var", name)
]


def texts_in(value: Any, key: str = "") -> Iterator[str]:
    """Yield every text with a space in it, but not the names of studied designs."""
    if is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from texts_in(getattr(value, field.name), field.name)
    elif isinstance(value, Mapping):
        for name, member in value.items():
            yield from texts_in(member, str(name))
    elif isinstance(value, list | tuple | frozenset):
        for member in value:
            yield from texts_in(member, key)
    elif isinstance(value, str) and " " in value and key not in {"design", "designs"}:
        yield value


def list_designs(value: Any) -> Iterator[str]:
    """Yield the studied designs that a result names: they are told as they were simulated."""
    if isinstance(value, dict):
        if isinstance(value.get("design"), str):
            yield value["design"]
        for member in value.values():
            yield from list_designs(member)
    elif isinstance(value, list):
        for member in value:
            yield from list_designs(member)


def written_texts(result: dict[str, Any], request: dict[str, Any]) -> list[str]:
    """Return what people read of a result on the terminal, in files, on its page and in figures."""
    parts = {name: part for name, part in result.items() if name not in {"methods", "provenance"}}
    texts = list(texts_in(parts))
    texts += [
        result_text(result, 10_000, show_all=True),
        result_markdown(result, show_all=True),
        result_latex(result, show_all=True),
        result_html(result, show_all=True),
    ]
    texts += texts_in(show_result(result, request))
    for figure in list_figures(result):
        texts += [figure.title, figure.caption, figure.alt]
    return [strip_designs(text, list_designs(result)) for text in texts]


def strip_designs(text: str, designs: Iterable[str]) -> str:
    for design in designs:
        text = text.replace(design, "")
    return text


@pytest.mark.parametrize("name", REQUESTS)
def test_exact_texts_of_scores_say_score(name: str, tmp_path: Path) -> None:
    request = {**request_of(name), "better": "higher"}
    result, _ = run_request(request, tmp_path)
    texts = written_texts(result, request)

    assert result["summary"]["better"] == "higher"
    assert any("score" in text for text in texts)
    for text in texts:
        assert not LOSS.findall(text), text


def test_exact_texts_of_losses_say_loss(tmp_path: Path) -> None:
    request = request_of("losses_weights_source")
    result, _ = run_request(request, tmp_path)

    assert sum(len(LOSS.findall(text)) for text in written_texts(result, request)) > 3
