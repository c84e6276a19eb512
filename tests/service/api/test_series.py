"""Series over HTTP: what is fixed, batches, looks, decisions, figures, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.service.storage.databases import Setting
from thetahat_service.schemas.openapi_examples import EXAMPLES

PAIR: dict[str, Any] = {"models": ["new", "old"]}


def create(client: TestClient, body: dict[str, Any] = PAIR, key: str | None = None) -> Any:
    headers = {} if key is None else {"Idempotency-Key": key}
    return client.post("/v1/series", json=body, headers=headers)


def add(client: TestClient, path: str, key: str, body: Any) -> Any:
    return client.post(f"{path}/batches", json=body, headers={"Idempotency-Key": key})


def draw(seed: int, n: int = 60, rates: tuple[float, float] = (0.1, 0.4)) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    losses = {
        name: (rng.random(n) < rate).astype(int).tolist()
        for name, rate in zip(("new", "old"), rates, strict=True)
    }
    return {"losses": losses}


def test_exact_from_the_creation_to_a_decision(client: TestClient) -> None:
    expected = {"difference": -0.3, "standard_deviation": 0.6, "batch_units": 60}
    made = create(client, {**PAIR, "margin": 0.05, "expected": expected, "name": "nightly"})
    path = made.headers["location"]
    looks = [add(client, path, str(n), draw(n)) for n in range(4)]
    now = client.get(path)
    body, look = now.json(), looks[-1].json()

    assert (made.status_code, {each.status_code for each in looks}) == (201, {201})
    assert made.json()["plan"]["additional_batches"] == 2
    assert made.json()["sentence"] == "There is no batch yet."
    assert (body["batches"], body["rows"], body["decision"]) == (4, 240, "better")
    assert (body["latest"], body["plan"], body["decided_at_look"]) == (look, None, 2)
    assert body["sentence"].startswith("new: better, decided at look 2. After 240 rows new is ")
    values = np.concatenate(
        [np.subtract(*(draw(n)["losses"][name] for name in ("new", "old"))) for n in range(4)]
    )
    assert look["estimate"] == pytest.approx(values.mean(), rel=1e-12)
    assert look["lower"] < look["estimate"] < look["upper"] < 0
    assert 0 < look["p_value"] < looks[1].json()["p_value"] < 0.05
    assert look["e_value"] > 20
    unchanged = client.get(path, headers={"If-None-Match": now.headers["etag"]})
    assert unchanged.status_code == 304


def test_exact_a_batch_that_is_sent_twice_is_counted_once(client: TestClient) -> None:
    path = create(client).headers["location"]
    first = add(client, path, "monday", draw(1))
    second = add(client, path, "monday", draw(1))
    other = add(client, path, "monday", draw(2))
    without = client.post(f"{path}/batches", json=draw(1))

    assert (first.json(), first.status_code) == (second.json(), second.status_code)
    assert "idempotency-replayed" not in first.headers
    assert second.headers["idempotency-replayed"] == "true"
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_mismatch")
    assert (without.status_code, without.json()["errors"][0]["loc"]) == (
        400,
        ["header", "Idempotency-Key"],
    )
    assert client.get(path).json()["batches"] == 1


def test_exact_a_series_that_is_created_twice_is_one(client: TestClient) -> None:
    first, second = create(client, key="s"), create(client, key="s")
    other = create(client, {**PAIR, "margin": 0.1}, "s")

    assert first.json()["id"] == second.json()["id"]
    assert second.headers["idempotency-replayed"] == "true"
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_mismatch")
    assert len(client.get("/v1/series").json()["items"]) == 1


def test_exact_looks_by_page_and_after_the_end(client: TestClient) -> None:
    path = create(client).headers["location"]
    for number in range(5):
        add(client, path, str(number), draw(number))
    first = client.get(f"{path}/looks?limit=3").json()
    second = client.get(f"{path}/looks?limit=3&cursor={first['next']}").json()
    closed, again = (client.post(f"{path}/close").json() for _ in range(2))
    refused = add(client, path, "late", draw(9))
    listed = {s: client.get(f"/v1/series?status={s}").json()["items"] for s in ("open", "closed")}

    assert [look["number"] for look in [*first["items"], *second["items"]]] == [5, 4, 3, 2, 1]
    assert second["next"] is None
    assert closed == again
    assert closed["status"] == "closed"
    assert (refused.status_code, refused.json()["code"]) == (409, "series_closed")
    assert ([], [closed["id"]]) == (listed["open"], [each["id"] for each in listed["closed"]])
    assert client.delete(path).status_code == 204
    assert client.get(path).status_code == client.get(f"{path}/looks").status_code == 404


def test_exact_the_figure_has_the_looks_the_margins_and_the_decision(client: TestClient) -> None:
    path = create(client, {**PAIR, "margin": 0.05}).headers["location"]
    for number in range(4):
        add(client, path, str(number), draw(number))
    spec = client.get(f"{path}/figures/sequence.json").json()
    drawn = client.get(f"{path}/figures/sequence.svg")
    missing = client.get(f"{path}/figures/forest.svg")
    rows = spec["data"]["values"]
    line = [row for row in rows if row["series"] == "new - old"]

    assert [row["x"] for row in line] == [60, 120, 180, 240]
    assert [row["ringed"] for row in line] == [False, True, False, False]
    assert [row["lower"] is None for row in line] == [True, False, False, False]
    margins = {(row["series"], row["y"]) for row in rows if row["series"].startswith("margin")}
    assert margins == {("margin above", 0.05), ("margin below", -0.05)}
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert b"4 looks at new - old" in drawn.content
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
    assert client.get(f"{create(client).headers['location']}/figures/sequence.json").json()


def test_exact_the_examples_of_the_document_are_accepted(client: TestClient) -> None:
    made = [create(client, body) for body in EXAMPLES["series"].values()]
    look = add(client, made[0].headers["location"], "k", EXAMPLES["batch"]).json()

    assert {answer.status_code for answer in made} == {201}
    assert {**look, "received_at": ""} == {**EXAMPLES["look"], "received_at": ""}


def test_exact_planned_looks_end(client: TestClient) -> None:
    method = {"name": "planned", "params": {"rows": 200, "looks": [0.5, 1]}}
    path = create(client, {**PAIR, "method": method}).headers["location"]
    looks = [add(client, path, str(n), draw(n, 50)).json() for n in range(4)]
    late = add(client, path, "late", draw(9, 50))

    assert [look["lower"] is None for look in looks] == [True, False, True, False]
    assert looks[3]["conditional_power"] is None
    assert 0 <= looks[0]["conditional_power"] <= 1
    assert late.status_code == 409
    assert "last planned look" in late.json()["detail"]


@pytest.mark.parametrize(
    ("body", "loc", "code"),
    [
        ({**PAIR, "marg": 1}, ["marg"], "invalid_request"),
        ({**PAIR, "labels": {"a": "x\0"}}, ["labels", "a"], "invalid_request"),
        ({"models": ["a"]}, ["reference"], "invalid_parameter"),
        ({**PAIR, "margin": 0}, ["margin"], "invalid_request"),
        ({**PAIR, "level": 95}, ["level"], "invalid_parameter"),
        ({**PAIR, "stop": ["equivalent"]}, ["stop", 0], "invalid_parameter"),
        ({**PAIR, "stop": ["better", "futile"]}, ["stop", 1], "unsupported_combination"),
        ({**PAIR, "method": "asymptotc"}, ["method", "name"], "invalid_parameter"),
        ({**PAIR, "method": "bounded"}, ["method", "params", "range"], "invalid_request"),
        (
            {**PAIR, "method": "binomial_mixture", "unit": "cluster"},
            ["method"],
            "unsupported_combination",
        ),
    ],
)
def test_invalid_series(client: TestClient, body: Any, loc: Any, code: str) -> None:
    answer = create(client, body)

    assert (answer.status_code, answer.json()["code"]) == (422, code), answer.text
    assert loc in [error["loc"] for error in answer.json()["errors"]]
    assert client.get("/v1/series").json()["items"] == []


@pytest.mark.parametrize(
    ("body", "loc"),
    [
        ({"losses": {"new": [1]}}, ["losses"]),
        ({"losses": {"new": [1], "old": [1], "third": [1]}}, ["losses", "third"]),
        ({"losses": {"new": [1, 0], "old": [1]}}, ["losses", "old"]),
        ({"losses": {"new": [1], "old": [None]}}, ["losses", "old", 0]),
        ({"losses": {"new": ["1"], "old": [0]}}, ["losses", "new", 0]),
        ({"losses": {"new": [1], "old": [1]}, "cluster": [1]}, ["cluster"]),
        ({"losses": {"new": [1], "old": [1]}, "at": "2026-11-26T00:00:00"}, ["at"]),
        ({"losses": {"new": [1], "old": [1]}, "at": "0001-01-01T00:00:00+01:00"}, ["at"]),
    ],
)
def test_invalid_batches(client: TestClient, body: Any, loc: Any) -> None:
    path = create(client).headers["location"]
    answer = add(client, path, "k", body)

    assert answer.status_code == 422, answer.text
    assert loc in [error["loc"] for error in answer.json()["errors"]]
    assert client.get(path).json()["batches"] == 0
    assert add(client, path, "k", draw(1)).status_code == 201  # the key is still free


def test_invalid_too_many_series(client: TestClient, setting: Setting) -> None:
    setting(max_series=1)
    create(client)
    refused = create(client)

    assert (refused.status_code, refused.json()["code"]) == (429, "quota_exceeded")


def test_exact_a_delivery_names_the_series(client: TestClient) -> None:
    webhook = client.post("/v1/webhooks", json={"url": "https://hooks.example.com/"})
    path = create(client).headers["location"]
    for number in range(3):
        add(client, path, str(number), draw(number))
    sent = client.get(f"{webhook.headers['location']}/deliveries").json()["items"]

    assert [(each["event_type"], each["evaluation_id"]) for each in sent] == [
        ("series.decided", None)
    ]
    assert sent[0]["series_id"] == path.rpartition("/")[2]
