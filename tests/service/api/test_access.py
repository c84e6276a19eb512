from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from tests.service.api.requests import CSV, CSV_TEXT, matrix
from thetahat_service.api import rate_limits
from thetahat_service.api.auth import find_needed_scope
from thetahat_service.api.uploads import count_upload
from thetahat_service.errors import RateLimitExceeded
from thetahat_service.process.request_context import Scope
from thetahat_service.storage import api_keys
from thetahat_service.storage.unit_of_work import unit_of_work


def _key(scope: Scope, owner: str = "ann", **fields: Any) -> str:
    with unit_of_work() as connection:
        return api_keys.create(connection, f"{scope} of {owner}", owner, scope, **fields)


def _headers(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


@pytest.mark.parametrize(
    ("scope", "statuses"),
    [
        (Scope.READ, (200, 403, 403, 403)),
        (Scope.SUBMIT, (200, 202, 403, 403)),
        (Scope.ADMIN, (200, 202, 200, 200)),
    ],
)
def test_exact_a_scope_allows_what_it_names(
    client: TestClient, scope: Scope, statuses: tuple[int, ...]
) -> None:
    headers = _headers(_key(scope))

    answers = [
        client.get("/v1/evaluations", headers=headers),
        client.post("/v1/evaluations", headers=headers, json=matrix()),
        client.get("/v1/keys", headers=headers),
        client.get("/v1/audit", headers=headers),
    ]

    assert tuple(answer.status_code for answer in answers) == statuses
    refused = [answer.json() for answer in answers if answer.status_code == 403]
    assert all(body["code"] == "forbidden" and scope.value in body["detail"] for body in refused)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_exact_whatever_changes_something_needs_more_than_reading(method: str) -> None:
    assert find_needed_scope(method, "/v1/evaluations") is Scope.SUBMIT
    assert find_needed_scope(method, "/v1/keys/th_00000000") is Scope.ADMIN


def test_exact_keys_are_created_listed_rotated_and_revoked_over_http(client: TestClient) -> None:
    admin = _headers(_key(Scope.ADMIN))
    end = (datetime.now(UTC) + timedelta(days=30)).isoformat()
    key_request = {"name": "pipeline", "owner": "bob", "scope": "read", "expires_at": end}

    made = client.post("/v1/keys", headers=admin, json=key_request).json()
    assert client.get("/v1/evaluations", headers=_headers(made["key"])).status_code == 200

    path = f"/v1/keys/{made['prefix']}"
    for hours in (False, "1"):
        wrong = client.post(f"{path}/rotate", headers=admin, json={"grace_hours": hours})
        assert wrong.status_code == 422
    answer = client.post(f"{path}/rotate", headers=admin, json={"grace_hours": 0})
    new = answer.json()
    assert answer.status_code == 201
    assert (new["owner"], new["scope"], new["name"]) == ("bob", "read", "pipeline")
    assert datetime.fromisoformat(new["expires_at"]) > datetime.now(UTC) + timedelta(days=29)

    assert client.delete(f"/v1/keys/{new['prefix']}", headers=admin).status_code == 204
    assert client.delete(f"/v1/keys/{new['prefix']}", headers=admin).status_code == 404
    states = {
        key["prefix"]: key["state"] for key in client.get("/v1/keys", headers=admin).json()["items"]
    }
    assert (states[made["prefix"]], states[new["prefix"]]) == ("expired", "revoked")
    assert "key" not in client.get("/v1/keys", headers=admin).json()["items"][0]


def test_exact_an_expired_key_is_refused(client: TestClient) -> None:
    key = _key(Scope.SUBMIT, expires_at=datetime.now(UTC) - timedelta(seconds=1))

    answer = client.get("/v1/evaluations", headers=_headers(key))

    assert answer.status_code == 401
    assert "expired" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": "a", "scope": "all"}, "scope"),
        ({"name": "a", "expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
        ({"name": "a", "expires_at": "2999-01-01T00:00:00"}, "expires_at"),
        ({"name": "a", "extra": 1}, "extra"),
    ],
)
def test_invalid_requests_for_keys_name_the_field(
    client: TestClient, body: dict[str, Any], place: str
) -> None:
    answer = client.post("/v1/keys", headers=_headers(_key(Scope.ADMIN)), json=body)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == [place]


def test_exact_the_audit_log_says_who_did_what(client: TestClient) -> None:
    admin, writer = _key(Scope.ADMIN), _key(Scope.SUBMIT)
    headers = _headers(writer) | {"X-Request-ID": "audit-1"}
    submitted = client.post("/v1/evaluations", headers=headers, json=matrix()).json()["id"]
    client.post(f"/v1/evaluations/{submitted}/cancel", headers=_headers(writer))
    client.delete(f"/v1/evaluations/{submitted}", headers=_headers(writer))

    page = client.get(f"/v1/audit?subject={submitted}", headers=_headers(admin)).json()

    actions = [entry["action"] for entry in page["items"]]
    assert actions == ["evaluation.delete", "evaluation.cancel", "evaluation.submit"]
    assert {entry["actor"] for entry in page["items"]} == {writer[: api_keys.PREFIX_LENGTH]}
    assert page["items"][-1]["request_id"] == "audit-1"


def test_exact_the_audit_log_is_read_in_pages(client: TestClient) -> None:
    admin = _headers(_key(Scope.ADMIN))
    for number in range(5):
        client.post("/v1/keys", headers=admin, json={"name": f"key {number}"})
    whole = client.get("/v1/audit", headers=admin).json()["items"]

    pages, cursor = [], ""
    while cursor is not None:
        page = client.get(
            "/v1/audit?limit=2" + (f"&cursor={cursor}" if cursor else ""), headers=admin
        )
        pages += page.json()["items"]
        cursor = page.json()["next"]

    assert pages == whole
    assert len(whole) == 6


def test_exact_an_owner_over_the_rate_is_asked_to_wait(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, setting: Any
) -> None:
    setting(rate_per_s=0.1)
    monkeypatch.setattr(rate_limits, "WINDOW_S", 20)
    ann, bob = _headers(_key(Scope.READ, "ann")), _headers(_key(Scope.READ, "bob"))

    answers = [client.get("/v1/evaluations", headers=ann) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[0].headers["ratelimit-policy"].startswith('"owner";q=2;')
    assert answers[0].headers["ratelimit"].startswith('"owner";r=1;')
    assert 1 <= int(answers[2].headers["retry-after"]) <= 10
    assert answers[2].json()["code"] == "too_many_requests"
    assert client.get("/v1/evaluations", headers=bob).status_code == 200


def test_exact_each_wrong_key_is_answered_later_than_the_one_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rate_limits, "FIRST_DELAY_S", 0.05)
    wrong = rate_limits.WrongKeys()

    delays = [wrong.count("10.0.0.1") for _ in range(10)]

    assert delays[:4] == [0.05, 0.1, 0.2, 0.4]
    assert delays[-1] == rate_limits.LONGEST_DELAY_S
    assert wrong.count("10.0.0.2") == 0.05


def test_exact_many_waiting_wrong_keys_are_refused_at_once(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    _key(Scope.READ)
    monkeypatch.setattr(rate_limits, "MAX_DELAYED", 0)

    answer = client.get("/v1/evaluations", headers=_headers("th_00000000_" + "x" * 43))

    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "5"


@pytest.mark.parametrize("path", ["/", "/healthz", "/v1/methods", "/problems/forbidden", "/absent"])
def test_exact_every_response_has_the_security_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers

    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert "default-src 'none'" in headers["content-security-policy"]


def test_exact_an_owner_has_room_for_so_many_bytes(client: TestClient, setting: Any) -> None:
    setting(max_stored_bytes=len(CSV_TEXT) + 10)
    ann, bob = (_headers(_key(Scope.SUBMIT, o)) | {"Content-Type": CSV} for o in ("ann", "bob"))
    first = client.post("/v1/datasets", headers=ann, content=CSV_TEXT)
    again = client.post("/v1/datasets", headers=ann, content=CSV_TEXT)
    other = CSV_TEXT.replace(b"1", b"2")

    refused = client.post("/v1/datasets", headers=ann, content=other)

    assert (first.status_code, again.status_code, refused.status_code) == (201, 200, 429)
    assert refused.json()["code"] == "quota_exceeded"
    assert str(len(CSV_TEXT)) in refused.json()["detail"]
    assert client.post("/v1/datasets", headers=bob, content=other).status_code == 201
    client.delete(f"/v1/datasets/{first.json()['id']}", headers=ann)
    assert client.post("/v1/datasets", headers=ann, content=other).status_code == 201


def test_exact_an_owner_sends_so_many_files_at_a_time(client: TestClient, setting: Any) -> None:
    setting(max_uploads=1)
    ann, bob = uuid4(), uuid4()

    with (
        count_upload(ann),
        count_upload(bob),
        pytest.raises(RateLimitExceeded, match="1 uploads") as refusal,
        count_upload(ann),
    ):
        pass
    assert refusal.value.retry_after == 2
    with count_upload(ann):
        pass
