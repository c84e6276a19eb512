from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from tests.servers.receiver import Receiver, Reply, run_receiver
from tests.service.api.requests import CSV, CSV_TEXT, FILES, PARQUET
from tests.service.storage.databases import Setting
from thetahat_service.process.request_context import Scope
from thetahat_service.storage import api_keys
from thetahat_service.storage.tables import AUDIT_ENTRY
from thetahat_service.storage.unit_of_work import reading, unit_of_work


@pytest.fixture
def source(setting: Setting) -> Iterator[Receiver]:
    """A host from which data sets may be imported."""
    with run_receiver() as source:
        hosts = f"http://127.0.0.1:{source.port}, http://localhost:{source.port}, 127.0.0.0/8"
        setting(import_hosts=f"{hosts}, ::1/128", import_timeout_s=10)
        yield source


def send(client: TestClient, source: Receiver, path: str = "/a/exam.csv", **fields: Any) -> Any:
    url = f"http://127.0.0.1:{source.port}{path}"
    return client.post("/v1/datasets/import", json={"url": url, **fields})


def reply(
    body: bytes, content_type: str = "", status: int = 200, encoding: str = "identity"
) -> Reply:
    return Reply(status, {"Content-Type": content_type, "Content-Encoding": encoding}, body)


def test_exact_an_imported_file_is_the_data_set_of_an_upload(
    client: TestClient, source: Receiver
) -> None:
    source.replies.append(reply(CSV_TEXT, "text/csv; charset=utf-8"))
    imported = send(client, source)
    uploaded = client.post("/v1/datasets", content=CSV_TEXT, headers={"Content-Type": CSV})
    with reading() as connection:
        actions = list(connection.scalars(sa.select(AUDIT_ENTRY.c.action)))

    assert imported.status_code == 201
    assert uploaded.status_code == 200
    assert imported.json()["id"] == uploaded.json()["id"]
    assert (imported.json()["name"], imported.json()["rows"]) == ("exam.csv", 3)
    assert imported.headers["location"] == f"/v1/datasets/{imported.json()['id']}"
    assert actions == ["dataset.upload", "dataset.import"]
    assert source.received[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    ("path", "content_type", "fields", "media_type"),
    [
        ("/exam.parquet", "application/octet-stream", {}, PARQUET),
        ("/exam.parquet?sig=1", "text/plain", {}, PARQUET),
        ("/download", "application/x-parquet", {}, PARQUET),
        ("/download", "text/html", {"media_type": PARQUET, "name": "mine"}, PARQUET),
    ],
)
def test_exact_the_type_is_that_of_the_request_the_answer_or_the_ending(
    client: TestClient,
    source: Receiver,
    path: str,
    content_type: str,
    fields: dict[str, str],
    media_type: str,
) -> None:
    source.replies.append(reply(FILES[PARQUET], content_type))
    body = send(client, source, path, **fields).json()

    assert body["media_type"] == media_type
    assert body["name"] == fields.get("name", path.partition("?")[0].rpartition("/")[2])


def test_invalid_no_host_is_allowed_by_default(client: TestClient) -> None:
    with run_receiver() as source:
        answer = send(client, source)

        assert answer.status_code == 422
        assert "THETAHAT_IMPORT_HOSTS" in answer.json()["detail"]
        assert answer.json()["errors"][0]["loc"] == ["url"]
        assert source.received == []


def test_invalid_a_listed_host_with_a_private_address(client: TestClient, setting: Setting) -> None:
    with run_receiver() as source:
        setting(import_hosts=f"http://127.0.0.1:{source.port}")
        answer = send(client, source)

        assert answer.status_code == 422
        assert "not public" in answer.json()["detail"]
        assert source.received == []


def test_invalid_hosts_that_are_not_listed(client: TestClient, source: Receiver) -> None:
    for url in (
        "https://example.com/a.csv",
        f"https://127.0.0.1:{source.port}/a.csv",
        f"http://127.0.0.2:{source.port}/a.csv",
        "file:///etc/passwd",
    ):
        answer = client.post("/v1/datasets/import", json={"url": url})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    assert source.received == []


def test_invalid_a_redirect_is_not_followed(client: TestClient, source: Receiver) -> None:
    with run_receiver() as other:
        source.replies.append(Reply(302, {"Location": f"http://127.0.0.1:{other.port}/a.csv"}))
        answer = send(client, source)

        assert (answer.status_code, answer.json()["code"]) == (502, "source_failed")
        assert "redirects" in answer.json()["detail"]
        assert other.received == []


@pytest.mark.parametrize(
    ("answer_of_source", "status", "words"),
    [
        (reply(b"", status=404), 502, "status 404"),
        (reply(b"x", "text/csv", status=206), 502, "status 206"),
        (reply(CSV_TEXT, "text/csv", encoding="gzip"), 502, "Content-Encoding"),
        (reply(b"", "text/csv"), 422, "empty"),
        (reply(b"PAR1 broken", PARQUET), 422, ""),
    ],
)
def test_invalid_answers(
    client: TestClient, source: Receiver, answer_of_source: Reply, status: int, words: str
) -> None:
    source.replies.append(answer_of_source)
    answer = send(client, source)

    assert answer.status_code == status
    assert words in answer.json()["detail"]
    assert client.get("/v1/datasets").json()["items"] == []


def test_invalid_a_file_of_no_known_type(client: TestClient, source: Receiver) -> None:
    source.replies.append(reply(b"<html>", "text/html"))

    assert send(client, source, "/page").status_code == 415


def test_invalid_too_large(client: TestClient, source: Receiver, setting: Setting) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(200):
            yield b"x\n" * 50_000

    setting(max_upload_bytes=1_000_000)
    source.replies += [reply(b"x" * 1_000_001, "text/csv"), Reply(200, body=endless)]

    assert send(client, source).status_code == 413
    assert send(client, source).status_code == 413


def test_invalid_too_slow(client: TestClient, source: Receiver, setting: Setting) -> None:
    has_ended = threading.Event()

    def trickle() -> Iterator[bytes]:
        while not has_ended.wait(0.02):
            yield b"1\n"

    setting(import_timeout_s=0.3)
    source.replies.append(Reply(200, body=trickle))
    answer = send(client, source)
    has_ended.set()

    assert (answer.status_code, answer.json()["code"]) == (502, "source_failed")
    assert "THETAHAT_IMPORT_TIMEOUT_S" in answer.json()["detail"]


def test_invalid_a_key_that_may_only_read(client: TestClient, source: Receiver) -> None:
    with unit_of_work() as connection:
        key = api_keys.create(connection, "test", "ann", scope=Scope.READ)
    answer = client.post(
        "/v1/datasets/import",
        json={"url": f"http://127.0.0.1:{source.port}/a.csv"},
        headers={"Authorization": f"Bearer {key}"},
    )

    assert answer.status_code == 403
    assert source.received == []
