from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker, Key
from tests.service.api.requests import matrix, nap
from tests.service.storage.databases import Setting
from thetahat_service.api import submission_batches
from thetahat_service.storage.tables import AUDIT_ENTRY, EVALUATION
from thetahat_service.storage.unit_of_work import reading

PATH = "/v1/evaluations/batch"


def send(client: TestClient, items: Any, key: str | None = None, **headers: str) -> Any:
    if key is not None:
        headers["Idempotency-Key"] = key
    return client.post(PATH, json={"items": items}, headers=headers)


def requests(n: int) -> list[dict[str, Any]]:
    return [{"request": nap(name=f"nap {i}")} for i in range(n)]


def count_rows(table: sa.Table) -> int:
    with reading() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()


def test_exact_each_item_is_an_evaluation_as_if_submitted_alone(
    client: TestClient, worker: InlineWorker
) -> None:
    alone = client.post("/v1/evaluations", json=matrix())
    answer = send(client, [{"request": matrix()}, {"request": nap(name="second")}])
    body = answer.json()
    worker.work()
    results = [
        client.get(f"/v1/evaluations/{identifier}/result").json()
        for identifier in (alone.json()["id"], body["items"][0]["evaluation"]["id"])
    ]

    assert answer.status_code == 200
    assert (body["accepted"], body["refused"]) == (2, 0)
    assert [item["index"] for item in body["items"]] == [0, 1]
    assert all(item["status"] == 202 and item["problem"] is None for item in body["items"])
    assert body["items"][1]["evaluation"]["name"] == "second"
    assert body["items"][0]["evaluation"].keys() == alone.json().keys()
    assert results[0]["models"] == results[1]["models"]


def test_exact_an_invalid_item_is_refused_alone_with_its_place(client: TestClient) -> None:
    wrong = matrix()
    wrong["losses"]["nb"][1] = [0]
    missing = {"kind": "cross_validation", "dataset": "b8a7d9cc-34c2-4ad0-9b34-a4ad3a2be3c0"}
    items = [nap(), wrong, {"kind": "lossses"}, nap(labels={"": "x"}), missing]
    alone = [client.post("/v1/evaluations", json=item).json() for item in items]
    body = send(client, [{"request": item} for item in items]).json()

    assert [item["status"] for item in body["items"]] == [202, 422, 422, 422, 422]
    assert (body["accepted"], body["refused"]) == (1, 4)
    for index in range(1, 5):
        problem, expected = body["items"][index]["problem"], alone[index]
        assert body["items"][index]["evaluation"] is None
        for name in ("type", "title", "status", "detail", "code"):
            assert problem[name] == expected[name]
        assert [each["loc"] for each in problem["errors"]] == [
            ["items", index, "request", *each["loc"]] for each in expected["errors"]
        ]
    assert count_rows(EVALUATION) == 2


def test_exact_every_accepted_item_is_queued_and_audited(
    client: TestClient, sent: list[Key]
) -> None:
    body = send(client, requests(40), **{"X-Request-ID": "the-batch"}).json()
    identifiers = {item["evaluation"]["id"] for item in body["items"]}
    with reading() as connection:
        rows = connection.execute(sa.select(AUDIT_ENTRY)).all()

    assert len(identifiers) == 40
    assert {str(identifier) for identifier, _ in sent} == identifiers
    assert {row.subject for row in rows} == identifiers
    assert {row.request_id for row in rows} == {"the-batch"}


def test_exact_a_batch_that_is_sent_again_gives_the_same_evaluations(client: TestClient) -> None:
    first = send(client, requests(3), "again").json()
    second = send(client, requests(3), "again").json()
    other = send(client, requests(3), "other").json()
    ids = [[item["evaluation"]["id"] for item in body["items"]] for body in (first, second, other)]

    assert ids[0] == ids[1]
    assert not set(ids[0]) & set(ids[2])
    assert [item["replayed"] for item in first["items"] + second["items"]] == [False] * 3 + [
        True
    ] * 3
    assert count_rows(EVALUATION) == 6


def test_exact_items_that_failed_before_are_tried_again(
    client: TestClient, setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thetahat_service.jobs.submit._COUNTS", {})
    monkeypatch.setattr("thetahat_service.jobs.submit.COUNT_VALID_S", 0.0)
    setting(max_unfinished=2)
    first = send(client, requests(4), "retry").json()
    setting(max_unfinished=10)
    second = send(client, requests(4), "retry").json()

    assert [item["status"] for item in first["items"]] == [202, 202, 429, 429]
    assert first["items"][2]["problem"]["code"] == "too_many_jobs"
    assert [item["replayed"] for item in second["items"]] == [True, True, False, False]
    assert second["accepted"] == 4
    assert count_rows(EVALUATION) == 4


def test_exact_an_item_may_have_its_own_key(client: TestClient) -> None:
    single = client.post(
        "/v1/evaluations", json=nap(name="nap 0"), headers={"Idempotency-Key": "own"}
    ).json()
    items = [{**requests(1)[0], "idempotency_key": "own"}] * 2
    items.append({"request": nap(name="another"), "idempotency_key": "own"})
    body = send(client, items, "batch").json()

    assert [item["status"] for item in body["items"]] == [202, 202, 422]
    assert {item["evaluation"]["id"] for item in body["items"][:2]} == {single["id"]}
    assert body["items"][2]["problem"]["code"] == "idempotency_mismatch"


def test_exact_the_same_new_key_twice_in_a_batch_is_one_evaluation(client: TestClient) -> None:
    items = [{**requests(1)[0], "idempotency_key": "twice"}] * 2
    body = send(client, items).json()

    assert len({item["evaluation"]["id"] for item in body["items"]}) == 1
    assert sorted(item["replayed"] for item in body["items"]) == [False, True]
    assert count_rows(EVALUATION) == 1


def test_exact_a_database_that_is_away_refuses_the_items(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise OperationalError("INSERT", {}, Exception("away"))

    monkeypatch.setattr(submission_batches, "submit_all", fail)
    monkeypatch.setattr(submission_batches, "submit", fail)
    body = send(client, requests(2)).json()

    assert [item["status"] for item in body["items"]] == [503, 503]
    assert body["items"][0]["problem"]["code"] == "unavailable"
    assert count_rows(EVALUATION) == 0


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({}, ["items"]),
        ({"items": []}, ["items"]),
        ({"items": [1]}, ["items", 0]),
        ({"items": [{}]}, ["items", 0, "request"]),
        ({"items": [{"request": []}]}, ["items", 0, "request"]),
        ({"items": [{"request": {}, "key": "x"}]}, ["items", 0, "key"]),
        ({"items": [{"request": {}, "idempotency_key": ""}]}, ["items", 0, "idempotency_key"]),
        ({"items": [{"request": {}}], "more": 1}, ["more"]),
        ([], []),
    ],
)
def test_invalid_batches(client: TestClient, body: Any, place: list[Any]) -> None:
    answer = client.post(PATH, json=body)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == place


def test_invalid_batch_over_the_limit(client: TestClient, setting: Setting) -> None:
    setting(max_batch=2)
    answer = send(client, requests(3))

    assert answer.status_code == 422
    assert "THETAHAT_MAX_BATCH" in answer.json()["detail"]
    assert count_rows(EVALUATION) == 0


def test_exact_a_batch_belongs_to_the_owner_of_the_key(
    client: TestClient, keys: dict[str, str]
) -> None:
    ann, bob = ({"Authorization": f"Bearer {keys[name]}"} for name in ("ann", "bob"))
    first = send(client, requests(1), "same", **ann).json()["items"][0]["evaluation"]
    second = send(client, requests(1), "same", **bob).json()["items"][0]["evaluation"]

    assert first["id"] != second["id"]
    assert client.get(f"/v1/evaluations/{first['id']}", headers=bob).status_code == 404
    assert client.post(PATH, json={"items": requests(1)}).status_code == 401
