"""The databases of these tests."""

from __future__ import annotations

from tests.service.storage.databases import empty_sqlite, setting

__all__ = ["empty_sqlite", "setting"]
