from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.requests import matrix, nap
from tests.service.storage.databases import Setting
from thetahat_service.storage import unit_queue
from thetahat_service.storage.unit_of_work import reading

FIELDS = {
    "id",
    "kind",
    "name",
    "status",
    "created_at",
    "started_at",
    "finished_at",
    "progress",
    "error",
    "links",
}


def submit(client: TestClient, request: Any = None, **headers: str) -> Any:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post("/v1/evaluations", json=request or matrix(), headers=named)


def test_exact_a_submission_is_answered_by_the_contract(client: TestClient, sent: Any) -> None:
    answer = submit(client, {**matrix(), "name": "mine", "labels": {"team": "a"}, "seed": 7})
    body = answer.json()

    assert answer.status_code == 202
    assert answer.headers["location"] == f"/v1/evaluations/{body['id']}" == body["links"]["self"]
    assert int(answer.headers["retry-after"]) >= 1
    assert set(body) >= FIELDS
    assert body["progress"] == {"done": 0, "total": None, "unit": "evaluation"}
    assert (body["status"], body["seed"], body["labels"]) == ("queued", 7, {"team": "a"})
    assert body["created_at"].endswith("Z")
    assert body["started_at"] is body["finished_at"] is body["error"] is None
    assert set(body["links"]) == {
        *("self", "request", "result", "losses", "figures", "cancel", "events"),
        *("report", "report_pdf", "bundle", "notebook", "sign_offs"),
    }
    assert sent == [(UUID(body["id"]), 0)]


def test_exact_what_was_sent_is_computed_and_read(client: TestClient, worker: InlineWorker) -> None:
    there = submit(client).headers["location"]
    early = client.get(f"{there}/result")
    worker.work()
    body = client.get(there).json()
    result = client.get(f"{there}/result").json()

    assert (early.status_code, early.json()["code"]) == (409, "result_not_ready")
    assert int(early.headers["retry-after"]) >= 1
    assert body["status"] == "succeeded"
    assert body["finished_at"] >= body["started_at"] >= body["created_at"]
    assert set(result["models"]) == {"nb", "svm"}
    assert [(c["a"], c["b"]) for c in result["comparisons"]] == [("nb", "svm")]
    assert result["provenance"]["seed"] == body["seed"]


def test_exact_preferring_to_wait_brings_the_result(
    client: TestClient, worker: InlineWorker
) -> None:
    answers: list[Any] = []

    def ask() -> None:
        answers.append(submit(client, Prefer="wait=30"))

    asking = threading.Thread(target=ask)
    asking.start()
    while not answers and asking.is_alive():
        worker.work()
        time.sleep(0.01)
    asking.join()

    assert answers[0].status_code == 200
    assert answers[0].headers["preference-applied"] == "wait=30"
    body = answers[0].json()
    assert body["status"] == "succeeded"
    assert body["result"] == client.get(body["links"]["result"]).json()


def test_exact_waiting_in_vain_is_202(client: TestClient, setting: Setting) -> None:
    setting(max_wait_s=0.05)
    answer = submit(client, Prefer="respond-async, wait=600")

    assert answer.status_code == 202
    assert answer.headers["preference-applied"] == "wait=0.05"
    assert "result" not in answer.json()


def test_exact_a_request_that_waits_comes_before_the_others_of_its_owner(
    client: TestClient, setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unit_queue, "SHARE_OF_OTHERS", 0.0)
    setting(max_wait_s=0.05)
    first = submit(client)
    awaited = submit(client, Prefer="wait=1")
    with reading() as connection:
        queued = [str(unit.key[0]) for unit in unit_queue.list_claimable(connection, 2)]

    assert queued == [awaited.json()["id"], first.json()["id"]]


def test_exact_a_failed_evaluation_is_200_with_its_error(
    client: TestClient, worker: InlineWorker
) -> None:
    request = nap(fault="refuse")
    there = submit(client, request, Idempotency_Key="k").headers["location"]
    worker.work()
    answer = submit(client, request, Idempotency_Key="k", Prefer="wait=5")
    body = answer.json()

    assert (answer.status_code, body["status"], body["result"]) == (200, "failed", None)
    assert body["error"]["code"] == "insufficient_data"
    assert body["error"]["errors"][0]["loc"] == ["sheep", 3]
    refused = client.get(f"{there}/result")
    assert (refused.status_code, refused.json()["code"]) == (409, "no_result")
    assert refused.json()["evaluation_error"] == body["error"]
    assert "retry-after" not in refused.headers


def test_exact_the_same_key_and_body_give_the_first_answer(client: TestClient, sent: Any) -> None:
    first = submit(client, Idempotency_Key='"abc"')
    again = submit(client, Idempotency_Key="abc")

    assert (first.status_code, again.status_code) == (202, 202)
    assert again.json() == first.json()
    assert again.headers["idempotency-replayed"] == "true"
    assert "idempotency-replayed" not in first.headers
    assert len(sent) == 1


def test_exact_white_space_does_not_make_another_body(client: TestClient) -> None:
    headers = {"Content-Type": "application/json", "Idempotency-Key": "k"}
    bodies = ['{"kind":"sleeping","n_chunks":0}', '{ "kind" : "sleeping", "n_chunks": 0 }']
    answers = [client.post("/v1/evaluations", content=b, headers=headers) for b in bodies]

    assert answers[0].json()["id"] == answers[1].json()["id"]


def test_invalid_the_same_key_with_another_body(client: TestClient) -> None:
    submit(client, Idempotency_Key="abc")
    answer = submit(client, nap(), Idempotency_Key="abc")

    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_mismatch")


def test_exact_a_key_is_not_spent_by_a_request_that_was_refused(client: TestClient) -> None:
    refused = submit(client, {**matrix(), "level": 2}, Idempotency_Key="abc")
    submitted = submit(client, Idempotency_Key="abc")

    assert (refused.status_code, submitted.status_code) == (422, 202)


@pytest.mark.parametrize("key", ["", '""', "x" * 256, "a\tb", "  "])
def test_invalid_idempotency_keys(client: TestClient, key: str) -> None:
    answer = submit(client, Idempotency_Key=key)

    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_request")


def test_exact_the_etag_changes_with_what_is_seen(client: TestClient, worker: InlineWorker) -> None:
    there = submit(client).headers["location"]
    first = client.get(there)
    tag = first.headers["etag"]
    same = client.get(there, headers={"If-None-Match": f'"99", W/{tag}'})
    worker.work()
    after = client.get(there, headers={"If-None-Match": tag})

    assert (same.status_code, same.content) == (304, b"")
    assert same.headers["etag"] == tag
    assert "retry-after" in first.headers
    assert after.status_code == 200
    assert after.headers["etag"] != tag
    assert "retry-after" not in after.headers


@pytest.mark.parametrize(("query", "prefer"), [("?wait=30", ""), ("", "wait=30")])
def test_exact_a_long_poll_ends_with_a_change(
    client: TestClient, worker: InlineWorker, query: str, prefer: str
) -> None:
    there = submit(client).headers["location"]
    version = client.get(there).headers["etag"]
    timer = threading.Timer(0.2, worker.work)
    timer.start()
    began = time.monotonic()
    answer = client.get(there + query, headers={"Prefer": prefer} if prefer else {})
    timer.join()

    assert answer.headers["etag"] != version
    assert time.monotonic() - began < 29


def test_exact_a_long_poll_without_a_change_ends_in_time(client: TestClient) -> None:
    there = submit(client).headers["location"]
    tag = client.get(there).headers["etag"]

    assert client.get(f"{there}?wait=0.05").json()["status"] == "queued"
    assert client.get(f"{there}?wait=0.05", headers={"If-None-Match": tag}).status_code == 304


def test_exact_a_long_poll_with_an_old_tag_is_answered_at_once(client: TestClient) -> None:
    there = submit(client).headers["location"]
    began = time.monotonic()
    answer = client.get(f"{there}?wait=30", headers={"If-None-Match": '"0"'})

    assert answer.status_code == 200
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("wait", ["x", "-1", "nan", "inf", "1e999"])
def test_invalid_waits(client: TestClient, wait: str) -> None:
    there = submit(client).headers["location"]
    answer = client.get(there, params={"wait": wait})

    assert answer.status_code == 422
    assert answer.json()["errors"] == [
        {
            "loc": ["query", "wait"],
            "message": (
                f"The query parameter wait must be a number of seconds, 0 or more, and is {wait!r}."
            ),
            "value": wait,
        }
    ]


def test_exact_cancelling_can_be_repeated(client: TestClient, worker: InlineWorker) -> None:
    there = submit(client).headers["location"]
    first = client.post(f"{there}/cancel")
    worker.work()
    again = client.post(f"{there}/cancel")

    assert (first.status_code, again.status_code) == (202, 200)
    assert first.json()["status"] == again.json()["status"] == "cancelled"
    refused = client.get(f"{there}/result")
    assert (refused.status_code, refused.json()["code"]) == (409, "no_result")
    assert refused.json()["evaluation_status"] == "cancelled"


def test_exact_deleting_needs_an_end(client: TestClient, worker: InlineWorker) -> None:
    there = submit(client).headers["location"]
    early = client.delete(there)
    worker.work()
    gone = client.delete(there)

    assert (early.status_code, early.json()["code"]) == (409, "evaluation_not_finished")
    assert gone.status_code == 204
    assert [client.get(f"{there}{end}").status_code for end in ("", "/result", "/losses")] == [
        404
    ] * 3


def test_exact_too_many_unfinished_is_429(client: TestClient, setting: Setting) -> None:
    setting(max_unfinished=2)
    answers = [submit(client) for _ in range(3)]

    assert [a.status_code for a in answers] == [202, 202, 429]
    assert int(answers[2].headers["retry-after"]) >= 1
    assert answers[2].json()["code"] == "too_many_jobs"


def test_exact_a_submission_waits_for_another_writer(client: TestClient, data_dir: Path) -> None:
    submit(client)  # the first check of a kind goes another way
    other = sqlite3.connect(
        data_dir / "thetahat.sqlite3", isolation_level=None, check_same_thread=False
    )
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.3, other.execute, ["ROLLBACK"])
    release.start()
    answer = submit(client)
    release.join()
    other.close()

    assert answer.status_code == 202
    assert len(client.get("/v1/evaluations").json()["items"]) == 2
