"""The OpenAPI document: complete, without leftovers, and with schemas that results satisfy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.json_schema import check_value
from tests.service.api.requests import matrix, nap
from tests.worker.sleeping_kind import KIND
from thetahat_service.api.app import create_app
from thetahat_service.kinds.examples import REQUEST, RESULT, read_examples
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.schemas.events import EVENTS

WITHOUT_DESCRIPTION: set[str] = set()


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The document of an application of its own, without the kind of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(JOB_KINDS, KIND.name, raising=False)
        return create_app().openapi()


def schema_of(document: dict[str, Any], path: str, status: str = "200") -> Any:
    responses = document["paths"][path]["get"]["responses"]
    return responses[status]["content"]["application/json"]["schema"]


def references_in(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*map(references_in, value.values()))
    return set().union(*map(references_in, value)) if isinstance(value, list) else set()


def test_exact_every_kind_has_its_request_and_result(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    requests = schemas["AnyRequest"]["discriminator"]["mapping"]
    results = schemas["AnyResult"]["discriminator"]["mapping"]

    assert set(requests) == set(JOB_KINDS) - {KIND.name}
    assert set(results) == set(requests)
    for name, reference in [*requests.items(), *results.items()]:
        kind = schemas[reference.rpartition("/")[2]]["properties"]["kind"]
        assert name in kind.get("enum", [kind.get("const")])


def test_exact_the_document_refers_to_what_it_has_and_has_nothing_else(
    document: dict[str, Any],
) -> None:
    known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}

    assert references_in(document) == known


def test_exact_titles_and_operation_ids_are_unique_and_plain(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    titles = Counter(schema.get("title", name) for name, schema in schemas.items())
    operations = [op for operations in document["paths"].values() for op in operations.values()]
    ids = Counter(operation["operationId"] for operation in operations)

    assert [title for title, count in (titles + ids).items() if count > 1] == []
    assert [name for name in schemas if not name.isidentifier() or "__" in name] == []
    assert {"submit_evaluation", "get_evaluation", "get_result"} <= set(ids)
    assert all(operation["description"] for operation in operations)


def schemas_in(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every schema below a component's schema, with its path."""
    yield ".".join(path), value
    for name, field in value.get("properties", {}).items():
        yield from schemas_in(field, (*path, name))
    for key in ("items", "additionalProperties"):
        if isinstance(value.get(key), dict):
            yield from schemas_in(value[key], (*path, key))
    for number, branch in enumerate(value.get("anyOf", [])):
        yield from schemas_in(branch, (*path, f"anyOf{number}"))


def test_exact_every_schema_has_a_type(document: dict[str, Any]) -> None:
    typed = {"type", "$ref", "anyOf", "oneOf", "enum", "const"}
    untyped = {
        path
        for name, component in document["components"]["schemas"].items()
        for path, schema in schemas_in(component, (name,))
        if not typed & schema.keys()
    }

    assert untyped == {"ProblemFieldError.value"}  # whatever the client has sent


def test_exact_every_field_of_a_request_is_described(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    requests = schemas["AnyRequest"]["discriminator"]["mapping"].values()
    names = [reference.rpartition("/")[2] for reference in requests]
    bare = {
        f"{name}.{field}"
        for name in names
        for field, schema in schemas[name]["properties"].items()
        if "description" not in schema
    }

    assert bare == set()


def test_exact_errors_have_their_media_type(document: dict[str, Any]) -> None:
    for operations in document["paths"].values():
        for operation in operations.values():
            for status, response in operation["responses"].items():
                if status >= "400" and status != "503":
                    assert list(response["content"]) == ["application/problem+json"]


def test_exact_every_field_has_a_description(document: dict[str, Any]) -> None:
    missing = {
        f"{name}.{field}"
        for name, schema in document["components"]["schemas"].items()
        for field, inner in schema.get("properties", {}).items()
        if not inner.get("description") and "$ref" not in inner and "const" not in inner
    }

    assert missing == WITHOUT_DESCRIPTION


def test_exact_the_examples_satisfy_their_schemas_and_are_taken(
    client: TestClient, document: dict[str, Any]
) -> None:
    requests, results = read_examples(REQUEST), read_examples(RESULT)
    for name, body in requests.items():
        if "dataset" not in str(body):  # the data sets of an example are not there
            assert client.post("/v1/evaluations", json=body).status_code == 202, name
    for name, body in results.items():
        check_value(document, document["components"]["schemas"]["AnyResult"], body, (name,))


def test_exact_responses_satisfy_their_schemas(
    client: TestClient, worker: InlineWorker, document: dict[str, Any]
) -> None:
    there = client.post("/v1/evaluations", json=matrix()).headers["location"]
    worker.work()
    path = "/v1/evaluations/{evaluation_id}"
    for url, name, status in (
        (there, path, "200"),
        (f"{there}/result", f"{path}/result", "200"),
        (f"{there}/losses", f"{path}/losses", "200"),
        ("/v1/evaluations", "/v1/evaluations", "200"),
        ("/healthz", "/healthz", "200"),
        ("/readyz", "/readyz", "503"),
        ("/problems", "/problems", "200"),
        ("/v1/methods", "/v1/methods", "200"),
    ):
        response = client.get(url)
        assert str(response.status_code) == status
        check_value(document, schema_of(document, name, status), response.json(), (url,))


def test_exact_the_events_satisfy_their_schemas(
    client: TestClient, worker: InlineWorker, document: dict[str, Any]
) -> None:
    import orjson

    content = document["paths"]["/v1/evaluations/{evaluation_id}/events"]["get"]["responses"]
    items = content["200"]["content"]["text/event-stream"]["itemSchema"]["oneOf"]
    schemas = {
        item["properties"]["event"]["const"]: item["properties"]["data"]["contentSchema"]
        for item in items
    }
    assert set(schemas) == set(EVENTS)
    seen = set()
    for body in (matrix(), nap(fault="refuse")):
        there = client.post("/v1/evaluations", json=body).headers["location"]
        worker.work()
        for block in client.get(f"{there}/events").text.split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
            if "event" in fields:
                seen.add(fields["event"])
                data = orjson.loads(fields["data"])
                check_value(document, schemas[fields["event"]], data, (fields["event"],))
    assert seen == {"queued", "started", "succeeded", "failed"}
