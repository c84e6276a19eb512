"""A series as a document."""

from __future__ import annotations

from typing import Any

from thetahat_presentation.renderers.text import Page
from thetahat_presentation.series import ask_series, show_series

SERIES: dict[str, Any] = {
    "models": ["n\u202eew", "old"],
    "better": "lower",
    "reference": None,
    "margin": 0.02,
    "level": 0.95,
    "method": {"name": "asymptotic", "params": {"start": 100, "narrowest_at": 500}},
    "stop": ["equivalent", "better", "worse"],
    "unit": "row",
    "batches": 12,
    "sentence": "Nothing is decided.",
    "plan": {"sentence": "3 more batches."},
}
LOOK: dict[str, Any] = {
    "number": 12,
    "rows": 1200,
    "n": 1200,
    "estimate": -0.012345,
    "standard_deviation": 0.5,
    "lower": -0.0512,
    "upper": 0.0264,
    "p_value": 0.25,
    "holds": [],
    "reason": "",
}


def test_exact_the_findings_have_verdict_table_plan_and_scope() -> None:
    early = {**LOOK, "number": 11, "lower": None, "upper": None, "p_value": None, "reason": "few"}
    text = Page().write(show_series(SERIES, [LOOK, early]))

    assert text.startswith("Nothing is decided.\n\n")
    for part in (
        "95 % interval, all looks",
        "12 1200 -0.012 -0.051 to 0.026",
        "undecided",
        "no interval",
        "10 earlier looks are not listed.",
        "3 more batches.",
        "The intervals hold for all looks together",
    ):
        assert part in " ".join(text.split()), text


def test_exact_hidden_characters_are_shown() -> None:
    document = show_series({**SERIES, "sentence": "n\u202eew"}, [])

    assert document.headline == "n\\u202eew"
    assert document.sections[0].sentences == ["There is no batch yet."]
    assert ask_series(SERIES)[0] == "Is n\\u202eew better than old?"


def test_exact_one_model_and_its_reference() -> None:
    series = {**SERIES, "models": ["new"], "reference": 0.1, "margin": None, "better": "higher"}
    rows = show_series(series, []).sections[1].tables[0].rows

    assert ask_series(series) == ["Is the mean of new above 0.1?"]
    assert [row[0] for row in rows][:2] == ["Models", "Reference"]
