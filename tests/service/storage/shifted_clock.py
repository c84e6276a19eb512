"""A clock of the database that a test sets: on SQLite for this process, on PostgreSQL for all."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from thetahat_service.settings import get_settings
from thetahat_service.storage import engine
from thetahat_service.storage.unit_of_work import unit_of_work

SHADOWING = (
    "CREATE SCHEMA shifted",
    "CREATE TABLE shifted.clock (seconds double precision NOT NULL)",
    "INSERT INTO shifted.clock VALUES (0)",
    """CREATE FUNCTION shifted.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    'SELECT pg_catalog.clock_timestamp() + make_interval(secs => seconds) FROM shifted.clock'""",
)
DAY = 86400.0


@contextmanager
def setting_the_clock() -> Iterator[Callable[[float], None]]:
    """Yield a function that sets the database's clock, so many seconds after the real time."""
    if get_settings().resolved_database_url.startswith("sqlite"):
        yield from _set_on_sqlite()
    else:
        yield from _set_on_postgres()
    engine.reset()


def _set_on_sqlite() -> Iterator[Callable[[float], None]]:
    offset = 0.0
    real = sqlite3.connect(":memory:", check_same_thread=False)

    def read(_: str) -> float:
        return float(real.execute("SELECT julianday('now')").fetchone()[0]) + offset / DAY

    def shadow(connection: Any, _: Any) -> None:
        connection.create_function("julianday", 1, read)

    def change(seconds: float) -> None:
        nonlocal offset
        offset = seconds

    sa.event.listen(sa.Engine, "connect", shadow)
    engine.reset()
    try:
        yield change
    finally:
        sa.event.remove(sa.Engine, "connect", shadow)
        engine.reset()
        real.close()


def _set_on_postgres() -> Iterator[Callable[[float], None]]:
    with unit_of_work() as connection:
        for statement in SHADOWING:
            connection.execute(sa.text(statement))
        name = connection.execute(sa.text("SELECT current_database()")).scalar_one()
        connection.execute(
            sa.text(f'ALTER DATABASE "{name}" SET search_path = public, shifted, pg_catalog')
        )
    engine.reset()

    def change(seconds: float) -> None:
        with unit_of_work() as connection:
            connection.execute(sa.text("UPDATE shifted.clock SET seconds = :s"), {"s": seconds})

    yield change
