"""The databases of these tests, and the sleeping kind beside the real ones."""

from __future__ import annotations

import pytest

from tests.service.storage.databases import database, empty_database, empty_sqlite, setting, sqlite
from tests.worker.sleeping_kind import KIND
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_worker import executor, watch

__all__ = ["database", "empty_database", "empty_sqlite", "setting", "sleeping", "sqlite"]


@pytest.fixture(autouse=True)
def sleeping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process run the sleeping kind."""
    monkeypatch.setitem(JOB_KINDS, KIND.name, KIND)


@pytest.fixture(autouse=True)
def long_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a worker that handles a message empty the queue, however slow the machine is."""
    monkeypatch.setattr(executor, "SLICE_S", 600.0)


@pytest.fixture(autouse=True)
def patient_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the watch thread from killing the process of the tests when the machine stands still."""
    monkeypatch.setattr(watch, "KILL_AFTER_S", 120.0)
