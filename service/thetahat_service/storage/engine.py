"""The database engines of a process, made from the settings.

SQLite uses a write-ahead log, and every writing transaction begins with ``BEGIN IMMEDIATE``,
because a transaction that reads first and writes later would fail with "database is locked" instead
of waiting. A commit returns once the log is on the disk (``synchronous=FULL``), so that a power cut
takes back nothing that a client has been told; the same holds for PostgreSQL, whose server may have
``synchronous_commit=off`` for others. PostgreSQL reads outside transactions, so that a read is one
round trip.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from dataclasses import dataclass
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from thetahat_service.json_encoding import encode_json
from thetahat_service.settings import InvalidSettings, get_settings

SQLITE_BUSY_MS = 10_000
SQLITE_NO_WAIT_MS = 10
IDLE_S = 1.0  # a connection that was used within this time is not checked before use
SQLITE_RETRY_S = 0.005
POSTGRES_OPTIONS = (
    "-c lock_timeout=10s -c statement_timeout=60s -c idle_in_transaction_session_timeout=60s "
    "-c synchronous_commit=on -c timezone=UTC"
)
"""Settings of every session, whatever the server's own are."""
POSTGRES_PARAMETERS = {
    "options": POSTGRES_OPTIONS,
    "connect_timeout": 5,  # this and the next three are in seconds, the last in milliseconds
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
POOL_TIMEOUT_S = 4.0  # how long a thread waits for a connection that others use


class EpochNow(FunctionElement[float]):
    """Seconds since 1970 by the database's clock, the same for all machines."""

    name = "epoch_now"
    type = sa.Double()
    inherit_cache = True


@compiles(EpochNow)
def _compile_epoch_now(element: EpochNow, compiler: Any, **options: Any) -> str:
    del element, compiler, options
    return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS DOUBLE PRECISION)"


@compiles(EpochNow, "sqlite")
def _compile_epoch_now_for_sqlite(element: EpochNow, compiler: Any, **options: Any) -> str:
    del element, compiler, options
    return "((julianday('now') - 2440587.5) * 86400.0)"


def read_clock(connection: sa.Connection) -> float:
    """Return the time of the database's clock, in seconds since 1970.

    PostgreSQL uses an index for a value, but not for an expression with the clock.
    """
    return float(connection.execute(_NOW).scalar_one())


_NOW = sa.select(EpochNow())


@dataclass(frozen=True, slots=True)
class Engines:
    """The engines for writing and reading.

    ``writing_without_wait`` is for callers on the event loop. On SQLite it fails within
    milliseconds if another process is writing, and its commits may be lost in a power cut.
    """

    writing: sa.Engine
    reading: sa.Engine
    writing_without_wait: sa.Engine

    def dispose(self, *, close: bool = True) -> None:
        """Close every connection, or with ``close=False`` only forget it."""
        for engine in (self.writing, self.reading, self.writing_without_wait):
            engine.dispose(close=close)


class _ProcessEngines:
    engines: Engines | None = None
    lock = threading.Lock()


def get_engines() -> Engines:
    """Return the engines of this process; the first call creates them, also of several at once."""
    with _ProcessEngines.lock:
        if _ProcessEngines.engines is None:
            _ProcessEngines.engines = make(get_settings().resolved_database_url)
        return _ProcessEngines.engines


def reset() -> None:
    """Close every connection; the next use reads the settings again."""
    if _ProcessEngines.engines is not None:
        _ProcessEngines.engines.dispose()
    _ProcessEngines.engines = None


def forget() -> None:
    """Forget the connections of the parent process, which a forked child must not close."""
    if _ProcessEngines.engines is not None:
        _ProcessEngines.engines.dispose(close=False)
    _ProcessEngines.engines = None
    _ProcessEngines.lock = threading.Lock()  # a thread of the parent may have held the old one


os.register_at_fork(after_in_child=forget)


def make(url: str) -> Engines:
    """Return the engines of a database URL."""
    parsed = sa.make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return Engines(
            writing=_make_sqlite_engine(parsed, "BEGIN IMMEDIATE", SQLITE_BUSY_MS, "FULL"),
            reading=_make_sqlite_engine(parsed, "BEGIN", SQLITE_BUSY_MS, "FULL"),
            writing_without_wait=_make_sqlite_engine(
                parsed, "BEGIN IMMEDIATE", SQLITE_NO_WAIT_MS, "NORMAL"
            ),
        )
    if parsed.get_backend_name() != "postgresql":
        raise InvalidSettings(
            "THETAHAT_DATABASE_URL must be an address of SQLite or PostgreSQL, "
            f"not of {parsed.drivername!r}."
        )
    parsed = parsed.set(drivername="postgresql+psycopg")
    writing = sa.create_engine(
        parsed,
        json_serializer=encode_json,
        json_deserializer=orjson.loads,
        hide_parameters=True,  # an error of the database is logged, and must not show data
        pool_size=10,
        max_overflow=20,
        pool_timeout=POOL_TIMEOUT_S,
        connect_args=POSTGRES_PARAMETERS,
    )
    _limit_waits(writing)
    _hide_rows(writing)
    _check_idle(writing)
    reading = writing.execution_options(isolation_level="AUTOCOMMIT")
    return Engines(writing=writing, reading=reading, writing_without_wait=writing)


def _limit_waits(engine: sa.Engine) -> None:
    """Let connections wait only as long as ``thetahat_service.storage.time_limits`` allows."""
    from thetahat_service.storage import postgres_connection  # noqa: PLC0415 - SQLite needs no psycopg

    @sa.event.listens_for(engine, "do_connect")
    def _connect(dialect: Any, record: Any, args: Any, parameters: Any) -> DBAPIConnection:
        del dialect, record
        connection: Any = postgres_connection.connect(*args, **parameters)
        return connection  # type: ignore[no-any-return]


def _hide_rows(engine: sa.Engine) -> None:
    """Leave out the rows that PostgreSQL quotes in errors, as ``hide_parameters`` does for SQL."""

    @sa.event.listens_for(engine, "handle_error")
    def _shorten(context: Any) -> None:
        for error in (context.original_exception, context.sqlalchemy_exception):
            if error is not None and error.args:
                message, *other_arguments = error.args
                error.args = (str(message).partition("\nDETAIL:")[0], *other_arguments)


def _check_idle(engine: sa.Engine) -> None:
    """Check a connection before it is used again after a pause.

    A check before each use would double the time of a read.
    """

    @sa.event.listens_for(engine, "checkout")
    def _check_out(connection: DBAPIConnection, record: Any, proxy: Any) -> None:
        """Test a connection that was not used for a while; the pool replaces a broken one."""
        del proxy
        now = time.monotonic()
        if now - record.info.get("used", now) > IDLE_S:
            try:
                engine.dialect.do_ping(connection)
            except engine.dialect.loaded_dbapi.Error:
                raise sa.exc.DisconnectionError from None  # the pool makes a new one
        record.info["used"] = now


def _use_write_ahead_log(cursor: DBAPICursor, busy_ms: int) -> None:
    """Switch a database to the write-ahead log, waiting for another process that writes to it.

    SQLite does not apply its busy timeout to this switch: it fails at once while the first process
    to open a new database is creating its tables.
    """
    give_up_at = time.monotonic() + busy_ms / 1000
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() >= give_up_at:
                raise
            time.sleep(SQLITE_RETRY_S)
        else:
            return


def _make_sqlite_engine(url: sa.URL, begin: str, busy_ms: int, synchronous: str) -> sa.Engine:
    """Return an engine of SQLite that begins transactions with ``begin``."""
    engine = sa.create_engine(
        url,
        json_serializer=encode_json,
        json_deserializer=orjson.loads,
        hide_parameters=True,
    )

    @sa.event.listens_for(engine, "connect")
    def _connect(connection: DBAPIConnection, record: Any) -> None:
        del record
        # The driver must not begin transactions by itself; the "begin" event below does.
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout={busy_ms}")
        _use_write_ahead_log(cursor, busy_ms)
        cursor.execute(f"PRAGMA synchronous={synchronous}")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine
