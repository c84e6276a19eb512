"""A Ladder as a document: each published score and each fixed value in its cell."""

from __future__ import annotations

from typing import Any

from tests.presentation.reading import texts_of
from thetahat_presentation.ladder import show_ladder

LADDER = {
    "sentence": "The published score is 0.25.",
    "dataset": "7d9a",
    "target": "y",
    "n": 400,
    "loss": {"name": "zero_one"},
    "step": 0.01,
}
SCORES: list[dict[str, Any]] = [
    {"submission": 7, "model": "forest", "score": 0.25, "at": "2026-11-27T06:05:04Z"},
    {"submission": 1, "model": None, "score": 0.5, "at": "2026-11-26T23:59:59Z"},
]


def test_exact_the_tables_of_a_ladder() -> None:
    document = show_ladder(LADDER, SCORES, has_more=True)
    scores, fixed = (section.tables[0] for section in document.sections)

    assert texts_of(scores) == [
        ["7", "forest", "0.25", "2026-11-27 06:05 UTC"],
        ["1", "not kept", "0.5", "2026-11-26 23:59 UTC"],
    ]
    assert scores.notes == ["Earlier scores are not listed."]
    assert texts_of(fixed) == [
        ["Data set", "7d9a"],
        ["Target", "y"],
        ["Rows", "400"],
        ["Loss", "zero-one"],
        ["Step", "0.01"],
    ]
