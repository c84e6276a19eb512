"""Chunks of an evaluation, with their files in a bucket of a real S3-style server."""

from __future__ import annotations

import shutil

import orjson
import pytest

from tests.service.jobs.evaluations import make_executor, submit_nap
from tests.service.storage.databases import Setting
from tests.worker.sleeping_kind import expected_draws
from thetahat_service.jobs import read
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.owners import LOCAL_OWNER_ID


@pytest.fixture(autouse=True)
def bucket(bucket_url: str, sqlite: None, setting: Setting) -> None:
    """Settings with a file store in a bucket."""
    setting(files_url=bucket_url)


def forget_copies() -> None:
    """Let the next reader download, as on another machine."""
    shutil.rmtree(open_file_store().root, ignore_errors=True)


def names() -> list[str]:
    return [file.name for file in open_file_store().list_files("chunks")]


def test_exact_chunks_are_gathered_on_another_machine() -> None:
    evaluation_id, worker = submit_nap(n_chunks=3, seed=5), make_executor()
    for number in range(4):
        worker.run((evaluation_id, number))
        forget_copies()
    assert len(names()) == 3
    worker.run((evaluation_id, 4))
    result = orjson.loads(read.get_result(LOCAL_OWNER_ID, evaluation_id))
    assert result["draws"] == expected_draws(5, 3)
    assert names() == []
