"""The two set-ups of the service as processes, and the faults that each can have."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import psycopg
import redis

from tests.chaos.small_disk import fill_disk
from tests.servers.postgres import fresh_database, postgres_server
from tests.servers.processes import free_port
from tests.servers.redis import redis_server
from tests.service.storage.databases import forget
from tests.service.supervisor.processes import Command, running, serving

LONGEST_S: Final = 3.0
"""Longest fault; longer than a lease."""
SETTINGS: Final = {"LEASE_S": "2", "SWEEP_S": "0.2", "RESEND_S": "1", "MAX_UNFINISHED": "100000"}
LOCK_TABLE: Final = "BEGIN; LOCK TABLE unit IN ACCESS EXCLUSIVE MODE"
END_CONNECTIONS: Final = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)

Fault = Callable[[np.random.Generator], None]


@dataclass(frozen=True)
class Setup:
    """A running service.

    Parameters
    ----------
    url : str
        Address of its API.
    faults : mapping
        By name, what breaks it for a while and returns when that is over.
    """

    url: str
    faults: dict[str, Fault]


@contextlib.contextmanager
def embedded(folder: Path) -> Iterator[Setup]:
    """Run ``thetahat serve`` with SQLite and the embedded broker."""
    with (
        _environment(THETAHAT_DATA_DIR=folder, THETAHAT_WORKERS=2, **_settings()),
        serving(folder, folder.parent / "log") as serve,
    ):
        yield Setup(
            serve.wait_for(r"answers at (http://\S+)")[1],
            {
                "worker_killed": lambda rng: _kill(serve, "thetahat-worker", rng),
                "worker_frozen": lambda rng: _freeze(serve, "thetahat-worker", rng),
                "api_killed": lambda rng: _kill(serve, "thetahat-api", rng),
                "broker_killed": lambda rng: _kill(serve, "-server", rng),
                "store_away": lambda rng: _move_away(folder / "files", rng),
                "disk_full": lambda rng: fill_disk(folder, _draw_seconds(rng)),
                "database_locked": lambda rng: _lock_sqlite(folder / "thetahat.sqlite3", rng),
            },
        )


@contextlib.contextmanager
def cluster(folder: Path) -> Iterator[Setup]:
    """Run an API and two machines' workers with PostgreSQL and Redis."""
    port = free_port()
    with (
        postgres_server() as server,
        fresh_database(server) as database,
        redis_server() as broker,
        _environment(
            THETAHAT_DATABASE_URL=database,
            THETAHAT_BROKER_URL=f"{broker}/0",
            THETAHAT_FILES_URL=(folder / "files").as_uri(),
            THETAHAT_DATA_DIR=folder / "unused",
            THETAHAT_WORKERS=1,
            **_settings(),
        ),
        running("migrate", log=folder.parent / "migrate") as migration,
    ):
        assert migration.process.wait(120) == 0, (folder.parent / "migrate").read_text()
        with (
            running("api", "--port", str(port), log=folder.parent / "api") as api,
            running("worker", log=folder.parent / "one") as first_worker,
            running("worker", log=folder.parent / "two") as two,
        ):
            address = database.replace("postgresql+psycopg://", "postgresql://", 1)
            machines = (first_worker, two)
            yield Setup(
                f"http://127.0.0.1:{port}",
                {
                    "worker_killed": lambda rng: _kill(_pick(machines, rng), "python", rng),
                    "worker_frozen": lambda rng: _freeze(_pick(machines, rng), "python", rng),
                    "api_frozen": lambda rng: _freeze_one(api.process.pid, rng),
                    "messages_lost": lambda _: _forget_messages(f"{broker}/0"),
                    "store_away": lambda rng: _move_away(folder / "files", rng),
                    "disk_full": lambda rng: fill_disk(folder, _draw_seconds(rng)),
                    "database_locked": lambda rng: _lock_postgres(address, rng),
                    "connections_ended": lambda _: _end_connections(address),
                },
            )


SETUPS: Final[Mapping[str, Callable[[Path], contextlib.AbstractContextManager[Setup]]]] = {
    "embedded": embedded,
    "cluster": cluster,
}


def _settings() -> dict[str, str]:
    return {f"THETAHAT_{name}": value for name, value in SETTINGS.items()}


@contextlib.contextmanager
def _environment(**variables: Any) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update({name: str(value) for name, value in variables.items()})
    forget()
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        forget()


def _draw_seconds(rng: np.random.Generator) -> float:
    return float(rng.uniform(0.2, LONGEST_S))


def _pick(machines: tuple[Command, ...], rng: np.random.Generator) -> Command:
    return machines[int(rng.integers(len(machines)))]


def _pick_process(command: Command, word: str, rng: np.random.Generator) -> int | None:
    pids = sorted(pid for pid, line in command.family().items() if word in line)
    return pids[int(rng.integers(len(pids)))] if pids else None


def _kill(command: Command, word: str, rng: np.random.Generator) -> None:
    pid = _pick_process(command, word, rng)
    if pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _freeze(command: Command, word: str, rng: np.random.Generator) -> None:
    pid = _pick_process(command, word, rng)
    if pid is not None:
        _freeze_one(pid, rng)


def _freeze_one(pid: int, rng: np.random.Generator) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        time.sleep(_draw_seconds(rng))
        os.kill(pid, signal.SIGCONT)


def _move_away(folder: Path, rng: np.random.Generator) -> None:
    away = folder.with_name("files.away")
    folder.rename(away)
    time.sleep(_draw_seconds(rng))
    away.rename(folder)


def _lock_sqlite(path: Path, rng: np.random.Generator) -> None:
    with contextlib.closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        time.sleep(_draw_seconds(rng))
        database.execute("ROLLBACK")


def _lock_postgres(address: str, rng: np.random.Generator) -> None:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(LOCK_TABLE)
        time.sleep(_draw_seconds(rng))
        connection.execute("ROLLBACK")


def _end_connections(address: str) -> None:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(END_CONNECTIONS)


def _forget_messages(address: str) -> None:
    with redis.Redis.from_url(address) as client:
        client.flushdb()
