"""Every question works in every way that data come in, or is refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture.sources import ROOT
from tests.service.surfaces.ways_in import QUESTIONS, WAYS, Question, Way, write_table
from thetahat.errors import EvaluationError
from thetahat_presentation.renderers.text import Page
from thetahat_presentation.showing import show

PAGE = "docs/http/losses-and-predictions.md"
CELLS = [
    pytest.param(question, way, name, id=f"{question.name}, {name}")
    for question in QUESTIONS
    for name, way in zip(WAYS, question.ways, strict=True)
    if way.run is not None
]


@pytest.mark.parametrize(("question", "way", "name"), CELLS)
def test_exact_a_small_input_is_answered_or_refused(
    question: Question, way: Way, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("THETAHAT_URL", raising=False)
    assert way.run is not None
    if way.refused is not None:
        with pytest.raises(EvaluationError, match=way.refused):
            way.run(tmp_path)
        return
    result = way.run(tmp_path)
    if name == "gate":
        outcome = result.get("gate", result)["outcome"]
        assert outcome in {"pass", "fail", "undecided"}
    else:
        assert (way.is_answered or question.is_answered)(result)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_exact_the_page_of_a_result_has_the_answer(question: Question, tmp_path: Path) -> None:
    way = question.ways[0]
    assert way.run is not None

    assert question.shown in Page().write(show(way.run(tmp_path)), show_all=True)


def test_exact_the_documentation_has_this_table() -> None:
    assert write_table() in (ROOT / PAGE).read_text()
