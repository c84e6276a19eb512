"""The number of a comparison on its test set, and the page of a Ladder."""

from __future__ import annotations

from typing import Any

from tests.presentation.test_every_kind import RESULTS
from thetahat.cautions import TEST_SET_USED_OFTEN
from thetahat.values.json_values import to_json
from thetahat_presentation.document import Name, Number
from thetahat_presentation.parts.test_sets import describe_test_set
from thetahat_presentation.showing import show


def count(n: int, known_by: str = "content", **fields: Any) -> dict[str, Any]:
    return {"provenance": {"test_set": {"comparisons": n, "known_by": known_by}}, **fields}


def test_exact_the_number_is_said_from_the_second_comparison_on() -> None:
    assert describe_test_set({}) == describe_test_set({"provenance": {}}) == []
    assert describe_test_set(count(1)) == []
    assert describe_test_set(count(2)) == [
        "This is comparison 2 on this test set, known by its content."
    ]
    assert describe_test_set(count(1200, "instances")) == [
        "This is comparison 1200 on this test set, known by the names of its instances."
    ]
    assert describe_test_set(count(3, "a later way")) == ["This is comparison 3 on this test set."]


def test_exact_the_caution_takes_its_place() -> None:
    caution = to_json(TEST_SET_USED_OFTEN(n=41))
    lines = describe_test_set(count(41, cautions=[caution]))

    assert lines == [caution["message"]]
    assert lines[0].startswith("This is comparison 41 on this test set. Where what to try next")


def test_exact_findings_and_sentences_have_it() -> None:
    for kind in ("losses", "predictions", "cross_validation", "learning_curve", "selection"):
        result = RESULTS[kind]
        provenance = {**result["provenance"], **count(7)["provenance"]}
        document = show({**result, "provenance": provenance})
        line = "This is comparison 7 on this test set, known by its content."
        assert document.findings is not None
        assert document.findings.sentences.count(line) == 1, kind
        assert list(document.sentences).count(line) == 1, kind


def test_exact_a_ladder_shows_the_published_score() -> None:
    document = show(RESULTS["ladder"])
    (table,) = document.sections[0].tables

    assert document.headline == (
        "The published score is 0.25 (zero-one), which this submission changed."
    )
    assert table.caption == "The Ladder after the submission of new"
    assert [list(row) for row in table.rows] == [
        ["Published score", Number(0.25)],
        ["Submissions", "1"],
        ["Target", Name("answer")],
        ["Rows", Number(8)],
        ["Loss", "zero-one"],
        ["Step", "one standard error"],
    ]
    assert "shown to nobody" in table.notes[0]
