"""The fixture that lets a test's own process run the sleeping kind."""

from __future__ import annotations

import pytest

from tests.worker.sleeping_kind import KIND
from thetahat_service.kinds.registry import JOB_KINDS


@pytest.fixture(autouse=True)
def sleeping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the kind to the real ones, for every test of a folder whose conftest imports this."""
    monkeypatch.setitem(JOB_KINDS, KIND.name, KIND)
