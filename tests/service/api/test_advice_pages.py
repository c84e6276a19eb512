"""The page that says which scheme fits, read without a browser."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest
from fastapi.testclient import TestClient

from tests.service.api.test_pages import open_page
from thetahat_service.pages.advice_page import build_situation

SITUATION: dict[str, Any] = {
    "n": "400",
    "class_counts": "300, 100",
    "fit_seconds": "2.5",
    "budget_seconds": "600",
    "expected_error": "0.2",
    "margin": "0.05",
}
BODY: dict[str, Any] = {
    "n": 400,
    "class_counts": {"class 1": 300, "class 2": 100},
    "fit_seconds": 2.5,
    "budget_seconds": 600,
    "expected_error": 0.2,
    "margin": 0.05,
}


def path_of(situation: dict[str, Any]) -> str:
    return f"/advice?{urlencode(situation)}"


def test_exact_the_form_makes_the_request_for_advice() -> None:
    assert build_situation({name: [value] for name, value in SITUATION.items()}) == BODY


@pytest.mark.parametrize(
    ("sources", "sizes"),
    [("3", [4, 3, 3]), ("2, 8", [2, 8]), ("0", [0]), ("11", [11]), ("many", ["many"]), ("", None)],
)
def test_exact_one_number_of_sources_is_their_number(sources: str, sizes: Any) -> None:
    situation = build_situation({"n": ["10"], "source_sizes": [sources]})

    assert situation.get("source_sizes") == sizes


def test_exact_the_page_has_the_advice_of_the_http_interface(client: TestClient) -> None:
    advice = client.post("/v1/advice", json=BODY).json()

    page = open_page(client, path_of(SITUATION))

    assert advice["scheme"]["name"] in page.text
    for part in ("scheme", "interval", "test", "precision"):
        for reason in advice[part]["reasons"]:
            assert " ".join(reason["reason"].split()) in page.text
    for caution in advice["cautions"]:
        assert caution in page.text
    assert ("h2", "What precision to expect") in page.headings
    assert "/studies/test_errors" in page.links
    assert dict(page.form("/advice").fields)["n"] == "400"


def test_exact_the_question_leads_to_another_scheme(client: TestClient) -> None:
    texts = {
        question: open_page(
            client, path_of({"n": "400", "source_sizes": "8", "question": question})
        ).text
        for question in ("these_models", "new_source")
    }

    assert "Use holdout" in texts["these_models"]
    assert "Use leave-one-source-out cross-validation" in texts["new_source"]


def test_degenerate_the_page_without_a_situation_is_the_form(client: TestClient) -> None:
    page = open_page(client, "/advice")

    assert "Advice" in page.words
    assert ("h2", "Advice") not in page.headings
    assert page.form("/advice").method == "get"


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"n": "a few"}, "n", "a few"),
        ({"n": ""}, "n", "n"),
        ({"source_sizes": "10, 20"}, "source_sizes", "400"),
        ({"budget_seconds": "10", "fit_seconds": ""}, "budget_seconds", "fit_seconds"),
        ({"question": "all"}, "question", "these_models"),
    ],
)
def test_invalid_a_fault_is_shown_beside_its_field(
    changes: dict[str, str], field: str, words: str, client: TestClient
) -> None:
    page = open_page(client, path_of({**SITUATION, **changes}), status=422)

    assert f"#{field}-error" in page.links
    assert f"{field}-error" in page.ids
    assert words in page.text
    assert "There is no advice for this" in page.words


def test_exact_the_page_is_linked_from_every_page_and_from_the_new_evaluation(
    client: TestClient,
) -> None:
    assert "/advice" in open_page(client, "/").links
    assert open_page(client, "/evaluations/new").links.count("/advice") == 2
