from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel
from sqlalchemy.exc import OperationalError
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.requests import CSV, CSV_TEXT, matrix
from tests.worker.sleeping_kind import KIND
from thetahat.references import REFERENCES
from thetahat.refit_estimators import EVERY_VARIANCE
from thetahat_service.api.catalogue import FAMILIES
from thetahat_service.jobs import read
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.schemas.dataset import (
    DatasetPage,
    DatasetPreview,
    DatasetRead,
    DatasetUnderstanding,
)
from thetahat_service.schemas.evaluation import EvaluationPage, EvaluationRead
from thetahat_service.schemas.methods import MethodFamily, MethodIndex
from thetahat_service.schemas.problem import ProblemDocument

OF_A_METHOD = {
    *("name", "title", "summary", "formula", "references", "assumptions", "errs", "needs"),
    *("blocks", "targets", "mean", "parameters"),
}


def test_exact_it_is_alive_before_it_is_ready(client: TestClient) -> None:
    alive, ready = client.get("/healthz"), client.get("/readyz")

    assert (alive.status_code, alive.json()["status"]) == (200, "ok")
    assert ready.status_code == 503
    assert {"broker", "workers"} <= set(ready.json()["missing"])
    assert "database" not in ready.json()["missing"]


def test_exact_a_database_that_is_away_is_503(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_args: Any) -> None:
        raise OperationalError("SELECT 1", {}, Exception("a secret of the network"))

    monkeypatch.setattr(read, "list_evaluations", away)
    answer = client.get("/v1/evaluations")

    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert "retry-after" in answer.headers
    assert "secret" not in answer.text


def test_exact_a_fault_of_the_service_is_500_without_its_trace(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_args: Any) -> None:
        raise ZeroDivisionError("a secret of the code")

    monkeypatch.setattr(read, "list_evaluations", broken)
    answer = client.get("/v1/evaluations")

    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["request_id"] == answer.headers["x-request-id"]
    assert "secret" not in answer.text
    assert "ZeroDivision" not in answer.text


def test_exact_a_request_keeps_its_id_where_that_is_harmless(client: TestClient) -> None:
    response = client.get("/nope", headers={"X-Request-ID": "abc-1.2_3"})
    odd = client.get("/nope", headers={"X-Request-ID": "a b\tc"})
    first, second = (client.get("/healthz").headers["x-request-id"] for _ in range(2))

    assert response.headers["x-request-id"] == response.json()["request_id"] == "abc-1.2_3"
    assert odd.headers["x-request-id"] != "a b\tc"
    assert first != second


def test_exact_the_landing_page_is_for_people_and_programs(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(JOB_KINDS, KIND.name)  # the tests' own kind has no result for a document
    links = client.get("/").json()["links"]
    page = client.get("/", headers={"Accept": "text/html,*/*;q=0.8"})

    assert page.headers["content-type"].startswith("text/html")
    assert "<h1>Evaluations</h1>" in page.text
    assert 'href="/docs"' in page.text
    for link in links.values():
        assert client.get(link).status_code in {200, 503}


@pytest.mark.parametrize("name", FAMILIES)
def test_exact_every_family_is_described(client: TestClient, name: str) -> None:
    body = client.get(f"/v1/methods/{name}").json()

    assert body["family"] == name
    for item in body["items"]:
        assert item["title"]
        assert item["parameters"].get("type", "object") == "object"
        if "references" in item:
            assert set(item) >= OF_A_METHOD
            assert all(r["text"] == REFERENCES[r["key"]] for r in item["references"])


def test_exact_the_catalogue_is_the_registry(client: TestClient) -> None:
    items = client.get("/v1/methods/variances").json()["items"]
    families = client.get("/v1/methods").json()["families"]

    assert [item["name"] for item in items] == list(EVERY_VARIANCE)
    assert [family["name"] for family in families] == list(FAMILIES)
    assert client.get("/v1/methods").json()["recommendation"]


def test_invalid_an_unknown_family_lists_the_families(client: TestClient) -> None:
    answer = client.get("/v1/methods/variance")

    assert answer.status_code == 404
    assert all(name in answer.json()["detail"] for name in FAMILIES)


def check_fields(model: type[BaseModel], body: dict[str, Any]) -> None:
    model.model_validate(body, extra="forbid")
    assert set(body) == set(model.model_fields)


def test_exact_answers_are_what_the_document_says(client: TestClient, worker: InlineWorker) -> None:
    dataset = client.post("/v1/datasets", content=CSV_TEXT, headers={"Content-Type": CSV}).json()
    evaluation = client.post("/v1/evaluations", json=matrix()).json()
    worker.work()

    check_fields(DatasetRead, dataset)
    check_fields(DatasetPage, client.get("/v1/datasets").json())
    check_fields(DatasetPreview, client.get(dataset["links"]["preview"]).json())
    check_fields(DatasetUnderstanding, client.get(dataset["links"]["understood"]).json())
    check_fields(EvaluationRead, evaluation)
    check_fields(EvaluationRead, client.get(evaluation["links"]["self"]).json())
    check_fields(EvaluationPage, client.get("/v1/evaluations").json())
    check_fields(MethodIndex, client.get("/v1/methods").json())
    check_fields(MethodFamily, client.get("/v1/methods/losses").json())
    check_fields(ProblemDocument, client.get("/nope").json())


def test_exact_allow_lists_the_methods_of_the_path_alone(client: TestClient) -> None:
    """The path of batches looks like that of an evaluation, which has other methods."""
    assert client.request("OPTIONS", "/v1/evaluations/batch").headers["allow"] == "POST"
    assert client.put("/v1/evaluations").headers["allow"] == "GET, HEAD, POST"
