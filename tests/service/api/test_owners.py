from __future__ import annotations

import re
from typing import Any
from uuid import UUID

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from tests.cases import case, each
from tests.service.api.conftest import InlineWorker
from tests.service.api.requests import CSV, CSV_TEXT, matrix
from tests.service.storage.databases import Setting
from thetahat_service.api.routes import (
    access,
    advice,
    batches,
    datasets,
    evaluations,
    events,
    figures,
    imports,
    ladders,
    leaderboards,
    methods,
    protocols,
    recomputation,
    reports,
    results,
    series,
    sign_offs,
    webhooks,
)
from thetahat_service.storage import api_keys
from thetahat_service.storage.unit_of_work import unit_of_work

MODULES = (
    access,
    advice,
    batches,
    datasets,
    evaluations,
    events,
    figures,
    imports,
    ladders,
    leaderboards,
    methods,
    protocols,
    recomputation,
    reports,
    results,
    series,
    sign_offs,
    webhooks,
)
BODIES = {
    "/v1/evaluations/{evaluation_id}/sign-offs": {"name": "A. Reviewer", "decision": "approved"},
    "/v1/series/{series_id}/batches": {"losses": {"new": [0], "old": [1]}},
    "/v1/protocols/{protocol_id}/withdraw": {"reason": "other labels"},
}
"""Valid bodies of requests about one thing."""
ROUTES = [
    (method, route.path)
    for module in MODULES
    for route in module.router.routes
    if isinstance(route, APIRoute) and route.include_in_schema
    for method in sorted(route.methods or ())
]
OF_ONE_THING = [
    (method, path)
    for method, path in ROUTES
    if path.count("{") and not re.search("methods|figures|keys", path)
]


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


@pytest.fixture
def resources(client: TestClient, keys: dict[str, str], worker: InlineWorker) -> dict[str, str]:
    """A data set, a finished evaluation and its webhook of ann's, by the name in the path."""
    headers = bearer(keys["ann"])
    webhook = client.post("/v1/webhooks", json={"url": "https://example.com/"}, headers=headers)
    location = webhook.headers["location"]
    dataset = client.post(
        "/v1/datasets", content=CSV_TEXT, headers={**headers, "Content-Type": CSV}
    )
    evaluation = client.post("/v1/evaluations", json=matrix(), headers=headers)
    submission = {
        "kind": "ladder",
        "dataset": dataset.json()["id"],
        "columns": {"target": "n", "predictions": {"m": "n"}},
        "loss": "squared",
    }
    submitted = client.post("/v1/evaluations", json=submission, headers=headers)
    worker.work()
    client.delete(submitted.headers["location"], headers=headers)
    ladder = client.get("/v1/ladders", headers=headers).json()["items"][0]
    series = client.post("/v1/series", json={"models": ["new", "old"]}, headers=headers)
    protocol = client.post("/v1/protocols", json={"margin": 0.1}, headers=headers)
    deliveries = client.get(f"{location}/deliveries", headers=headers).json()["items"]
    return {
        "dataset_id": dataset.json()["id"],
        "evaluation_id": evaluation.json()["id"],
        "series_id": series.json()["id"],
        "protocol_id": protocol.json()["id"],
        "ladder_id": ladder["id"],
        "webhook_id": webhook.json()["id"],
        "delivery_id": deliveries[0]["id"],
    }


def test_exact_the_list_of_routes_is_the_applications(application: FastAPI) -> None:
    paths = application.openapi()["paths"]
    listed = {
        (method.upper(), path)
        for path, operations in paths.items()
        if path.startswith("/v1/")
        for method in operations
    }

    assert listed == set(ROUTES)


def test_exact_a_figure_of_another_owner_is_not_found(
    client: TestClient, keys: dict[str, str], worker: InlineWorker
) -> None:
    small = {"sizes": [8], "shares": [0.25, 0.5], "splits": 2, "repetitions": 3}
    body = {"kind": "study", "preset": "lecture_splits", "seed": 1, **small}
    ann, bob = bearer(keys["ann"]), bearer(keys["bob"])
    sent = client.post("/v1/evaluations", json=body, headers=ann).json()
    worker.work()
    where = f"/v1/evaluations/{sent['id']}"
    figure_name = client.get(f"{where}/result", headers=ann).json()["figures"][0]["name"]
    own = client.get(f"{where}/figures/{figure_name}.svg", headers=ann)
    foreign = client.get(f"{where}/figures/{figure_name}.svg", headers=bob)

    assert (own.status_code, own.headers["content-type"]) == (200, "image/svg+xml")
    assert (foreign.status_code, foreign.json()["code"]) == (404, "not_found")


def test_exact_resources_of_another_owner_are_not_found(
    client: TestClient, keys: dict[str, str], resources: dict[str, str]
) -> None:
    ends = {"DELETE", "withdraw"}
    for method, path in sorted(OF_ONE_THING, key=lambda r: not ends.isdisjoint((r[0], r[1][-8:]))):
        where = path.format(**resources)
        body = BODIES.get(path)
        ann, bob = (
            {**bearer(keys[name]), "Idempotency-Key": f"{method} {where}"}
            for name in ("ann", "bob")
        )
        with case(method, path):
            foreign = client.request(method, where, headers=bob, json=body)
            missing = client.request(
                method,
                path.format(**dict.fromkeys(resources, str(resources["dataset_id"])[::-1])),
                headers=bob,
                json=body,
            )
            own = client.request(method, where, headers=ann, json=body)

            assert (foreign.status_code, foreign.json()["code"]) == (404, "not_found")
            assert missing.status_code == 404
            assert own.status_code < 400, own.text


def test_exact_lists_hold_resources_of_the_caller_only(
    client: TestClient, keys: dict[str, str], resources: dict[str, str]
) -> None:
    for path in ("/v1/datasets", "/v1/evaluations"):
        own = client.get(path, headers=bearer(keys["ann"])).json()["items"]
        foreign = client.get(path, headers=bearer(keys["bob"])).json()["items"]
        assert [item["id"] for item in own] == [resources[f"{path[4:-1]}_id"]]
        assert foreign == []
    for path in ("/v1/series", "/v1/protocols", "/v1/ladders"):
        assert len(client.get(path, headers=bearer(keys["ann"])).json()["items"]) == 1
        assert client.get(path, headers=bearer(keys["bob"])).json()["items"] == []


def test_exact_a_protocol_of_another_owner_cannot_be_named(
    client: TestClient, keys: dict[str, str], resources: dict[str, str]
) -> None:
    named = {"protocol": resources["protocol_id"]}
    sent = {
        "/v1/evaluations": {**matrix(), **named},
        "/v1/series": {"models": ["new", "old"], "margin": 0.1, **named},
    }
    for path, body in sent.items():
        foreign = client.post(path, json=body, headers=bearer(keys["bob"]))
        own = client.post(path, json=body, headers=bearer(keys["ann"]))
        assert foreign.status_code == 422
        assert foreign.json()["errors"][0]["loc"] == ["protocol"]
        assert own.status_code in {201, 202}


def test_exact_a_data_set_of_another_owner_cannot_be_named(
    client: TestClient, keys: dict[str, str], resources: dict[str, str]
) -> None:
    request = {
        "kind": "losses",
        "blocks": "random",
        "dataset": resources["dataset_id"],
        "columns": {"losses": ["x"], "block": "n"},
    }
    answer = client.post("/v1/evaluations", json=request, headers=bearer(keys["bob"]))

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["dataset"]


def test_exact_idempotency_keys_are_each_owners(client: TestClient, keys: dict[str, str]) -> None:
    ids = {
        client.post(
            "/v1/evaluations", json=matrix(), headers={**bearer(key), "Idempotency-Key": "k"}
        ).json()["id"]
        for key in keys.values()
    }

    assert len(ids) == 2


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer th_00000000_" + "x" * 43},
        {"Authorization": "Basic YTpi"},
        {"X-API-Key": "\xe4"},
    ],
    ids=["none", "empty", "unknown", "basic", "odd"],
)
@each("method,path", ROUTES)
def test_exact_every_route_needs_a_key_once_there_is_one(
    client: TestClient, keys: dict[str, str], method: str, path: str, headers: dict[str, str]
) -> None:
    encoded = {k.encode(): v.encode("latin-1") for k, v in headers.items()}
    answer: Any = client.request(method, path.replace("{", "").replace("}", ""), headers=encoded)

    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorised")
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_exact_both_headers_take_a_key(client: TestClient, keys: dict[str, str]) -> None:
    for headers in (bearer(keys["ann"]), {"X-API-Key": keys["ann"]}):
        assert client.get("/v1/evaluations", headers=headers).status_code == 200


def test_exact_a_key_that_is_nearly_right_is_wrong(
    client: TestClient, keys: dict[str, str]
) -> None:
    key = keys["ann"]
    wrong = key[:-1] + ("A" if key[-1] != "A" else "B")
    assert client.get("/v1/evaluations", headers=bearer(key)).status_code == 200

    assert client.get("/v1/evaluations", headers=bearer(wrong)).status_code == 401


def test_exact_a_revoked_key_is_refused_and_the_door_stays_shut(
    client: TestClient, keys: dict[str, str]
) -> None:
    for key in keys.values():
        assert client.get("/v1/evaluations", headers=bearer(key)).status_code == 200
        with unit_of_work() as connection:
            assert api_keys.revoke(connection, key[: api_keys.PREFIX_LENGTH])
        assert client.get("/v1/evaluations", headers=bearer(key)).status_code == 401

    assert client.get("/v1/evaluations").status_code == 401


def test_exact_using_a_key_is_noted_and_the_key_is_not_kept(
    client: TestClient, keys: dict[str, str]
) -> None:
    client.get("/v1/evaluations", headers=bearer(keys["ann"]))
    with unit_of_work() as connection:
        rows = {row.owner: row for row in api_keys.list_all(connection)}
        stored = connection.exec_driver_sql("SELECT * FROM api_key").all()

    assert rows["ann"].last_used_at is not None
    assert rows["bob"].last_used_at is None
    assert not any(key in str(stored) for key in keys.values())


@pytest.mark.parametrize(
    ("client_host", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),
        ("::1", {"Host": "localhost:8000"}, 200),
        ("127.0.0.1", {"Host": "[::1]:8000"}, 200),
        ("127.0.0.1", {"Host": "rebound.example.org"}, 401),
        ("127.0.0.1", {"Host": "203.0.113.7"}, 401),
        ("127.0.0.1", {"Origin": "https://example.org"}, 401),
        ("127.0.0.1", {"Origin": "null"}, 401),
        ("127.0.0.1", {"Origin": "http://localhost:8000"}, 200),
        ("127.0.0.1", {"Host": "intranet"}, 401),
        ("127.0.0.1", {"Host": "site.localhost"}, 401),
        ("127.0.0.1", {"Host": "[::1"}, 401),
        ("127.0.0.1", {"Origin": "chrome-extension://abcdefghijklmnop"}, 401),
        ("127.0.0.1", {"Origin": "http://intranet"}, 401),
        ("127.0.0.1", {"Origin": "http://[::1"}, 401),
        ("203.0.113.7", {}, 401),
    ],
)
def test_exact_without_keys_only_this_machine_is_served(
    application: FastAPI, client_host: str, headers: dict[str, str], status: int
) -> None:
    client = TestClient(application, client=(client_host, 1), base_url="http://127.0.0.1")

    assert client.get("/v1/evaluations", headers=headers).status_code == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 404),
        ({"Origin": "http://127.0.0.1:8000", "Host": "127.0.0.1:8000"}, 404),
        ({"Origin": "HTTP://LocalHost:8000", "Host": "localhost:8000"}, 404),
        ({"Origin": "http://localhost:3000", "Host": "localhost:8000"}, 401),
        ({"Origin": "http://localhost:8000", "Host": "127.0.0.1:8000"}, 401),
        ({"Origin": "null"}, 401),
    ],
)
def test_exact_without_keys_no_other_page_changes_anything(
    application: FastAPI, headers: dict[str, str], status: int
) -> None:
    client = TestClient(application, client=("127.0.0.1", 1), base_url="http://127.0.0.1")
    answer = client.delete(f"/v1/datasets/{UUID(int=1)}", headers=headers)

    assert answer.status_code == status


def test_exact_another_address_needs_keys(client: TestClient, setting: Setting) -> None:
    setting(host="0.0.0.0")

    assert client.get("/v1/evaluations").status_code == 401
    assert client.get("/healthz").status_code == 200
