"""The databases of these tests."""

from __future__ import annotations

from tests.service.jobs.conftest import sleeping
from tests.service.storage.databases import database, empty_database, empty_sqlite, setting, sqlite

__all__ = ["database", "empty_database", "empty_sqlite", "setting", "sleeping", "sqlite"]
