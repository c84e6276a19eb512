"""Databases for tests: an SQLite file or a database of a real PostgreSQL, migrated and empty.

Tests of claims, locks, races and cascades take ``database`` and run on both, and for each SQL
statement of the service at least one test does. Tests of what is decided above the SQL take
``sqlite``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from thetahat_service.broker import queue
from thetahat_service.settings import get_settings
from thetahat_service.storage import engine, schema, store_mark

SQLITE_FILE = "thetahat.sqlite3"


def use(monkeypatch: pytest.MonkeyPatch, **variables: object) -> None:
    """Let this process read other settings from now on."""
    for name, value in variables.items():
        monkeypatch.setenv(f"THETAHAT_{name.upper()}", str(value))
    forget()


def forget() -> None:
    """Let this process read its settings and open its connections anew."""
    engine.reset()
    queue.reset()
    store_mark.forget_ids()
    get_settings.cache_clear()


@cache
def read_migrated_file() -> bytes:
    """Return a migrated SQLite file, to be copied: migrating takes longer than a test."""
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        use(patch, data_dir=folder)
        schema.upgrade()
        engine.reset()
        content = (Path(folder) / SQLITE_FILE).read_bytes()
    forget()
    return content


@pytest.fixture
def empty_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An SQLite file without tables."""
    use(monkeypatch, data_dir=tmp_path, workers=2)
    yield
    monkeypatch.undo()
    forget()


@pytest.fixture
def sqlite(empty_sqlite: None, tmp_path: Path) -> None:
    """A migrated SQLite file."""
    (tmp_path / SQLITE_FILE).write_bytes(read_migrated_file())


KINDS = ["sqlite", pytest.param("postgres", marks=pytest.mark.servers)]


@pytest.fixture(params=KINDS)
def empty_database(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """Each kind of database without tables; the value says which."""
    kind: str = request.param
    use(monkeypatch, data_dir=tmp_path, workers=2)
    if kind == "postgres":
        use(monkeypatch, database_url=request.getfixturevalue("postgres_database"))
    yield kind
    monkeypatch.undo()
    forget()


@pytest.fixture(params=KINDS)
def database(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """Each kind of database, migrated; the value says which."""
    kind: str = request.param
    if kind == "sqlite":
        (tmp_path / SQLITE_FILE).write_bytes(read_migrated_file())
        use(monkeypatch, data_dir=tmp_path, workers=2)
    else:
        url = request.getfixturevalue("migrated_postgres_database")
        use(monkeypatch, data_dir=tmp_path, workers=2, database_url=url)
    engine.get_engines()  # threads of a test that call it first at once would make several
    yield kind
    monkeypatch.undo()
    forget()


Setting = Callable[..., None]


@pytest.fixture
def setting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Setting]:
    """Change settings of this process until the test ends: ``setting(lease_s=0.1)``."""

    def change(**variables: object) -> None:
        use(monkeypatch, **variables)

    yield change
    get_settings.cache_clear()  # the next test may not use this fixture
