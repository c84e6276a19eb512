"""The two set-ups of the service as processes, and the faults that each can have."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import httpx
import numpy as np
import psycopg
import redis

from tests.chaos.small_disk import fill_disk
from tests.servers.postgres import fresh_database, postgres_server
from tests.servers.processes import free_port
from tests.servers.receiver import Receiver, run_receiver
from tests.servers.redis import redis_server
from tests.servers.shifted_clock import ShiftedClock
from tests.service.storage.databases import forget
from tests.service.storage.shifted_clock import setting_the_clock
from tests.service.supervisor.processes import READY_S, Command, running, serving

LONGEST_S: Final = 3.0
"""Longest fault; longer than a lease."""
LONGEST_BROKER_S: Final = 12.0
"""Longest time for which the broker is frozen; workers look into the database after 2 s."""
HOUR_S: Final = 3600
DELIVERY_S: Final = 120.0
"""Longest wait for the last deliveries to the webhook."""
SETTINGS: Final = {
    "LEASE_S": "2",
    "SWEEP_S": "0.2",
    "RESEND_S": "1",
    "MAX_UNFINISHED": "100000",
    "WEBHOOK_TIMEOUT_S": "2",
    "WEBHOOK_PAUSES_S": ",".join(["1"] * 100),
}
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
    receiver : Receiver
        Gets the deliveries of a webhook, about each end of an evaluation.
    """

    url: str
    faults: dict[str, Fault]
    receiver: Receiver

    def wait_for_deliveries(self, evaluations: Sequence[UUID]) -> int:
        """Wait until the webhook knows the end of some evaluations; return how many it lacks."""
        deadline = time.monotonic() + DELIVERY_S
        while missing := set(map(str, evaluations)) - self._list_delivered():
            if time.monotonic() > deadline:
                break
            time.sleep(1.0)
        return len(missing)

    def _list_delivered(self) -> set[str]:
        bodies = b" ".join(request.body for request in list(self.receiver.received))
        return set(re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", bodies.decode()))


@contextlib.contextmanager
def embedded(folder: Path) -> Iterator[Setup]:
    """Run ``thetahat serve`` with SQLite and the embedded broker."""
    clock = ShiftedClock(folder.parent) if shutil.which("cc") else None
    with (
        run_receiver() as receiver,
        _environment(
            **_settings(receiver),
            **(clock.variables if clock else {}),
            THETAHAT_DATA_DIR=folder,
            THETAHAT_WORKERS=2,
        ),
        serving(folder, folder.parent / "log") as serve,
    ):
        faults: dict[str, Fault] = {
            "worker_killed": lambda rng: _kill(serve, "thetahat-worker", rng),
            "worker_frozen": lambda rng: _freeze(serve, "thetahat-worker", rng),
            "api_killed": lambda rng: _kill(serve, "thetahat-api", rng),
            "broker_killed": lambda rng: _kill(serve, "-server", rng),
            "broker_frozen": lambda rng: _freeze(serve, "-server", rng, LONGEST_BROKER_S),
            "receiver_hangs": lambda rng: _hang(receiver, rng),
            "store_away": lambda rng: _move_away(folder / "files", rng),
            "disk_full": lambda rng: fill_disk(folder, _draw_seconds(rng)),
            "database_locked": lambda rng: _lock_sqlite(folder / "thetahat.sqlite3", rng),
        }
        if clock is None:
            print("   The fault clock_set is left out: there is no C compiler.")
        else:
            faults["clock_set"] = lambda rng: clock.set(_draw_hours(rng))
        url = serve.wait_for(r"answers at (http://\S+)")[1]
        _register_webhook(url, receiver)
        yield Setup(url, faults, receiver)


@contextlib.contextmanager
def cluster(folder: Path) -> Iterator[Setup]:
    """Run an API and two machines' workers with PostgreSQL and Redis."""
    port = free_port()
    with (
        run_receiver() as receiver,
        postgres_server() as server,
        fresh_database(server) as database,
        redis_server() as broker,
        _environment(
            THETAHAT_DATABASE_URL=database,
            THETAHAT_BROKER_URL=f"{broker}/0",
            THETAHAT_FILES_URL=(folder / "files").as_uri(),
            THETAHAT_DATA_DIR=folder / "unused",
            THETAHAT_WORKERS=1,
            **_settings(receiver),
        ),
        running("migrate", log=folder.parent / "migrate") as migration,
    ):
        assert migration.process.wait(120) == 0, (folder.parent / "migrate").read_text()
        with (
            setting_the_clock() as set_clock,
            running("api", "--port", str(port), log=folder.parent / "api") as api,
            running("worker", log=folder.parent / "one") as first_worker,
            running("worker", log=folder.parent / "two") as two,
        ):
            address = database.replace("postgresql+psycopg://", "postgresql://", 1)
            machines = (first_worker, two)
            url = f"http://127.0.0.1:{port}"
            with redis.Redis.from_url(f"{broker}/0") as client:
                broker_pid = int(client.info("server")["process_id"])
            _register_webhook(url, receiver)
            yield Setup(
                url,
                {
                    "worker_killed": lambda rng: _kill(_pick(machines, rng), "python", rng),
                    "worker_frozen": lambda rng: _freeze(_pick(machines, rng), "python", rng),
                    "api_frozen": lambda rng: _freeze_one(api.process.pid, _draw_seconds(rng)),
                    "messages_lost": lambda _: _forget_messages(f"{broker}/0"),
                    "broker_frozen": lambda rng: _freeze_one(
                        broker_pid, _draw_seconds(rng, LONGEST_BROKER_S)
                    ),
                    "receiver_hangs": lambda rng: _hang(receiver, rng),
                    "clock_set": lambda rng: set_clock(_draw_hours(rng)),
                    "store_away": lambda rng: _move_away(folder / "files", rng),
                    "disk_full": lambda rng: fill_disk(folder, _draw_seconds(rng)),
                    "database_locked": lambda rng: _lock_postgres(address, rng),
                    "connections_ended": lambda _: _end_connections(address),
                },
                receiver,
            )


SETUPS: Final[Mapping[str, Callable[[Path], contextlib.AbstractContextManager[Setup]]]] = {
    "embedded": embedded,
    "cluster": cluster,
}


def _settings(receiver: Receiver) -> dict[str, str]:
    allowed = {"THETAHAT_WEBHOOK_ALLOWED_HOSTS": f"http://127.0.0.1:{receiver.port}"}
    return {f"THETAHAT_{name}": value for name, value in SETTINGS.items()} | allowed


def _register_webhook(url: str, receiver: Receiver) -> None:
    """Register the webhook, when the API answers."""
    deadline = time.monotonic() + READY_S
    while True:
        with contextlib.suppress(httpx.TransportError):
            hook = {"url": f"http://127.0.0.1:{receiver.port}/"}
            httpx.post(f"{url}/v1/webhooks", json=hook, timeout=READY_S).raise_for_status()
            return
        assert time.monotonic() < deadline, "The API does not answer."
        time.sleep(0.1)


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


def _draw_seconds(rng: np.random.Generator, longest_s: float = LONGEST_S) -> float:
    return float(rng.uniform(0.2, longest_s))


def _draw_hours(rng: np.random.Generator) -> int:
    """Return the next setting of the clock in seconds: right, or an hour fast or slow."""
    return int(rng.integers(-1, 2)) * HOUR_S


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


def _freeze(
    command: Command, word: str, rng: np.random.Generator, longest_s: float = LONGEST_S
) -> None:
    pid = _pick_process(command, word, rng)
    if pid is not None:
        _freeze_one(pid, _draw_seconds(rng, longest_s))


def _freeze_one(pid: int, seconds: float) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(pid, signal.SIGCONT)


def _hang(receiver: Receiver, rng: np.random.Generator) -> None:
    """Have the webhook's receiver answer nothing for longer than a delivery may take."""
    receiver.is_answering.clear()
    time.sleep(_draw_seconds(rng, 2 * LONGEST_S))
    receiver.is_answering.set()


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
