"""From the upload to the deletion over HTTP, with the files in a bucket of a real server."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.requests import matrix
from tests.service.jobs.evaluations import make_executor
from tests.service.storage.databases import use
from thetahat_service.storage.open_files import open_file_store

FOLDERS = ("chunks", "datasets", "losses", "uploads")
ROWS = np.random.default_rng(1).normal(size=(60, 2))
CSV = "a,b,y\n" + "".join(f"{a},{b},{a - b}\n" for a, b in ROWS)
PARQUET = {"Accept": "application/vnd.apache.parquet"}


@pytest.fixture(autouse=True)
def bucket(bucket_url: str, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings with a file store in a bucket."""
    use(monkeypatch, files_url=bucket_url, data_dir=data_dir)


def forget_copies() -> None:
    """Let the next reader download, as on another machine."""
    shutil.rmtree(open_file_store().root, ignore_errors=True)


def names() -> list[str]:
    store = open_file_store()
    return [file.name for folder in FOLDERS for file in store.list_files(folder)]


def test_exact_from_the_upload_to_the_deletion(client: TestClient, sent: list[Any]) -> None:
    made = client.post("/v1/datasets", content=CSV, headers={"Content-Type": "text/csv"})
    assert made.status_code == 201
    dataset = f"/v1/datasets/{made.json()['id']}"
    body = {
        "kind": "cross_validation",
        "dataset": made.json()["id"],
        "columns": {"target": "y", "features": ["a", "b"]},
        "scheme": "k_fold",
        "task": "regression",
        "learners": {"ridge": "ridge", "mean": "mean"},
    }
    accepted = client.post("/v1/evaluations", json=body)
    assert accepted.status_code == 202, accepted.text
    identifier = accepted.json()["id"]
    forget_copies()
    worker = make_executor()
    while sent:
        worker.compute_queued_units(sent.pop(0))
        forget_copies()
    evaluation = f"/v1/evaluations/{identifier}"
    result = client.get(f"{evaluation}/result").json()
    assert set(result["models"]) == {"ridge", "mean"}
    assert client.get(f"{evaluation}/losses", headers=PARQUET).content[:4] == b"PAR1"
    assert client.get(f"{dataset}/preview").json()["rows"][0] == [*ROWS[0], ROWS[0, 0] - ROWS[0, 1]]
    assert client.get("/readyz").json()["store"] is True
    assert sorted(name.partition("/")[0] for name in names()) == ["datasets", "datasets", "losses"]

    assert client.delete(evaluation).status_code == 204
    assert client.delete(dataset).status_code == 204
    assert names() == []
    assert open_file_store().read_mark() is not None


def test_invalid_losses_that_the_bucket_has_lost(client: TestClient, worker: InlineWorker) -> None:
    made = client.post("/v1/evaluations", json=matrix())
    worker.work()
    evaluation = f"/v1/evaluations/{UUID(made.json()['id'])}/losses"
    assert client.get(evaluation).status_code == 200
    (name,) = names()
    open_file_store().delete(name)
    answer = client.get(evaluation)
    assert (answer.status_code, answer.json()["code"]) == (500, "damaged_file")
