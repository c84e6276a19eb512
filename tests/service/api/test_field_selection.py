from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.requests import matrix
from thetahat_service.api.field_selection import check_selection, parse_fields, select_fields
from thetahat_service.errors import InvalidRequest
from thetahat_service.kinds.examples import RESULT, read_examples

NAMES = {"my model": "m", "ridge[penalty=0.1]": "r", 'a"b,c': "q"}


@pytest.fixture
def location(client: TestClient, worker: InlineWorker) -> str:
    body = matrix()
    body["losses"] = dict(zip(NAMES, [*body["losses"].values(), [[0] * 9] * 5], strict=True))
    answer = client.post("/v1/evaluations", json=body)
    worker.work()
    path: str = answer.headers["location"]
    return path


def get(client: TestClient, path: str, fields: str, **headers: str) -> Any:
    return client.get(path, params={"fields": fields}, headers=headers)


def test_exact_parts_of_an_evaluation_and_of_its_result(client: TestClient, location: str) -> None:
    whole = client.get(location).json()
    result = client.get(f"{location}/result").json()
    fields = (
        'status,result.summary.best_model,result.models."my model".recommended,'
        'result.models."ridge[penalty=0.1]".mean.pooled,result.models."a\\"b,c".n,'
        "result.comparisons.a,result.comparisons.verdict.decision,progress"
    )
    answer = get(client, location, fields)

    assert answer.status_code == 200
    assert answer.json() == {
        "status": "succeeded",
        "progress": whole["progress"],
        "result": {
            "summary": {"best_model": result["summary"]["best_model"]},
            "models": {
                "my model": {"recommended": result["models"]["my model"]["recommended"]},
                "ridge[penalty=0.1]": {
                    "mean": {"pooled": result["models"]["ridge[penalty=0.1]"]["mean"]["pooled"]}
                },
                'a"b,c': {"n": 45},
            },
            "comparisons": [
                {"a": pair["a"], "verdict": {"decision": pair["verdict"]["decision"]}}
                for pair in result["comparisons"]
            ],
        },
    }
    assert len(result["comparisons"]) == 3


def test_exact_the_whole_result_is_a_field(client: TestClient, location: str) -> None:
    result = client.get(f"{location}/result").json()

    assert get(client, location, "result").json() == {"result": result}
    assert get(client, location, "result.summary,result").json() == {"result": result}
    assert get(client, location, "result,result.summary").json() == {"result": result}


def test_exact_the_result_is_null_until_the_evaluation_has_succeeded(
    client: TestClient, worker: InlineWorker
) -> None:
    location = client.post("/v1/evaluations", json=matrix()).headers["location"]
    before = get(client, location, "status,result.summary.best_model")
    worker.work()
    after = get(client, location, "status,result.summary.best_model")

    assert before.json() == {"status": "queued", "result": None}
    assert "retry-after" in before.headers
    assert after.json()["status"] == "succeeded"
    assert after.json()["result"]["summary"]["best_model"] in {"nb", "svm"}


def test_exact_a_cancelled_evaluation_has_no_result(client: TestClient) -> None:
    location = client.post("/v1/evaluations", json=matrix()).headers["location"]
    client.post(f"{location}/cancel")

    assert get(client, location, "status,result").json() == {"status": "cancelled", "result": None}


def test_exact_each_selection_has_its_own_entity_tag(client: TestClient, location: str) -> None:
    tags = [
        client.get(location).headers["etag"],
        get(client, location, "status").headers["etag"],
        get(client, location, "status,result.summary").headers["etag"],
    ]
    known = {"If-None-Match": tags[1]}

    assert len(set(tags)) == 3
    assert get(client, location, "status", **known).status_code == 304
    assert get(client, location, "status,kind", **known).status_code == 200
    assert client.get(location, headers=known).status_code == 200


def test_exact_a_field_that_this_result_leaves_out_is_left_out(
    client: TestClient, location: str
) -> None:
    assert "gate" not in client.get(f"{location}/result").json()

    assert get(client, location, "result.gate,result.kind").json() == {"result": {"kind": "losses"}}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ("stat", "An evaluation has no field 'stat' (did you mean 'status'?)"),
        ("result.sumary", "result has no field 'sumary' (did you mean 'summary'?)"),
        ("result.summary.bestmodel", "(did you mean 'best_model'?)"),
        ('result.models."my modle"', "result.models has no field 'my modle' (did you mean 'my mo"),
        ('result.models."my model".mena', "result.models.\"my model\" has no field 'mena'"),
        ("result.comparisons.0", "result.comparisons has no field '0'"),
        ("status.done", "status has no field 'done'; it has no fields inside."),
        ("result.kind.x", "result.kind has no field 'x'"),
        ("result.", "ends where a name is expected (character 8)"),
        ("status,", "ends where a name is expected (character 8)"),
        (".status", "has '.status' where a name is expected (character 1)"),
        ("status,,kind", "(character 8)"),
        ("status, kind", "has ' kind' where"),
        ("result.models.*", "has '*' where a name is expected"),
        ("models(forest)", "has '(forest)' where"),
        ("result.models[0]", "has '[0]' where"),
        ('result.models."a', "has '\"a' where"),
        ('result."\\x"', "where a name is expected (character 8)"),
        (".".join(["a"] * 21), "more than 20 names"),
    ],
)
def test_invalid_fields(client: TestClient, location: str, fields: str, words: str) -> None:
    answer = get(client, location, fields)
    problem = answer.json()

    assert (answer.status_code, problem["code"]) == (422, "invalid_request")
    assert words in problem["detail"]
    assert problem["errors"][0]["loc"] == ["query", "fields"]


def test_invalid_fields_of_a_running_evaluation_are_refused_before_its_end(
    client: TestClient,
) -> None:
    location = client.post("/v1/evaluations", json=matrix()).headers["location"]

    assert get(client, location, "result.sumary").status_code == 422
    assert get(client, location, "result.models.any").json() == {"result": None}


@pytest.mark.parametrize("fields", ["", "x" * 4001])
def test_invalid_length_of_fields(client: TestClient, location: str, fields: str) -> None:
    assert get(client, location, fields).status_code == 422


def paths(value: Any, start: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Return the path of every field in a document."""
    if isinstance(value, list):
        return [path for item in value for path in paths(item, start)]
    if not isinstance(value, dict):
        return []
    return [
        path
        for name, item in value.items()
        for path in [(*start, name), *paths(item, (*start, name))]
    ]


@pytest.mark.parametrize("kind", sorted(read_examples(RESULT)))
def test_property_every_field_of_every_result_can_be_selected(kind: str) -> None:
    document = {"result": read_examples(RESULT)[kind]}
    every = sorted(set(paths(document)))
    for path in every:
        selection = parse_fields(".".join(json.dumps(name) for name in path))
        check_selection(selection, kind)
        selected = select_fields(document, selection, kind)
        assert set(paths(selected)) >= {path}
        assert all(
            other[: len(path)] == path or path[: len(other)] == other for other in paths(selected)
        )
    assert len(every) > 20


@given(st.text(max_size=30))
def test_property_any_text_is_read_or_refused(text: str) -> None:
    refused = None
    selection = None
    try:
        selection = parse_fields(text)
    except InvalidRequest as error:
        refused = error

    assert (selection is None) != (refused is None)
    assert refused is None or refused.errors[0].loc == ("query", "fields")
    assert selection is None or set(selection) != set()
