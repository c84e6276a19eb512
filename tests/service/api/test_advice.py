"""Advice over HTTP: its answer, the request that it makes, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from thetahat_service.schemas.advice import EXAMPLE

RNG = np.random.default_rng(17)
N = 60


def ask(client: TestClient, **situation: Any) -> dict[str, Any]:
    answer = client.post("/v1/advice", json=situation)
    assert answer.status_code == 200, answer.text
    advice: dict[str, Any] = answer.json()
    return advice


def build_data(**columns: list[Any]) -> dict[str, Any]:
    features = np.random.default_rng(17).standard_normal((N, 2))
    y = [int(value) for value in np.arange(N) % 2]
    return {"X": features.tolist(), "y": y, **columns}


def test_exact_the_example_is_answered_in_full(client: TestClient) -> None:
    advice = ask(client, **EXAMPLE)

    assert advice["scheme"]["name"] == "stratified_repeated_k_fold"
    assert (advice["scheme"]["n_fits"], advice["scheme"]["seconds"]) == (100, 250.0)
    assert advice["request"]["margin"] == 0.05
    assert advice["interval"]["variance"] == advice["test"]["variance"]
    assert advice["interval"]["expected_coverage"]["coverage"] > 0.9
    assert advice["test"]["expected_size"]["size"] < 0.06
    assert 0 < advice["precision"]["half_width"] < 0.1
    assert 0 < advice["precision"]["power_at_margin"] < 1
    for part in ("scheme", "interval", "test"):
        assert all(reason["sources"] for reason in advice[part]["reasons"])


@pytest.mark.parametrize(
    ("situation", "columns", "scheme"),
    [
        ({}, {}, "repeated_k_fold"),
        ({"class_counts": {"0": 30, "1": 30}}, {}, "stratified_repeated_k_fold"),
        # errors are not rare, so that the differences do not rest on few instances
        ({"fit_seconds": 1, "budget_seconds": 25, "expected_error": 0.3}, {}, "k_fold"),
        ({"fit_seconds": 1, "budget_seconds": 5, "expected_error": 0.3}, {}, "holdout"),
        ({"question": "these_models", "expected_error": 0.3}, {}, "holdout"),
        ({"source_sizes": [10] * 6}, {"source": np.repeat(range(6), 10)}, "leave_one_source_out"),
        (
            {"source_sizes": [10] * 6, "fit_seconds": 1, "budget_seconds": 11},
            {"source": np.repeat(range(6), 10)},
            "source_k_fold",
        ),
        (
            {"n_clusters": 12},
            {"source": np.repeat(range(12), 5), "cluster": np.repeat(range(12), 5)},
            "source_k_fold",
        ),
        (
            {"n_clusters": 12, "question": "these_models", "expected_error": 0.3},
            {"cluster": np.repeat(range(12), 5)},
            "holdout",
        ),
        ({"time_ordered": True}, {"time": np.arange(60)}, "time_series"),
        ({"level": 0.9, "power": 0.9, "margin": 0.1}, {}, "repeated_k_fold"),
    ],
)
def test_exact_the_request_is_accepted_and_recommends_what_was_advised(
    client: TestClient,
    worker: InlineWorker,
    situation: dict[str, Any],
    columns: dict[str, Any],
    scheme: str,
) -> None:
    advice = ask(client, n=N, **situation)
    assert advice["request"]["scheme"]["name"] == scheme
    assert set(advice["scheme"]["columns"]) == set(columns)
    body = {
        **advice["request"],
        "data": build_data(**{name: list(map(int, column)) for name, column in columns.items()}),
        "task": "classification",
        "learners": {"lda": "linear_discriminant", "majority": "majority"},
    }

    submitted = client.post("/v1/evaluations", json=body)
    assert submitted.status_code == 202, submitted.text
    worker.work()

    result = client.get(f"/v1/evaluations/{submitted.json()['id']}/result").json()
    interval = advice["interval"]
    recommended = result["models"]["lda"]["recommended"][interval["target"]]
    assert recommended["variance"] == interval["variance"]
    verdict = result["comparisons"][0]["verdict"]
    assert verdict["variance"] == advice["test"]["variance"]


def test_exact_two_fold_data_of_few_rows_get_leave_one_out(
    client: TestClient, worker: InlineWorker
) -> None:
    advice = ask(client, n=20)
    x = RNG.standard_normal((20, 1))
    data = {"X": x.tolist(), "y": (x[:, 0] + 1).tolist()}
    learners = {"mean": "mean", "ridge": "ridge"}

    body = {**advice["request"], "data": data, "task": "regression", "learners": learners}
    submitted = client.post("/v1/evaluations", json=body)
    worker.work()

    state = client.get(f"/v1/evaluations/{submitted.json()['id']}").json()
    assert (advice["scheme"]["name"], state["status"]) == ("leave_one_out", "succeeded")


@pytest.mark.parametrize(
    ("body", "field", "value"),
    [
        ({"n": 1}, "n", 1),
        ({"n": "100"}, "n", "100"),
        ({}, "n", None),
        ({"n": 10, "rows": 3}, "rows", 3),
        ({"n": 10, "source_sizes": [4, 4]}, "source_sizes", 8),
        ({"n": 10, "class_counts": {"a": 4, "b": 4}}, "class_counts", 8),
        ({"n": 10, "question": "new_source"}, "question", "new_source"),
        ({"n": 10, "question": "new_population"}, "question", "new_population"),
        ({"n": 10, "expected_error": 2}, "expected_error", 2),
        ({"n": 10, "budget_seconds": 3}, "budget_seconds", 3),
        ({"n": 10, "level": 1.5}, "level", 1.5),
    ],
)
def test_invalid_fields_are_named_with_their_values(
    client: TestClient, body: dict[str, Any], field: str, value: Any
) -> None:
    answer = client.post("/v1/advice", json=body)

    assert answer.status_code == 422, answer.text
    (error,) = answer.json()["errors"]
    assert error["loc"] == [field]
    if value is not None:
        assert error["value"] == value


def test_exact_the_document_describes_both_sides(client: TestClient) -> None:
    document = client.get("/openapi.json").json()

    post = document["paths"]["/v1/advice"]["post"]
    body = post["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    answer = post["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
    schemas = document["components"]["schemas"]
    assert schemas[body.rpartition("/")[2]]["required"] == ["n"]
    described = schemas[answer.rpartition("/")[2]]["properties"]
    assert {"scheme", "interval", "test", "precision", "request"} <= set(described)
