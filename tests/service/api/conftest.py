"""A service of its own for each test: an empty database, a queue that only remembers, a client."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from tests.service.figures.one_image import draw_one
from tests.service.storage.databases import SQLITE_FILE, forget, read_migrated_file, setting, use
from tests.worker.sleeping_kind import KIND
from thetahat.errors import EvaluationError
from thetahat_service.api import auth, rate_limits
from thetahat_service.api.app import create_app
from thetahat_service.api.routes import figures, recomputation, reports
from thetahat_service.broker import queue
from thetahat_service.jobs import record
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.outcomes import failures
from thetahat_service.states import Stage
from thetahat_service.storage import api_keys
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.unit_of_work import unit_of_work
from thetahat_worker.compute import EvaluationOutput, compute

__all__ = ["setting"]

Key = tuple[UUID, int]


@pytest.fixture(scope="session")
def application() -> FastAPI:
    return create_app()


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / SQLITE_FILE).write_bytes(read_migrated_file())
    use(monkeypatch, data_dir=tmp_path, workers=1)
    monkeypatch.setitem(JOB_KINDS, KIND.name, KIND)
    # The application outlives a test, and must not remember who was allowed in the last one, nor
    # which refusals the audit log of the last one has.
    monkeypatch.setattr(auth, "CACHE_S", 0.0)
    should_record = rate_limits.WrongKeys().should_record
    monkeypatch.setattr(
        rate_limits.WrongKeys, "should_record", lambda _, *attempt: should_record(*attempt)
    )
    monkeypatch.setattr(rate_limits, "FIRST_DELAY_S", 0.0)
    yield tmp_path
    monkeypatch.undo()
    forget()


@pytest.fixture(autouse=True)
def sent(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> list[Key]:
    """Messages that would have gone to the broker."""
    messages: list[Key] = []

    def remember(keys: Iterable[Key], stage: Stage = Stage.START) -> bool:
        messages.extend(keys)
        return True

    monkeypatch.setattr(queue, "enqueue", remember)
    return messages


@pytest.fixture
def client(application: FastAPI) -> TestClient:
    return TestClient(
        application,
        base_url="http://localhost",
        client=("127.0.0.1", 50_000),
        raise_server_exceptions=False,
    )


@pytest.fixture
def one_image(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send the same image for every figure, alone or in a report, for tests of links and headers.

    test_reports.py, test_studies.py and tests/service/figures draw what was asked for.
    """
    for routes in (figures, recomputation, reports):
        monkeypatch.setattr(routes, "draw", draw_one)


class InlineWorker:
    """Does what was sent, here and now."""

    def __init__(self, sent: list[Key]) -> None:
        self._sent = sent

    def work(self) -> None:
        files = open_file_store()
        while self._sent:
            claim = record.claim_unit(self._sent.pop(0), uuid4(), 60.0)
            if claim is None:
                continue
            try:
                outcome = compute(claim, files)
            except EvaluationError as refusal:
                record.record_failure(claim, failures.describe_error(refusal))
                continue
            assert isinstance(outcome, EvaluationOutput)
            outcome.record(claim)


@pytest.fixture
def worker(sent: list[Key]) -> InlineWorker:
    return InlineWorker(sent)


@pytest.fixture
def keys() -> dict[str, str]:
    """API keys of two owners."""
    with unit_of_work() as connection:
        return {owner: api_keys.create(connection, "test", owner) for owner in ("ann", "bob")}
