"""Opening connections: one that died while it was idle, and a database that another creates."""

from __future__ import annotations

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from tests.service.storage.databases import use
from thetahat_service.settings import get_settings
from thetahat_service.storage import engine
from thetahat_service.storage.unit_of_work import reading


@pytest.mark.servers
def test_exact_a_connection_that_died_in_a_pause_is_replaced(
    postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, database_url=postgres_database)
    monkeypatch.setattr(engine, "IDLE_S", -1.0)  # a pause of any length is one
    with reading() as connection:
        first = connection.scalar(sa.text("SELECT pg_backend_pid()"))
    url = get_settings().database_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [first])
    with reading() as connection:
        second = connection.scalar(sa.text("SELECT pg_backend_pid()"))

    assert first != second
    engine.reset()


@pytest.mark.servers
def test_exact_commits_are_flushed_on_a_server_that_does_not_flush_those_of_others(
    postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres_database.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(url) as other:
        assert other.execute("SHOW synchronous_commit").fetchone() == ("off",)
    use(monkeypatch, database_url=postgres_database)
    with reading() as connection:
        assert connection.scalar(sa.text("SHOW synchronous_commit")) == "on"
    engine.reset()


def test_property_a_new_sqlite_file_is_opened_while_another_process_creates_its_tables(
    tmp_path: Path,
) -> None:
    """SQLite refuses the switch to the write-ahead log at once, whatever its busy timeout."""
    file = tmp_path / "new.db"
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    other.execute("CREATE TABLE first (x)")
    engines = engine.make(f"sqlite:///{file}")
    with pytest.raises(sa.exc.OperationalError, match="database is locked"):
        engines.writing_without_wait.connect()

    with ThreadPoolExecutor() as threads:
        tables = threads.submit(lambda: sa.inspect(engines.writing).get_table_names())
        wait(
            [tables], timeout=0.2
        )  # long enough to meet the lock; the result does not depend on it
        other.execute("COMMIT")
        assert tables.result(timeout=120) == ["first"]
    engines.dispose()
    other.close()


def test_exact_errors_of_the_database_do_not_show_parameters(database: str) -> None:
    del database
    with (
        pytest.raises(sa.exc.DBAPIError) as caught,
        engine.get_engines().reading.connect() as connection,
    ):
        connection.execute(sa.text("SELECT * FROM no_such_table WHERE x = :x"), {"x": "secret"})

    assert "no_such_table" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_exact_threads_that_ask_at_once_get_the_same_engines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, data_dir=tmp_path)
    make = engine.make

    def make_slowly(url: str) -> engine.Engines:
        time.sleep(0.1)
        return make(url)

    monkeypatch.setattr(engine, "make", make_slowly)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: engine.get_engines(), range(8), timeout=60))
    assert all(engines is found[0] for engines in found)
    engine.reset()
