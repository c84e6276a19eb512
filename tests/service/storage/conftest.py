"""The databases of these tests, and the sleeping kind beside the real ones."""

from __future__ import annotations

import pytest

from tests.service.storage.databases import database, empty_database, empty_sqlite, setting, sqlite
from tests.worker.sleeping_kind import KIND
from thetahat_service.kinds.registry import JOB_KINDS

__all__ = ["database", "empty_database", "empty_sqlite", "setting", "sleeping", "sqlite"]


@pytest.fixture(autouse=True)
def sleeping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process run the sleeping kind."""
    monkeypatch.setitem(JOB_KINDS, KIND.name, KIND)
