"""Logs of language models over HTTP, from the upload to the verdict."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.test_datasets import send
from tests.service.kinds.model_logs import compress_members, harness_samples, inspect_eval

INSPECT = "application/vnd.inspect-ai.log"


def test_exact_two_logs_are_uploaded_and_compared(client: TestClient, worker: InlineWorker) -> None:
    runs: dict[int | str, list[str]] = {i: ["C" if i % 5 else "I"] for i in range(40)}
    poor: dict[int | str, list[str]] = {i: ["I" if i % 3 else "C"] for i in reversed(range(40))}
    sent = [
        send(client, inspect_eval("arc", "new", runs), INSPECT),
        send(client, compress_members(inspect_eval("arc", "old", poor)), INSPECT),
    ]
    ids = [response.json()["id"] for response in sent]
    body: dict[str, Any] = {
        "kind": "losses",
        "logs": {"score": "match", "files": [{"dataset": each} for each in ids]},
    }

    submitted = client.post("/v1/evaluations", json=body)
    needed = client.delete(f"/v1/datasets/{ids[0]}")
    worker.work()
    result = client.get(f"{submitted.headers['location']}/result").json()
    unknown = client.post("/v1/evaluations", json={**body, "logs": {**body["logs"], "score": "f1"}})

    assert [response.status_code for response in sent] == [201, 201]
    assert submitted.status_code == 202
    assert result["summary"]["best_model"] == "new"
    assert result["comparisons"][0]["verdict"]["decision"] == "better"
    assert unknown.status_code == 422
    assert "Its scores are match" in unknown.json()["errors"][0]["message"]
    assert needed.status_code == 409


def test_exact_the_ending_of_a_file_names_its_format(client: TestClient) -> None:
    content = harness_samples({0: 1.0, 1: 0.0})
    files = {"file": ("samples_gsm8k_2026-01-16.jsonl", content)}

    sent = client.post("/v1/datasets", files=files)

    assert sent.status_code == 201
    assert {"name": "exact_match", "type": "number"} in sent.json()["columns"]
