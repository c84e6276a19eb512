"""A connection that died while it was idle is replaced, and nobody notices."""

from __future__ import annotations

import psycopg
import pytest
import sqlalchemy as sa

from service.settings import settings
from service.storage import engine
from service.storage.unit_of_work import reading
from tests.service.storage.databases import use


@pytest.mark.servers
def test_exact_a_connection_that_died_in_a_pause_is_replaced(
    postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, database_url=postgres_database)
    monkeypatch.setattr(engine, "IDLE_S", -1.0)  # a pause of any length is one
    with reading() as connection:
        first = connection.scalar(sa.text("SELECT pg_backend_pid()"))
    url = settings().database_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [first])
    with reading() as connection:
        second = connection.scalar(sa.text("SELECT pg_backend_pid()"))

    assert first != second
    engine.reset()
