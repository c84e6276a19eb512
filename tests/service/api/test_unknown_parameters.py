"""Query parameters that an operation does not have are refused, on every route of the API."""

from __future__ import annotations

import re
from uuid import uuid4

from fastapi import FastAPI
from starlette.testclient import TestClient

from tests.cases import case, each

OPERATIONS = ("get", "post", "delete", "put", "patch")
PROBES_AND_PAGES = {"/healthz", "/readyz", "/metrics", "/problems", "/problems/{code}"}
"""Operations outside of /v1: probes of other programs and pages, whose links may carry more."""


def test_exact_every_operation_refuses_unknown_parameters(
    client: TestClient, application: FastAPI
) -> None:
    paths = application.openapi()["paths"]
    operations = [
        (method, path)
        for path, methods in paths.items()
        for method in methods
        if path not in PROBES_AND_PAGES and method in OPERATIONS
    ]
    assert len(operations) > 35
    assert paths.keys() >= PROBES_AND_PAGES
    for method, path in operations:
        with case(method, path):
            filled = re.sub(r"{\w+_id}", str(uuid4()), path)
            filled = re.sub(r"{\w+}", "x", filled)
            answer = client.request(method.upper(), filled, params={"no_such_parameter": "1"})

            assert answer.status_code == 422, answer.text
            error = answer.json()["errors"][0]
            assert error["loc"] == ["query", "no_such_parameter"]
            assert error["value"] == "1"
            parameters = paths[path][method].get("parameters", [])
            names = ", ".join(each["name"] for each in parameters if each["in"] == "query")
            ending = f"The parameters are {names}." if names else "This operation has none."
            assert error["message"].endswith(ending)


def test_exact_all_faults_of_a_query_are_named_at_once(client: TestClient) -> None:
    answer = client.get("/v1/evaluations", params={"stauts": "queued", "limit": "0", "x9": ""})

    assert answer.status_code == 422
    problem = answer.json()
    assert [error["loc"] for error in problem["errors"]] == [
        ["query", "stauts"],
        ["query", "x9"],
        ["query", "limit"],
    ]
    assert problem["detail"].startswith(
        "There is no query parameter stauts (did you mean 'status'?). The parameters are status, "
    )
    assert problem["code"] == "invalid_request"


@each("path", ("/evaluations/new", "/methods", "/healthz", "/openapi.json"))
def test_exact_pages_and_probes_ignore_unknown_parameters(client: TestClient, path: str) -> None:
    answer = client.get(path, params={"from": "mail"}, headers={"Accept": "text/html"})

    assert answer.status_code == 200, answer.text
