from __future__ import annotations

import base64
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.requests import matrix
from tests.service.storage.databases import Setting
from thetahat_service.storage.tables import AUDIT_ENTRY, WEBHOOK_DELIVERY
from thetahat_service.storage.unit_of_work import reading, unit_of_work

URL = "https://hooks.example.com/thetahat"


def create(client: TestClient, **fields: Any) -> Any:
    return client.post("/v1/webhooks", json={"url": URL, **fields})


def test_exact_the_secret_is_shown_once(client: TestClient) -> None:
    answer = create(client, description="of the platform")
    body = answer.json()
    location = answer.headers["location"]
    without = {name: value for name, value in body.items() if name != "secret"}

    assert answer.status_code == 201
    assert answer.headers["cache-control"] == "no-store"
    assert body["secret"].startswith("whsec_")
    assert len(base64.b64decode(body["secret"].removeprefix("whsec_"))) == 32
    assert body["event_types"] == [
        "evaluation.succeeded",
        "evaluation.failed",
        "evaluation.cancelled",
        "series.decided",
    ]
    assert client.get(location).json() == without
    assert client.get("/v1/webhooks").json() == {"items": [without]}
    assert create(client).json()["secret"] != body["secret"]


def test_exact_deliveries_are_listed_page_by_page_and_sent_again(
    client: TestClient, worker: InlineWorker
) -> None:
    location = create(client).headers["location"]
    ids = [client.post("/v1/evaluations", json=matrix()).json()["id"] for _ in range(3)]
    worker.work()
    first = client.get(f"{location}/deliveries?limit=2").json()
    second = client.get(f"{location}/deliveries?limit=2&cursor={first['next']}").json()
    items = [*first["items"], *second["items"]]
    with unit_of_work() as connection:
        connection.execute(
            sa.update(WEBHOOK_DELIVERY).values(state="dead", attempts=10, last_status=500)
        )
    dead = client.get(f"{location}/deliveries?state=dead").json()["items"]
    again = client.post(f"{location}/deliveries/{dead[0]['id']}/send")

    assert {item["evaluation_id"] for item in items} == set(ids)
    assert (len(first["items"]), len(second["items"]), second["next"]) == (2, 1, None)
    assert all(item["state"] == "pending" and item["attempts"] == 0 for item in items)
    assert all(item["next_attempt_at"] is not None for item in items)
    assert [item["next_attempt_at"] for item in dead] == [None] * 3
    assert again.status_code == 202
    assert (again.json()["state"], again.json()["attempts"]) == ("pending", 0)
    assert len(client.get(f"{location}/deliveries?state=pending").json()["items"]) == 1


def test_exact_deleting_a_webhook(client: TestClient) -> None:
    location = create(client).headers["location"]

    assert client.delete(location).status_code == 204
    assert client.get(location).status_code == 404
    assert client.delete(location).status_code == 404
    assert client.get(f"{location}/deliveries").status_code == 404
    assert client.get("/v1/webhooks").json() == {"items": []}


def test_exact_webhooks_belong_to_their_owner(client: TestClient, keys: dict[str, str]) -> None:
    ann, bob = ({"Authorization": f"Bearer {keys[name]}"} for name in ("ann", "bob"))
    answer = client.post("/v1/webhooks", json={"url": URL}, headers=ann)
    location = answer.headers["location"]

    assert client.get(location, headers=ann).status_code == 200
    assert client.get("/v1/webhooks", headers=bob).json() == {"items": []}
    for method, path in [
        ("GET", location),
        ("DELETE", location),
        ("GET", f"{location}/deliveries"),
        ("POST", f"{location}/deliveries/{answer.json()['id']}/send"),
    ]:
        assert client.request(method, path, headers=bob).status_code == 404
        assert client.request(method, path).status_code == 401


def test_exact_changes_are_in_the_audit_log(client: TestClient) -> None:
    answer = create(client)
    client.delete(answer.headers["location"])
    with reading() as connection:
        rows = connection.execute(sa.select(AUDIT_ENTRY.c.action, AUDIT_ENTRY.c.subject)).all()

    assert {tuple(row) for row in rows} == {
        ("webhook.create", answer.json()["id"]),
        ("webhook.delete", answer.json()["id"]),
    }


@pytest.mark.parametrize(
    ("body", "place", "words"),
    [
        ({}, ["url"], ""),
        ({"url": "http://example.com"}, ["url"], "https://"),
        ({"url": "https://127.0.0.1/"}, ["url"], "THETAHAT_WEBHOOK_ALLOWED_HOSTS"),
        ({"url": "https://169.254.169.254/latest"}, ["url"], "not public"),
        ({"url": "https://a:b@example.com"}, ["url"], "user name"),
        ({"url": URL, "event_types": []}, ["event_types"], ""),
        ({"url": URL, "event_types": ["started"]}, ["event_types", 0], ""),
        ({"url": URL, "secret": "mine"}, ["secret"], ""),
        ({"url": URL, "description": "a\u0000b"}, ["description"], ""),
    ],
)
def test_invalid_webhooks(client: TestClient, body: Any, place: list[Any], words: str) -> None:
    answer = client.post("/v1/webhooks", json=body)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == place
    assert words in answer.json()["detail"]


def test_invalid_more_webhooks_than_the_limit(client: TestClient, setting: Setting) -> None:
    setting(max_webhooks=1)
    create(client)
    answer = create(client)

    assert (answer.status_code, answer.json()["code"]) == (429, "quota_exceeded")
    assert "THETAHAT_MAX_WEBHOOKS" in answer.json()["detail"]


def test_exact_a_rotated_secret_is_shown_once(client: TestClient) -> None:
    created = create(client, labels={"team": "x"})
    location = created.headers["location"]
    answer = client.post(f"{location}/rotate?keep_previous_s=60")
    body = answer.json()
    without = {name: value for name, value in body.items() if name != "secret"}

    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert body["secret"].startswith("whsec_")
    assert body["secret"] != created.json()["secret"]
    assert body["labels"] == {"team": "x"}
    assert client.get(location).json() == without
    with reading() as connection:
        actions = set(connection.scalars(sa.select(AUDIT_ENTRY.c.action)))
    assert "webhook.rotate_secret" in actions


def test_invalid_a_rotation_is_refused(client: TestClient) -> None:
    location = create(client).headers["location"]
    unknown = "/v1/webhooks/00000000-0000-4000-8000-000000000000"

    assert client.post(f"{unknown}/rotate").status_code == 404
    for seconds in ("-1", "x", str(31 * 24 * 3600)):
        assert client.post(f"{location}/rotate?keep_previous_s={seconds}").status_code == 422
