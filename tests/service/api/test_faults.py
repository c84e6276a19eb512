"""Faults of other services in what they answer: STAC."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.requests import JSON_TYPE, matrix
from thetahat_service.api import submission_batches

SAYS_TOO_MUCH = ("Traceback", 'File "', ".py", "line ", "Error(")


def send(client: TestClient, body: Any) -> Any:
    return client.post("/v1/evaluations", content=json.dumps(body), headers=JSON_TYPE)


@pytest.mark.parametrize(
    "change",
    [{"losses": {}}, {"losses": {"a": [["x"]]}}, {"tests": ["no_such"]}, {"level": 7}, {"kind": 1}],
)
def test_exact_stac_shows_a_traceback_in_an_error_body(
    client: TestClient, change: dict[str, Any]
) -> None:
    """STAC: a request that is wrong is answered with the server's own trace."""
    answer = send(client, {**matrix(), **change})

    assert answer.status_code == 422
    assert answer.json()["detail"]
    assert [word for word in SAYS_TOO_MUCH if word in answer.text] == []


def test_exact_stac_not_even_a_fault_of_the_service_shows_its_trace(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STAC: the same, for what is the service's own fault."""

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the reason, which the log has")

    monkeypatch.setattr(submission_batches, "submit_all", fail)

    answer = send(client, matrix())

    assert answer.status_code == 500
    assert answer.json()["code"] == "internal_error"
    assert [word for word in (*SAYS_TOO_MUCH, "the reason, which") if word in answer.text] == []


def test_exact_stac_mixes_up_the_models(client: TestClient, worker: InlineWorker) -> None:
    """STAC: a dict gives the models' order. Here a pair is as the request has it, to the end."""
    rows = [[0.0, 1.0, 0.5], [0.25, 0.5, 0.75]]
    models = {"z": rows, "a": [[v + 1 for v in row] for row in rows]}

    made = send(client, {**matrix(), "losses": models})
    worker.work()
    result = client.get(f"/v1/evaluations/{made.json()['id']}/result").json()

    (comparison,) = result["comparisons"]
    assert (comparison["a"], comparison["b"]) == ("z", "a")
    assert comparison["difference"] == -1
