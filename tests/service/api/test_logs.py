"""Logs of language models over HTTP, from the upload to the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.test_datasets import send
from tests.service.kinds.model_logs import compress_members, harness_samples, inspect_eval
from thetahat_service.api import submission

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


def upload_tables(client: TestClient, *tables: str) -> list[str]:
    return [send(client, table.encode(), "text/csv").json()["id"] for table in tables]


def write_scores(model: str, scores: Sequence[str], task: str = "arc") -> str:
    rows = "".join(f"i{i},{model},{task},{score}\n" for i, score in enumerate(scores))
    return f"item,model,task,score\n{rows}"


def build_request(ids: Sequence[str], **fields: Any) -> dict[str, Any]:
    files = [{"dataset": each} for each in ids]
    return {
        "kind": "losses",
        "better": "higher",
        "logs": {"score": "score", "files": files},
        **fields,
    }


FAULTS = {
    "1 of 4 items have no score of some model": ("1", "0", "1"),
    "is infinite in row 2": ("1", "0", "inf", "1"),
    "is not a number in every row": ("1", "0", "good", "1"),
}
"""Parts of messages, and the scores of the second model; the first has four items."""


@pytest.mark.parametrize("message", FAULTS)
def test_exact_faults_inside_small_logs_are_refused_at_submission(
    client: TestClient, worker: InlineWorker, monkeypatch: pytest.MonkeyPatch, message: str
) -> None:
    tables = [write_scores("a", ["1", "1", "0", "1"]), write_scores("b", FAULTS[message])]
    request = build_request(upload_tables(client, *tables))

    refused = client.post("/v1/evaluations", json=request)
    assert refused.status_code == 422, refused.text
    assert message in refused.json()["detail"]
    assert client.get("/v1/evaluations").json()["items"] == []

    for limit in ("MOST_ROWS_READ", "MOST_FILES_READ"):  # larger ones are left to a worker
        with monkeypatch.context() as patch:
            patch.setattr(submission, limit, 1)
            accepted = client.post("/v1/evaluations", json=request)
        assert accepted.status_code == 202
        worker.work()
        failed = client.get(accepted.headers["Location"]).json()
        assert failed["status"] == "failed"
        assert failed["error"]["detail"] == refused.json()["detail"]
        found, known = failed["error"]["errors"], refused.json()["errors"]
        assert [each["loc"] for each in found] == [each["loc"] for each in known]


def test_exact_choices_that_do_not_fit_logs_are_refused_at_submission(client: TestClient) -> None:
    ids = upload_tables(client, write_scores("a", ["1", "0"]), write_scores("b", ["0", "0"]))
    for fields, loc in (
        ({"control": "c"}, ["control"]),
        ({"intervals": ["bca_"]}, ["intervals", 0, "name"]),
    ):
        answer = client.post("/v1/evaluations", json=build_request(ids, **fields))
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["loc"] == loc


def test_exact_files_that_cannot_be_read_now_are_left_to_the_worker(
    client: TestClient, data_dir: Path
) -> None:
    ids = upload_tables(client, write_scores("a", ["1", "0"]), write_scores("b", ["0", "0"]))
    stored = [file for file in (data_dir / "files").rglob("*") if "dataset" in str(file)]
    for file in filter(Path.is_file, stored):
        file.unlink()
    assert stored

    assert client.post("/v1/evaluations", json=build_request(ids)).status_code == 202
