"""Requests while the file store is away, full or damaged."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from sqlalchemy.exc import OperationalError
from starlette.testclient import TestClient

from tests.service.api.conftest import InlineWorker
from tests.service.api.requests import JSON_TYPE, matrix
from tests.service.storage.databases import use
from thetahat_service.api.loss_responses import PARQUET
from thetahat_service.api.routes import results as results_route
from thetahat_service.storage import files, results
from thetahat_service.storage.files import MARK
from thetahat_service.storage.open_files import open_file_store

CSV = {"Content-Type": "text/csv"}
SIZES = (10, 5_000, 300_000, 3_000_000)


def csv(size: int) -> bytes:
    return b"a,b\n" + b"1,2\n" * (size // 4)


@pytest.fixture
def small_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> Iterator[Path]:
    """A file system of a quarter of a mebibyte, which needs root."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("a file system can be mounted by root only")
    use(monkeypatch, files_url=(folder / "files").as_uri(), data_dir=data_dir)
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("size", SIZES)
def test_invalid_an_upload_of_any_size_to_a_full_disk(
    client: TestClient, small_disk: Path, size: int
) -> None:
    first = client.post("/v1/datasets", content=csv(100), headers=CSV)
    assert first.status_code == 201
    with (small_disk / "filler").open("wb", buffering=0) as filler:
        while True:
            try:
                filler.write(bytes(4096))
            except OSError:
                break

    answer = client.post("/v1/datasets", content=csv(size), headers=CSV)

    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert answer.json()["code"] == "unavailable"
    assert "No space left on device" in answer.json()["detail"]
    assert client.get("/readyz").json()["store"] is False
    (small_disk / "filler").unlink()
    assert client.post("/v1/datasets", content=csv(10), headers=CSV).status_code == 201
    assert list(open_file_store().list_files("uploads")) == []


def test_invalid_a_store_that_is_not_mounted(client: TestClient) -> None:
    made = client.post("/v1/datasets", content=csv(100), headers=CSV)
    assert client.get("/readyz").json()["store"] is False or made.status_code == 201
    root = open_file_store().root
    shutil.move(root, root.with_name("elsewhere"))

    answer = client.post("/v1/datasets", content=csv(200), headers=CSV)
    preview = client.get(f"/v1/datasets/{made.json()['id']}/preview")

    for refused in (answer, preview):
        assert refused.status_code == 503
        assert MARK in refused.json()["detail"]
        assert int(refused.headers["Retry-After"]) > 0
    state = client.get("/readyz").json()
    assert "store" in state["missing"]
    assert not root.exists()

    shutil.move(root.with_name("elsewhere"), root)
    assert client.post("/v1/datasets", content=csv(200), headers=CSV).status_code == 201
    assert "store" not in client.get("/readyz").json()["missing"]


@pytest.mark.parametrize(
    "media_type", ["application/json", "text/csv", "application/vnd.apache.parquet"]
)
@pytest.mark.parametrize("damage", ["lost", "cut", "changed"])
def test_invalid_losses_whose_file_is_lost_or_damaged(
    client: TestClient, worker: InlineWorker, media_type: str, damage: str
) -> None:
    made = client.post("/v1/evaluations", json=matrix(), headers=JSON_TYPE).json()
    worker.work()
    path = f"/v1/evaluations/{made['id']}/losses"
    assert client.get(path, headers={"Accept": media_type}).status_code == 200
    (file,) = open_file_store().build_path("losses").iterdir()
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.unlink()
    if damage != "lost":
        file.write_bytes(content[: len(content) // 2] if damage == "cut" else content)

    answer = client.get(path, headers={"Accept": media_type})

    assert answer.status_code == 500
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "damaged_file"


@pytest.mark.parametrize("accept", ["application/json", "text/csv", PARQUET])
@pytest.mark.parametrize("number", [errno.ENOENT, errno.EIO, errno.ESTALE])
def test_invalid_losses_of_a_store_that_fails_when_the_file_is_opened(
    client: TestClient,
    worker: InlineWorker,
    monkeypatch: pytest.MonkeyPatch,
    accept: str,
    number: int,
) -> None:
    """The file was found, and the store went away: a problem document and no part of a table."""
    location = _finish(client, worker)

    def fail(path: Path) -> Any:
        raise OSError(number, os.strerror(number), str(path))

    assert client.get(f"{location}/losses", headers={"Accept": accept}).status_code == 200
    monkeypatch.setattr(pq, "ParquetFile", fail)
    monkeypatch.setattr(results_route, "open_parquet", fail)
    refused = client.get(f"{location}/losses", headers={"Accept": accept})
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0
    assert refused.json()["code"] == "unavailable"


@pytest.mark.parametrize("accept", ["application/json", "text/csv", PARQUET])
def test_exact_losses_of_a_store_that_was_away_for_a_moment(
    client: TestClient, worker: InlineWorker, monkeypatch: pytest.MonkeyPatch, accept: str
) -> None:
    location = _finish(client, worker)
    looked = []

    def miss_once(path: Path, name: str) -> None:
        looked.append(name)
        if len(looked) == 1:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    monkeypatch.setattr(files, "verify", miss_once)
    assert client.get(f"{location}/losses", headers={"Accept": accept}).status_code == 200
    assert len(looked) == 2


def test_invalid_losses_while_the_database_fails(
    client: TestClient, worker: InlineWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = _finish(client, worker)

    def fail(*_: object) -> None:
        raise OperationalError("SELECT", {}, Exception("disk I/O error"))

    monkeypatch.setattr(results, "get", fail)
    refused = client.get(f"{location}/losses")
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0


def _finish(client: TestClient, worker: InlineWorker) -> str:
    location: str = client.post("/v1/evaluations", json=matrix(), headers=JSON_TYPE).headers[
        "Location"
    ]
    worker.work()
    return location
