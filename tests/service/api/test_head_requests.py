"""HEAD has the status and the headers of GET, and no body."""

from __future__ import annotations

import http.client
from typing import Any
from urllib.parse import urlsplit

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.requests import CSV, CSV_TEXT, matrix, nap
from tests.service.api.test_contract import served
from thetahat_service.api import loss_responses

pytestmark = pytest.mark.usefixtures("one_image")

DIFFER = frozenset({"x-request-id", "ratelimit", "date", "set-cookie"})
"""Headers that differ between two requests; a form's cookie is set once."""


def headers_of(answer: Any) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name not in DIFFER}


@pytest.fixture
def ids(client: TestClient, worker: InlineWorker) -> dict[str, str]:
    """Ids for the paths of the API: everything is there and finished."""
    evaluation = client.post("/v1/evaluations", json=matrix()).json()["id"]
    worker.work()
    dataset = client.post("/v1/datasets", content=CSV_TEXT, headers={"Content-Type": CSV})
    figure = client.get(f"/v1/evaluations/{evaluation}/figures").json()["items"][0]["links"]["json"]
    return {
        "evaluation_id": evaluation,
        "dataset_id": dataset.json()["id"],
        "file_name": figure.rsplit("/", 1)[-1],
    }


def test_property_every_path_with_get_answers_head(
    application: FastAPI, client: TestClient, ids: dict[str, str]
) -> None:
    paths = [path for path, _, methods in application.state.methods if "GET" in methods]
    assert len(paths) > 30
    paths.remove("/metrics")  # counts the requests, so its length changes
    assert client.head("/metrics").status_code == 200
    answered = set()
    for path in paths:
        url = path
        for name, identifier in ids.items():
            url = url.replace(f"{{{name}}}", identifier)
        get, head = client.get(url), client.head(url)
        assert head.status_code == get.status_code, path
        assert headers_of(head) == headers_of(get), path
        assert head.content == b"", path
        if get.status_code == 200:
            answered.add(path)
    assert {
        "/healthz",
        "/v1/evaluations",
        "/v1/evaluations/{evaluation_id}",
        "/v1/evaluations/{evaluation_id}/result",
        "/v1/evaluations/{evaluation_id}/losses",
        "/v1/evaluations/{evaluation_id}/events",
        "/v1/evaluations/{evaluation_id}/report.html",
        "/v1/datasets/{dataset_id}/preview",
        "/v1/datasets/{dataset_id}/understood",
    } <= answered


def test_exact_a_download_has_its_length_and_its_tag(
    client: TestClient, ids: dict[str, str]
) -> None:
    path = f"/v1/evaluations/{ids['evaluation_id']}"
    parquet = {"Accept": loss_responses.PARQUET}
    body = client.get(f"{path}/losses", headers=parquet)
    head = client.head(f"{path}/losses", headers=parquet)
    assert head.headers["content-length"] == str(len(body.content))
    assert head.headers["etag"] == body.headers["etag"]
    result = client.head(f"{path}/result")
    length = len(client.get(f"{path}/result", headers={"Accept-Encoding": "identity"}).content)
    uncompressed = client.head(f"{path}/result", headers={"Accept-Encoding": "identity"})
    assert uncompressed.headers["content-length"] == str(length)
    assert result.status_code == 200
    tag = client.head(path).headers["etag"]
    assert client.head(path, headers={"If-None-Match": tag}).status_code == 304


def test_invalid_head_of_paths_without_get(client: TestClient, ids: dict[str, str]) -> None:
    answer = client.head(f"/v1/evaluations/{ids['evaluation_id']}/cancel")
    assert (answer.status_code, answer.content) == (405, b"")
    assert answer.headers["allow"] == "POST"
    assert client.head("/nothing").status_code == 404
    answer = client.head("/v1/evaluations/00000000-0000-4000-8000-000000000000")
    assert (answer.status_code, answer.content) == (404, b"")


def test_invalid_head_without_a_key_reads_nothing(application: FastAPI) -> None:
    stranger = TestClient(application, client=("192.0.2.9", 50_000), raise_server_exceptions=False)
    answer = stranger.head("/v1/evaluations")
    assert (answer.status_code, answer.content) == (401, b"")


def test_property_over_a_connection_that_goes_on(
    application: FastAPI,
    client: TestClient,
    ids: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No byte of a body disturbs the next answer, and streams without end are not waited for."""
    unfinished = client.post("/v1/evaluations", json=nap()).json()["id"]
    monkeypatch.setattr(loss_responses, "BATCH_ROWS", 7)  # several pieces
    path = f"/v1/evaluations/{ids['evaluation_id']}"
    with served(application) as url:
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
        for wanted in (
            f"/v1/evaluations/{unfinished}/events",
            f"{path}/losses",
            f"{path}/report.html",
            "/nothing",
            "/readyz",
        ):
            connection.request("HEAD", wanted)
            answer = connection.getresponse()
            assert answer.read() == b""
            assert answer.status in {200, 404, 503}, wanted
            connection.request("GET", "/healthz")
            assert connection.getresponse().read() != b"", wanted
        connection.close()
