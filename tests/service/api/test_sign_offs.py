"""Signing a result over HTTP: what is stored, who may, and what a changed result looks like."""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.requests import matrix, nap
from thetahat_service.process.request_context import Scope
from thetahat_service.storage import api_keys
from thetahat_service.storage.tables import EVALUATION_RESULT, SIGN_OFF
from thetahat_service.storage.unit_of_work import reading, unit_of_work

SIGNATURE = {"name": "Ann Reviewer", "decision": "approved", "comment": "Only for school 12."}


@pytest.fixture
def evaluation(client: TestClient, worker: InlineWorker) -> str:
    """The path of an evaluation with a result."""
    identifier = client.post("/v1/evaluations", json=matrix()).json()["id"]
    worker.work()
    return f"/v1/evaluations/{identifier}"


def change_result(path: str, old: str, new: str) -> None:
    """Change the recorded result behind the service's back."""
    identifier = UUID(path.rpartition("/")[2])
    with unit_of_work() as connection:
        body = connection.scalars(
            sa.select(EVALUATION_RESULT.c.body).where(
                EVALUATION_RESULT.c.evaluation_id == identifier
            )
        ).one()
        assert old in body
        connection.execute(
            sa.update(EVALUATION_RESULT)
            .where(EVALUATION_RESULT.c.evaluation_id == identifier)
            .values(body=body.replace(old, new))
        )


def count_sign_offs() -> int:
    with reading() as connection:
        return connection.scalars(sa.select(sa.func.count()).select_from(SIGN_OFF)).one()


def test_exact_a_sign_off_names_the_bytes_that_were_sent(
    client: TestClient, evaluation: str
) -> None:
    digest = hashlib.sha256(client.get(f"{evaluation}/result").content).hexdigest()

    answer = client.post(f"{evaluation}/sign-offs", json=SIGNATURE)

    signed = answer.json()
    assert answer.status_code == 201
    assert signed.items() >= SIGNATURE.items()
    assert (signed["owner"], signed["actor"]) == ("local", "local")
    assert (signed["result_sha256"], signed["matches_result"]) == (digest, True)
    assert client.get(evaluation).json()["links"]["sign_offs"] == f"{evaluation}/sign-offs"
    assert client.get(f"{evaluation}/sign-offs").json() == {"items": [signed], "next": None}


def test_exact_a_changed_result_no_longer_matches(client: TestClient, evaluation: str) -> None:
    client.post(f"{evaluation}/sign-offs", json=SIGNATURE)
    change_result(evaluation, '"svm"', '"SVM"')

    listed = client.get(f"{evaluation}/sign-offs").json()["items"]

    assert [item["matches_result"] for item in listed] == [False]
    again = client.post(f"{evaluation}/sign-offs", json=SIGNATURE)
    assert (again.status_code, again.json()["matches_result"]) == (201, True)


def test_exact_the_same_request_twice_signs_once(client: TestClient, evaluation: str) -> None:
    first = client.post(f"{evaluation}/sign-offs", json=SIGNATURE)
    second = client.post(f"{evaluation}/sign-offs", json=SIGNATURE)

    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    assert count_sign_offs() == 1


def test_exact_sign_offs_are_listed_in_pages_newest_first(
    client: TestClient, evaluation: str
) -> None:
    for decision in ("needs_changes", "approved", "rejected", "approved"):
        client.post(f"{evaluation}/sign-offs", json={**SIGNATURE, "decision": decision})

    first = client.get(f"{evaluation}/sign-offs?limit=3").json()
    rest = client.get(f"{evaluation}/sign-offs?limit=3&cursor={first['next']}").json()

    decisions = [item["decision"] for item in first["items"] + rest["items"]]
    assert decisions == ["approved", "rejected", "approved", "needs_changes"]
    assert rest["next"] is None


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_exact_a_sign_off_cannot_be_changed_or_deleted(
    client: TestClient, evaluation: str, method: str
) -> None:
    client.post(f"{evaluation}/sign-offs", json=SIGNATURE)

    answer = client.request(method, f"{evaluation}/sign-offs", json=SIGNATURE)

    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD, POST"
    assert count_sign_offs() == 1


def test_exact_sign_offs_go_with_their_evaluation(client: TestClient, evaluation: str) -> None:
    client.post(f"{evaluation}/sign-offs", json=SIGNATURE)

    assert client.delete(evaluation).status_code == 204
    assert client.get(f"{evaluation}/sign-offs").status_code == 404
    assert count_sign_offs() == 0


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"name": ""}, "name"),
        ({"name": "   "}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": "a" * 121}, "name"),
        ({"decision": "yes"}, "decision"),
        ({"comment": "a" * 4001}, "comment"),
        ({"comment": "a\0"}, "comment"),
        ({"result_sha256": "abc"}, "result_sha256"),
        ({"result_sha256": "0" * 64}, "result_sha256"),
        ({"when": "today"}, "when"),
    ],
)
def test_invalid_fields_are_named(
    client: TestClient, evaluation: str, fields: dict[str, Any], place: str
) -> None:
    answer = client.post(f"{evaluation}/sign-offs", json=SIGNATURE | fields)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == [place]
    assert count_sign_offs() == 0


def test_exact_the_digest_that_was_read_may_be_named(client: TestClient, evaluation: str) -> None:
    digest = hashlib.sha256(client.get(f"{evaluation}/result").content).hexdigest()

    answer = client.post(f"{evaluation}/sign-offs", json=SIGNATURE | {"result_sha256": digest})

    assert answer.status_code == 201


def test_invalid_there_is_nothing_to_sign_before_the_result(
    client: TestClient, worker: InlineWorker
) -> None:
    path = f"/v1/evaluations/{client.post('/v1/evaluations', json=nap()).json()['id']}"

    pending = client.post(f"{path}/sign-offs", json=SIGNATURE)
    client.post(f"{path}/cancel")
    cancelled = client.post(f"{path}/sign-offs", json=SIGNATURE)

    assert (pending.status_code, pending.json()["code"]) == (409, "result_not_ready")
    assert (cancelled.status_code, cancelled.json()["code"]) == (409, "no_result")
    assert client.get(f"{path}/sign-offs").json() == {"items": [], "next": None}


def test_exact_keys_that_submit_may_sign_and_the_log_has_it(
    client: TestClient, worker: InlineWorker
) -> None:
    with unit_of_work() as connection:
        made = {
            scope: api_keys.create(connection, scope, owner, scope)
            for scope, owner in ((Scope.READ, "ann"), (Scope.SUBMIT, "ann"), (Scope.ADMIN, "bob"))
        }
    headers = {scope: {"Authorization": f"Bearer {key}"} for scope, key in made.items()}
    created = client.post("/v1/evaluations", json=matrix(), headers=headers[Scope.SUBMIT])
    worker.work()
    path = f"/v1/evaluations/{created.json()['id']}/sign-offs"

    answers = {
        scope: client.post(path, json=SIGNATURE, headers=headers[scope]) for scope in headers
    }

    assert {scope: answer.status_code for scope, answer in answers.items()} == {
        Scope.READ: 403,
        Scope.SUBMIT: 201,
        Scope.ADMIN: 404,  # of another owner
    }
    signed = answers[Scope.SUBMIT].json()
    prefix = made[Scope.SUBMIT][: api_keys.PREFIX_LENGTH]
    assert (signed["owner"], signed["actor"]) == ("ann", prefix)
    assert client.get(path, headers=headers[Scope.READ]).json()["items"] == [signed]
    log = client.get("/v1/audit", headers=headers[Scope.ADMIN]).json()["items"]
    assert (log[0]["action"], log[0]["actor"]) == ("evaluation.sign_off", prefix)
    assert log[0]["subject"] == created.json()["id"]
