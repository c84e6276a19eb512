"""What a refusal says: the place, what was found, and what may stand there instead."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.service.api.requests import JSON_TYPE, matrix
from thetahat.common_names import COMMON_NAMES
from thetahat_service.api.request_fields import list_fields_at
from thetahat_service.kinds.registry import JOB_KINDS

X = [[-1.0], [0.5], [1.0], [2.0], [-0.5], [1.5]]
FIT: dict[str, Any] = {
    "kind": "cross_validation",
    "data": {"X": X, "y": [1, 2, 3, 4, 5, 6]},
    "task": "regression",
    "learners": {"m": "mean"},
    "scheme": {"name": "k_fold", "params": {"n_folds": 2}},
}

STANDARDISE_Z = {"name": "standardise", "columns": ["z"]}


def refused(client: TestClient, body: dict[str, Any]) -> tuple[list[Any], str]:
    answer = client.post("/v1/evaluations", json=body, headers=JSON_TYPE)
    assert answer.status_code == 422
    fault = answer.json()["errors"][0]
    return fault["loc"], fault["message"]


@pytest.mark.parametrize(
    ("path", "body", "loc", "near", "known"),
    [
        ("/v1/series", {"models": ["a", "b"], "margn": 1}, ["margn"], "margin", "name, labels"),
        ("/v1/protocols", {"margin": 1, "modles": []}, ["modles"], "models", "name, description"),
        (
            "/v1/protocols",
            {"series": {"methd": "planned"}},
            ["series", "methd"],
            "method",
            "method, stop, reference",
        ),
        (
            "/v1/webhooks",
            {"url": "https://a.test", "event_typs": []},
            ["event_typs"],
            "event_types",
            "url",
        ),
        ("/v1/evaluations/batch", {"itmes": []}, ["itmes"], "items", "items"),
    ],
)
def test_exact_an_unknown_field_is_suggested_everywhere(
    client: TestClient, path: str, body: Any, loc: list[str], near: str, known: str
) -> None:
    errors = client.post(path, json=body).json()["errors"]
    message = next(each["message"] for each in errors if each["loc"] == loc)

    assert message.startswith(f"There is no field {'.'.join(loc)} (did you mean {near!r}?). ")
    assert f"The fields are {known}" in message


@pytest.mark.parametrize(
    ("body", "loc", "words"),
    [
        (
            {"kind": "loses"},
            ["kind"],
            "There is no kind 'loses' (did you mean 'losses'?). The kinds are",
        ),
        ({"kind": 3}, ["kind"], "The field kind must be a string. The kinds are agreement, "),
        (
            {**matrix(), "interval": []},
            ["interval"],
            "There is no field interval (did you mean 'intervals'?). The fields are protocol, ",
        ),
        (
            {**FIT, "data": {**FIT["data"], "weights": [1]}},
            ["data", "weights"],
            "There is no field data.weights (did you mean 'weight'?). The fields are X, y, ",
        ),
        ({**FIT, "scheme": "KFold"}, ["scheme", "name"], "schemes (did you mean 'k_fold'?): "),
        (
            {**FIT, "scheme": {"name": "k_fold", "params": {"folds": 2}}},
            ["scheme", "params", "folds"],
            "k_fold has no parameter 'folds' (did you mean 'n_folds'?). Its parameters are: n_fold",
        ),
        ({**FIT, "learners": {"m": "rigde"}}, ["learners", "m", "name"], "(did you mean 'ridge'?)"),
        (
            {**FIT, "learners": {"m": {"name": "Ridge", "params": {"alfa": 1}}}},
            ["learners", "m", "params", "alfa"],
            "(did you mean 'alpha'?)",
        ),
        (
            {**FIT, "learners": {"m": {"name": "ridge", "prepare": ["standardize"]}}},
            ["learners", "m", "prepare", 0, "name"],
            "(did you mean 'standardise'?)",
        ),
        ({**FIT, "columns": {"target": "y"}}, ["columns"], "has columns and no dataset"),
        (
            {**FIT, "learners": {"m": {"name": "ridge", "prepare": [STANDARDISE_Z]}}},
            ["learners", "m", "prepare", 0, "columns", 0],
            "There is no column 'z'. The input columns of this step are x0",
        ),
        ({**matrix(), "columns": {"losses": ["a"]}}, ["columns"], "has columns and no dataset"),
        (
            {**matrix(), "losses": "nb"},
            ["losses"],
            "The field losses must be an object, and is 'nb'.",
        ),
        ({**FIT, "learners": {}}, ["learners"], "The field learners must not be empty."),
        ({**FIT, "learners": {"m": {"nam": "ridge"}}}, ["learners", "m"], "an object with a name"),
        (
            {**FIT, "task": "fit"},
            ["task"],
            "The field task must be 'classification' or 'regression', and is 'fit'.",
        ),
        (
            {**FIT, "dataset": "abc", "data": None},
            ["dataset"],
            "The field dataset must be an id (a UUID), and is 'abc'.",
        ),
        ({**matrix(), "seed": -1}, ["seed"], "The field seed must be at least 0, and is -1."),
        ({**matrix(), "seed": 1.5}, ["seed"], "The field seed must be a whole number, and is 1.5."),
        (
            {**matrix(), "control": "SVM"},
            ["control"],
            "control 'SVM' is not one of the models (did you mean 'svm'?): nb, svm",
        ),
        (
            {"kind": "weights", "source": {"X": X}, "target": {"X": X}, "weights": "given"},
            ["source", "weight"],
            "source.weight",
        ),
        (
            {
                **FIT,
                "loss": {"name": "cost_matrix"},
                "task": "classification",
                "learners": {"m": "majority"},
            },
            ["loss", "params", "costs"],
            "The method cost_matrix needs the parameter costs. Give it in params.",
        ),
    ],
    ids=lambda value: "-".join(map(str, value)) if isinstance(value, list) else None,
)
def test_exact_a_refusal_names_the_allowed_values(
    client: TestClient, body: dict[str, Any], loc: list[Any], words: str
) -> None:
    place, message = refused(client, body)

    assert place == loc
    assert words in message


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ({"learners": {"m": {"name": "ridge", "grid": {}}}}, {}),
        ({"learners": {"m": {"name": "ridge", "prepare": "pca"}}}, "pca"),
        ({"scheme": "leave_one_source_out"}, None),
        ({"columns": {"target": "y"}}, {"target": "y"}),
    ],
    ids=["grid", "prepare", "missing", "columns"],
)
def test_exact_a_refusal_shows_what_was_found(
    client: TestClient, change: dict[str, Any], value: Any
) -> None:
    answer = client.post("/v1/evaluations", json={**FIT, **change}, headers=JSON_TYPE)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["value"] == value


def test_exact_fields_inside_a_list_and_a_mapping() -> None:
    study, shifted = JOB_KINDS["study"].request, JOB_KINDS["importance_weighting"].request

    assert "scheme" in list_fields_at(study, ("estimators", 0, "learnerr"))
    assert list_fields_at(shifted, ("grid", "penalty", "form"))[:2] == ["from", "to"]


def test_invalid_a_number_in_the_query(client: TestClient) -> None:
    answer = client.get("/v1/evaluations?limit=many")

    message = "The query parameter limit must be a whole number, and is 'many'."
    assert answer.json()["errors"][0]["message"] == answer.json()["detail"] == message
    assert answer.json()["errors"][0]["loc"] == ["query", "limit"]


def test_exact_common_field_names_are_fields_of_a_request() -> None:
    fields = {field for kind in JOB_KINDS.values() for field in kind.request.model_fields}
    for names in COMMON_NAMES["fields"].values():
        assert {names} if isinstance(names, str) else set(names) <= fields
