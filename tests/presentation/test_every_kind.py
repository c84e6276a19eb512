"""Every kind has a presentation of its own, a question and a name."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from tests.presentation.reading import outcome_of
from thetahat_presentation.document import Document
from thetahat_presentation.showing import (
    KINDS,
    ask,
    find_presentation,
    name_evaluation,
    name_kind,
    show,
)
from thetahat_service.kinds.examples import REQUEST, RESULT, WITH_DATASET, read_examples
from thetahat_service.kinds.registry import JOB_KINDS

REQUESTS = read_examples(REQUEST) | read_examples(WITH_DATASET)
RESULTS = read_examples(RESULT)
NEEDED = frozenset({"kind", "models", "curves", "internal", "chosen", "bias", "weights", "risks"})
NEEDED |= {"tables", "statistic", "n", "n_resamples", "estimate", "standard_error", "summary"}
"""Fields that results have had from the first release on."""


def test_exact_every_kind_has_a_presentation_and_no_file_is_left_over() -> None:
    assert set(KINDS) == set(JOB_KINDS)
    assert set(RESULTS) == set(JOB_KINDS)


@pytest.mark.parametrize("kind", JOB_KINDS)
def test_exact_every_kind_has_a_title_a_question_and_a_table(kind: str) -> None:
    presentation = find_presentation(kind)
    document = show(RESULTS[kind], REQUESTS[kind])

    assert presentation is not None
    assert presentation.name == kind
    assert name_kind(kind) == presentation.title
    assert ask(kind, RESULTS[kind], REQUESTS[kind])[0].endswith("?")
    assert document.sections[0].tables[0].rows


@pytest.mark.parametrize("kind", JOB_KINDS)
def test_property_every_sentence_ends_and_every_row_fits_its_headings(kind: str) -> None:
    document = show(RESULTS[kind], REQUESTS[kind])
    first = document.headline.split()[0]

    assert first[0].isupper() or first in RESULTS[kind].get("models", {})
    assert " 1 repetitions" not in document.headline
    assert all(sentence.endswith(".") for sentence in sentences_of(document))
    for section in document.sections:
        assert section.title
        for table in (*section.tables, *section.more):
            assert table.caption
            assert {len(row) for row in table.rows} == {len(table.columns)}


def sentences_of(document: Document) -> Iterator[str]:
    yield from outcome_of(document)
    yield from (note for section in document.sections for t in section.tables for note in t.notes)


@pytest.mark.parametrize("kind", JOB_KINDS)
def test_degenerate_results_of_older_releases_lack_fields(kind: str) -> None:
    for field in set(RESULTS[kind]) - NEEDED:
        older = {name: value for name, value in RESULTS[kind].items() if name != field}
        document = show(older)
        assert document.headline.endswith("."), field
        assert document.sections[0].tables[0].rows, field


def test_degenerate_a_result_without_a_summary_has_its_tables() -> None:
    older: dict[str, Any] = copy.deepcopy(RESULTS["cross_validation"])
    del older["summary"]

    document = show(older)

    assert document.headline == ""
    assert [section.name for section in document.sections][:2] == ["models", "pairs"]


def test_exact_a_result_of_an_unknown_kind_shows_its_models_or_its_numbers() -> None:
    numbers = show({"kind": "new", "parts": {"size": 2.5, "on": True}, "provenance": {"seed": 1}})
    models = show({**RESULTS["losses"], "kind": "newer"})

    assert [list(map(str, row)) for row in numbers.sections[0].tables[0].rows] == [
        ["Name(text='parts.size')", "Number(value=2.5, standard_error=None, shows_error=False)"]
    ]
    assert models.headline == show(RESULTS["losses"]).headline
    assert name_kind("some_new_kind") == "Some new kind"


def test_exact_an_evaluation_without_a_name_has_its_models_or_the_start_of_its_id() -> None:
    summary = {"models": [{"name": each} for each in "cabde"]}

    assert name_evaluation("mine", "losses", "7d9a11112222", summary) == "mine"
    assert name_evaluation(None, "losses", "7d9a11112222", summary) == (
        "Losses of c, a, b and 2 others"
    )
    first = {"models": [{"name": f"m{i}"} for i in range(20)], "n_models": 30}
    assert name_evaluation(None, "losses", "7d9a11112222", first).endswith("m2 and 27 others")
    assert name_evaluation("", "bootstrap", "7d9a11112222", None) == "Bootstrap 7d9a1111"
    chosen = {"models": [{"name": "selected"}]}
    assert name_evaluation(None, "selection", "7d9a11112222", chosen) == "Selection 7d9a1111"
    assert ask("new", {}, {}) == []
