"""A protocol as a document, and its sentence in results and series."""

from __future__ import annotations

from typing import Any

from tests.presentation.test_series import LOOK, SERIES
from thetahat_presentation.document import Document, Findings
from thetahat_presentation.protocol import show_protocol, tabulate_fixed
from thetahat_presentation.renderers.markdown import MarkdownPage
from thetahat_presentation.renderers.text import Page
from thetahat_presentation.series import show_series
from thetahat_presentation.showing import tell_plan

PROTOCOL: dict[str, Any] = {
    "name": "release",
    "description": "n\u202eew is released",
    "sentence": "Margin 0.02 fixed on 2026-11-27.",
    "fixed": {
        "require": "not_worse",
        "new": "n\u202eew",
        "margin": 0.02,
        "clusters": True,
        "scheme": {"name": "k_fold", "params": {"n_folds": 10}},
        "series": {"stop": ["better", "worse"], "reference": 0.5},
    },
}


def test_exact_the_table_has_each_field_in_words() -> None:
    text = " ".join(Page().write(show_protocol(PROTOCOL)).split())

    assert text.startswith("Margin 0.02 fixed on 2026-11-27.")
    for part in (
        "New model n\\u202eew",
        "Margin 0.02",
        "Clusters yes",
        "Requirement not worse",
        "Scheme K-fold (folds 10)",
        "Stop of a series better, worse",
        "Reference of a series 0.5",
        "n\\u202eew is released",
        "data that were looked at elsewhere",
    ):
        assert part in text
    assert len(tabulate_fixed(PROTOCOL).rows) == 7


def test_exact_the_sentence_of_a_plan_is_in_findings_and_in_everything() -> None:
    document = Document(
        headline="a is better.",
        findings=Findings(verdict="a is better.", sentences=["A test."]),
        sentences=["A test."],
        n_first=1,
    )
    planned = tell_plan(document, {"sentence": "Not as planned: margin 0.1."})

    for show_all in (False, True):
        for page in (Page(), MarkdownPage()):
            assert page.write(planned, show_all=show_all).count("Not as planned: margin") == 1
    assert planned.first_sentences == ["Not as planned: margin 0.1.", "A test."]
    assert planned.rest.sentences == []
    assert tell_plan(document, None) is document


def test_exact_a_series_has_the_sentence() -> None:
    series = {**SERIES, "protocol": {"sentence": "As planned."}}

    assert show_series(series, [LOOK]).sentences == ["As planned.", "3 more batches."]
