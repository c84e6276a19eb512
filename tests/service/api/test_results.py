from __future__ import annotations

import gc
import io
from typing import Any

import orjson
import pyarrow.parquet as pq
import pytest
from pyarrow import csv as arrow_csv
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.requests import CSV, JSON_TYPE, PARQUET, matrix, nap
from tests.service.storage.databases import Setting
from thetahat_service.api.routes.results import DOWNLOADS
from thetahat_service.storage.owners import LOCAL_OWNER_ID


@pytest.fixture
def there(client: TestClient, worker: InlineWorker) -> str:
    """A finished evaluation of two models."""
    location: str = client.post("/v1/evaluations", json=matrix()).headers["location"]
    worker.work()
    return location


def flat(model: str) -> list[int]:
    return [loss for row in matrix()["losses"][model] for loss in row]


def losses(client: TestClient, there: str, accept: str | None) -> Any:
    headers = {} if accept is None else {"Accept": accept}
    return client.get(f"{there}/losses", headers=headers)


def test_exact_the_request_sent_again_gives_the_same_result(
    client: TestClient, worker: InlineWorker
) -> None:
    named = {**matrix(), "name": "two", "labels": {"team": "x"}, "level": 0.9}
    first = client.post("/v1/evaluations", json=named)
    request = client.get(first.json()["links"]["request"]).json()
    again = client.post("/v1/evaluations", json=request)
    worker.work()
    results = [client.get(response.json()["links"]["result"]).json() for response in (first, again)]

    assert request == {**named, "seed": first.json()["seed"]}
    assert again.json()["id"] != first.json()["id"]
    assert results[0] == results[1]


@pytest.mark.parametrize("accept", ["application/json", "*/*", "text/html, application/*;q=0.1"])
def test_exact_losses_as_json_are_what_was_sent(
    client: TestClient, there: str, accept: str
) -> None:
    answer = losses(client, there, accept)
    body = answer.json()

    assert answer.headers["content-type"] == "application/json"
    assert body["rows"] == 45
    assert body["columns"]["nb"] == flat("nb")
    assert body["columns"]["svm"] == flat("svm")
    assert len(set(map(str, body["columns"]["block"]))) == 5


def test_exact_losses_as_parquet_and_csv_are_the_same_table(client: TestClient, there: str) -> None:
    parquet = losses(client, there, f"application/json;q=0.5, {PARQUET}")
    text = losses(client, there, CSV)
    as_parquet = pq.read_table(io.BytesIO(parquet.content))
    as_csv = arrow_csv.read_csv(io.BytesIO(text.content))

    assert parquet.headers["content-type"] == PARQUET
    assert text.headers["content-type"].startswith(CSV)
    assert as_parquet.column("nb").to_pylist() == flat("nb")
    assert as_csv.to_pydict() == as_parquet.to_pydict()


@pytest.mark.parametrize("accept", ["image/png", "application/json;q=0", "x"])
def test_invalid_accept(client: TestClient, there: str, accept: str) -> None:
    answer = losses(client, there, accept)

    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")


def test_exact_losses_wait_for_the_end(client: TestClient) -> None:
    location = client.post("/v1/evaluations", json=matrix()).headers["location"]
    answer = losses(client, location, None)

    assert (answer.status_code, answer.json()["code"]) == (409, "result_not_ready")


def test_degenerate_a_kind_without_losses_has_none(
    client: TestClient, worker: InlineWorker
) -> None:
    location = client.post("/v1/evaluations", json=nap()).headers["location"]
    worker.work()

    assert losses(client, location, None).status_code == 404


def read_events(client: TestClient, there: str, last: str | None = None) -> list[dict[str, str]]:
    headers = {} if last is None else {"Last-Event-ID": last}
    answer = client.get(f"{there}/events", headers=headers)
    assert answer.headers["content-type"].startswith("text/event-stream")
    blocks = [block for block in answer.text.split("\n\n") if "data:" in block]
    return [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks]


def test_exact_events_are_replayed_from_the_last_one_seen(client: TestClient, there: str) -> None:
    events = read_events(client, there)

    assert [event["event"] for event in events] == ["queued", "started", "succeeded"]
    numbers = [int(event["id"]) for event in events]
    assert numbers == sorted(set(numbers))
    assert read_events(client, there, events[0]["id"]) == events[1:]


def test_exact_events_end_for_a_client_that_saw_the_last(client: TestClient, there: str) -> None:
    last = read_events(client, there)[-1]["id"]

    assert client.get(f"{there}/events", headers={"Last-Event-ID": last}).status_code == 204


@pytest.mark.parametrize("last", ["x", "-1", "9" * 40, "²", ""])
def test_invalid_last_event_ids_never_break(client: TestClient, there: str, last: str) -> None:
    answer = client.get(f"{there}/events", headers={b"Last-Event-ID": last.encode()})

    assert answer.status_code in {200, 204}


@pytest.mark.parametrize("accept", ["application/json", CSV, PARQUET])
def test_exact_an_owner_downloads_so_many_losses_at_a_time(
    client: TestClient, there: str, setting: Setting, accept: str
) -> None:
    setting(max_downloads=1)
    with DOWNLOADS.count(LOCAL_OWNER_ID, 1):
        refused = losses(client, there, accept)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "2")
    assert refused.json()["code"] == "too_many_requests"
    for _ in range(2):  # each has ended its count
        assert losses(client, there, accept).status_code == 200
        assert client.head(f"{there}/losses", headers={"Accept": accept}).status_code == 200


@pytest.mark.parametrize(
    ("path", "field"), [("/v1/evaluations", "losses"), ("/v1/webhooks", "url")]
)
def test_exact_no_search_for_garbage_holds_others_while_a_large_body_is_checked(
    client: TestClient, path: str, field: str
) -> None:
    """200 000 lists: before, 30 searches of all generations looked at each of them."""
    searches = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and info["generation"] > 0:
            searches.append(info["generation"])

    lists = [[0]] * 100_000
    body = orjson.dumps({"kind": "losses", "blocks": "random", field: {"a": lists, "b": lists}})
    gc.collect()
    gc.callbacks.append(note)
    try:
        answer = client.post(path, content=body, headers=JSON_TYPE)
    finally:
        gc.callbacks.remove(note)
    assert answer.status_code == (202 if field == "losses" else 422)
    assert len(searches) <= 3
    assert gc.isenabled()
