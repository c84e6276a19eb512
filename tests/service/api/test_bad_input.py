from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.service.api.requests import FILES, JSON_TYPE, PARQUET, matrix
from tests.service.storage.databases import Setting

PROBLEM_FIELDS = {
    "type",
    "title",
    "status",
    "detail",
    "instance",
    "code",
    "errors",
    "request_id",
}


def send(client: TestClient, content: Any) -> Any:
    if not isinstance(content, bytes):
        content = json.dumps(content).encode()
    return client.post("/v1/evaluations", content=content, headers=JSON_TYPE)


def check_problem(answer: Any) -> dict[str, Any]:
    body: dict[str, Any] = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert set(body) >= PROBLEM_FIELDS
    assert body["type"] == f"/problems/{body['code']}"
    assert body["status"] == answer.status_code
    assert body["request_id"] == answer.headers["x-request-id"]
    assert "Traceback" not in answer.text
    return body


def changed(**fields: Any) -> dict[str, Any]:
    return {**matrix(), **fields}


def with_loss(value: Any) -> dict[str, Any]:
    request = matrix()
    request["losses"]["svm"][2][3] = value
    return request


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_invalid_numbers_that_json_does_not_have(client: TestClient, text: str) -> None:
    body = json.dumps(with_loss("HERE")).replace('"HERE"', text).encode()
    problem = check_problem(send(client, body))

    assert problem["status"] == 422
    assert problem["errors"][0]["loc"] == ["losses", "svm", 2, 3]
    assert problem["errors"][0]["value"] == text.replace("1e999", "Infinity")


@pytest.mark.parametrize(
    ("request_", "loc", "value"),
    [
        (with_loss("1.5"), ["losses", "svm", 2, 3], "1.5"),
        (with_loss(value=True), ["losses", "svm", 2, 3], True),
        (with_loss(None), ["losses", "svm", 2, 3], None),
        (changed(level=0), ["level"], 0),
        (changed(level=1), ["level"], 1),
        (changed(level=1.5), ["level"], 1.5),
        (changed(level="0.9x"), ["level"], "0.9x"),
        (changed(kind="loses"), ["kind"], "loses"),
        (changed(kind=None), ["kind"], None),
        (changed(kind=["losses"]), ["kind"], ["losses"]),
        (changed(seed=-1), ["seed"], -1),
        (changed(seed=2**63), ["seed"], str(2**63)),
        (changed(seed=1.5), ["seed"], 1.5),
        (changed(name="x" * 201), ["name"], "x" * 197 + "..."),
        (changed(labels={"a b": "c"}), ["labels", "a b"], "a b"),
        (changed(labels={"a": 3}), ["labels", "a"], 3),
        (changed(unknown=[1, 2]), ["unknown"], [1, 2]),
        (changed(blocks="fold"), ["blocks"], "fold"),
        (changed(variances=["theta_9"]), ["variances", 0, "name"], "theta_9"),
        (changed(variances=[{"nam": "theta_5"}]), ["variances", 0, "name"], None),
        (changed(variances=[3]), ["variances", 0], 3),
        (
            changed(tests=[{"name": "sign", "params": {"nope": 1}}]),
            ["tests", 0, "params", "nope"],
            1,
        ),
    ],
)
def test_invalid_fields_are_named_with_their_value(
    client: TestClient, request_: Any, loc: list[Any], value: Any
) -> None:
    problem = check_problem(send(client, request_))

    assert problem["status"] == 422
    faults = {tuple(fault["loc"]): fault["value"] for fault in problem["errors"]}
    assert tuple(loc) in faults, faults
    assert faults[tuple(loc)] == value


@pytest.mark.parametrize(
    "losses",
    [
        {},
        [],
        {"nb": []},
        {"nb": [[]]},
        {"nb": [[1, 2]]},
        {"nb": [[1, 2], [3]], "svm": [[1], [2, 3]]},
        {"nb": [[1, 2], [3, 4]], "svm": [[1, 2]]},
        {"nb": {"a": 1}},
        {"nb": "1,2,3"},
        {"nb": [[[1]]]},
        {"": [[1, 2], [3, 4]], "b": None},
    ],
    ids=str,
)
def test_invalid_matrices(client: TestClient, losses: Any) -> None:
    problem = check_problem(send(client, changed(losses=losses)))

    assert problem["status"] == 422
    assert problem["errors"][0]["loc"][0] in {"losses", "block"}


def test_invalid_a_method_that_does_not_fit_names_those_that_do(client: TestClient) -> None:
    problem = check_problem(send(client, changed(variances=["theta_B"])))

    assert problem["status"] == 422
    assert problem["errors"][0]["loc"][0] == "variances"
    assert "theta_" in problem["detail"] or "nadeau" in problem["detail"]


def test_invalid_an_unknown_kind_lists_the_kinds(client: TestClient) -> None:
    problem = check_problem(send(client, {"kind": "loses"}))

    assert "losses" in problem["detail"]
    assert "predictions" in problem["detail"]


def test_invalid_a_data_set_that_is_not_there(client: TestClient) -> None:
    missing = "00000000-0000-4000-8000-00000000dead"
    columns = {"losses": ["a"], "block": "b"}
    problem = check_problem(
        send(client, {"kind": "losses", "blocks": "random", "dataset": missing, "columns": columns})
    )

    assert problem["status"] == 422
    assert problem["errors"] == [
        {"loc": ["dataset"], "message": f"There is no data set {missing}.", "value": missing}
    ]


def test_invalid_an_unknown_column_lists_the_columns(client: TestClient) -> None:
    upload = client.post("/v1/datasets", content=FILES[PARQUET], headers={"Content-Type": PARQUET})
    request = {
        "kind": "losses",
        "blocks": "random",
        "dataset": upload.json()["id"],
        "columns": {"losses": ["x"], "block": "fold"},
    }
    problem = check_problem(send(client, request))

    assert problem["status"] == 422
    assert problem["errors"][0]["value"] == "fold"
    assert "site" in problem["detail"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"kind": "losses", "losses": ' + b"[" * 400 + b"1" + b"]" * 400 + b"}",
        b"{'kind': 'losses'}",
        b'{"kind": "\\ud800"}',
        b"nul",
    ],
    ids=lambda body: repr(body[:20]),
)
def test_invalid_bodies_that_are_not_json(client: TestClient, body: bytes) -> None:
    problem = check_problem(send(client, body))

    assert (problem["status"], problem["code"]) == (400, "malformed_request")


@pytest.mark.parametrize("body", [b"null", b"3", b'"losses"', b"[]", b"{}", b"true"])
def test_invalid_json_that_is_no_request(client: TestClient, body: bytes) -> None:
    assert check_problem(send(client, body))["status"] == 422


def test_invalid_a_body_over_the_limit(client: TestClient, setting: Setting) -> None:
    setting(max_json_bytes=2000)
    request = json.dumps(changed(name="x" * 150, losses={"nb": [[0.5] * 1000] * 2})).encode()
    declared = send(client, request)

    def pieces() -> Any:
        for i in range(0, len(request), 500):
            yield request[i : i + 500]

    counted = client.post("/v1/evaluations", content=pieces(), headers=JSON_TYPE)
    for answer in (declared, counted):
        problem = check_problem(answer)
        assert problem["status"] == 413
        assert "/v1/datasets" in problem["detail"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": ""},
        {"Content-Type": "application/json", "Content-Encoding": "br"},
    ],
)
def test_invalid_content_types(client: TestClient, headers: dict[str, str]) -> None:
    answer = client.post("/v1/evaluations", content=json.dumps(matrix()), headers=headers)

    assert check_problem(answer)["status"] == 415


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nope", 404),
        ("GET", "/v1/nope", 404),
        ("PUT", "/v1/evaluations", 405),
        ("DELETE", "/v1/datasets", 405),
        ("POST", "/healthz", 405),
        ("GET", "/v1/evaluations/", 404),
        ("GET", "/v1/evaluations/x", 404),
        ("GET", "/v1/evaluations/%00/result", 404),
        ("GET", "/v1/datasets/%F0%9F%92%A9/preview", 404),
        ("GET", "/v1/methods/nope", 404),
        ("GET", "/problems/nope", 404),
        ("GET", "/problems/%3Cscript%3E", 404),
    ],
)
def test_invalid_paths(client: TestClient, method: str, path: str, status: int) -> None:
    problem = check_problem(client.request(method, path))

    assert problem["status"] == status


def test_invalid_methods_say_which_there_are(client: TestClient) -> None:
    assert client.put("/v1/evaluations").headers["allow"] == "GET, HEAD, POST"
    assert client.post("/healthz").headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "deep"}])
def test_invalid_a_body_that_is_nested_too_deeply(
    client: TestClient, headers: dict[str, str]
) -> None:
    losses = b"[" * 500 + b"1" + b"]" * 500
    body = b'{"kind":"losses","losses":{"a":' + losses + b"}}"
    answer = client.post("/v1/evaluations", content=body, headers={**JSON_TYPE, **headers})

    assert answer.status_code == 400
    assert "nested too deeply" in check_problem(answer)["detail"]


@pytest.mark.parametrize(
    ("old", "new", "loc"),
    [
        ('"kind"', '"kind": "losses", "kind"', ["kind"]),
        ('"nb": ', '"nb": [[0]], "n\\u0062": ', ["losses", "nb"]),
        ('"level": 0.9', '"level": 0.9, "level": 0.5', ["learners", 1, "level"]),
    ],
)
def test_invalid_a_key_that_is_there_twice(
    client: TestClient, old: str, new: str, loc: list[str | int]
) -> None:
    text = json.dumps({**matrix(), "learners": [{}, {"level": 0.9}]})
    problem = check_problem(send(client, text.replace(old, new, 1).encode()))

    assert problem["status"] == 422
    assert [error["loc"] for error in problem["errors"]] == [loc]
    path = ".".join(map(str, loc))
    assert problem["detail"] == f"The field {path} occurs twice. Give it once."


@pytest.mark.parametrize("name", [None, True, 3, 0.5])
def test_invalid_a_generator_whose_name_is_no_text(client: TestClient, name: Any) -> None:
    population = {"generator": {"name": name}, "n_judged": 10_000, "task": "classification"}
    problem = check_problem(send(client, {"kind": "study", "population": population}))

    assert problem["status"] == 422
    assert ["population", "generator", "name"] in [error["loc"] for error in problem["errors"]]
