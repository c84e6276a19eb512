"""The set-ups of the service as processes, and the faults that each can have."""

from __future__ import annotations

import contextlib
import itertools
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
from urllib.parse import urlsplit
from uuid import UUID

import httpx
import numpy as np
import psycopg
import redis

from tests.chaos.small_disk import fill_disk
from tests.servers.postgres import (
    DURABLE,
    build_url,
    fresh_database,
    postgres_server,
    server_folder,
)
from tests.servers.processes import free_port
from tests.servers.receiver import Receiver, run_receiver
from tests.servers.redis import redis_server
from tests.servers.shifted_clock import ShiftedClock
from tests.service.power_cut.recorded_disk import Recorder, build_image, read_log
from tests.service.power_cut.test_power_cut import SITE as RECORDING_SITE
from tests.service.storage.databases import forget
from tests.service.storage.shifted_clock import setting_the_clock
from tests.service.supervisor.processes import (
    READY_S,
    Command,
    descendants,
    environment,
    wait_until_gone,
)
from thetahat_service.storage import engine

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
    set_clock : callable or None
        Sets the clock of the service so many seconds after the machine's, where that is possible.
    """

    url: str
    faults: dict[str, Fault]
    receiver: Receiver
    set_clock: Callable[[int], None] | None = None

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


class Machine:
    """One command with all processes that it has started: they are lost together.

    Parameters
    ----------
    words : str
        The command.
    log : Path
        Its output, and that of the same command started again.
    variables : mapping or None
        The environment; None for that of this process.
    """

    def __init__(self, *words: str, log: Path, variables: Mapping[str, str] | None = None) -> None:
        self._words, self._log = words, log
        self.command = Command(*words, log=log, variables=variables)

    def lose(self) -> None:
        """Kill all processes at once."""
        family = self.command.family()
        for pid in (self.command.process.pid, *family):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.command.process.wait()
        wait_until_gone(family, seconds=READY_S)

    def start_again(self, variables: Mapping[str, str] | None = None) -> None:
        """Start the command anew."""
        self.command = Command(*self._words, log=self._log, variables=variables)


class Redis:
    """A Redis server that can be lost with all its messages."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._address = self._stack.enter_context(redis_server())
        self._port = urlsplit(self._address).port
        self.url = f"{self._address}/0"

    def close(self) -> None:
        """Stop the server."""
        self._stack.close()

    def lose(self, seconds: float) -> None:
        """Kill the server, and start an empty one at the same address after some seconds."""
        os.kill(self.find_pid(), signal.SIGKILL)
        time.sleep(seconds)
        self._stack.enter_context(redis_server(self._port))

    def forget_messages(self) -> None:
        """Delete all messages."""
        with redis.Redis.from_url(self.url) as client:
            client.flushdb()

    def find_pid(self) -> int:
        """Return the process id of the server."""
        with redis.Redis.from_url(self.url) as client:
            return int(client.info("server")["process_id"])


class Postgres:
    """A PostgreSQL server that can be lost with its memory; what it has written stays."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._folder = self._stack.enter_context(server_folder())
        self._process, self._port = self._stack.enter_context(self._folder.started(DURABLE))
        self.url = build_url(self._port)

    def close(self) -> None:
        """Stop the server."""
        self._stack.close()

    def lose(self) -> None:
        """Kill all processes of the server at once."""
        family = descendants(self._process.pid)
        for pid in (self._process.pid, *family):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        wait_until_gone(family, seconds=READY_S)

    def start_again(self) -> None:
        """Start the server on its files, at the same address."""
        started = self._folder.started(DURABLE, self._port)
        self._process, _ = self._stack.enter_context(started)


@contextlib.contextmanager
def embedded(folder: Path) -> Iterator[Setup]:
    """Run ``thetahat serve`` with SQLite and the embedded broker."""
    clock = ShiftedClock(folder.parent) if shutil.which("cc") else None
    port = free_port()
    with (
        run_receiver() as receiver,
        changed_environment(
            **_settings(receiver),
            **(clock.variables if clock else {}),
            THETAHAT_DATA_DIR=folder,
            THETAHAT_WORKERS=2,
        ),
        contextlib.ExitStack() as stack,
    ):
        serve = Machine("serve", "--port", str(port), log=folder.parent / "log")
        stack.callback(serve.lose)
        faults: dict[str, Fault] = {
            "worker_killed": lambda rng: _kill(serve, "thetahat-(worker|keeper|sweep)", rng),
            "worker_frozen": lambda rng: _freeze(serve, "thetahat-worker", rng),
            "machine_lost": lambda rng: _lose(serve, rng),
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
        url = f"http://127.0.0.1:{port}"
        register_webhook(url, receiver)
        yield Setup(url, faults, receiver, clock.set if clock else None)


@contextlib.contextmanager
def cluster(folder: Path) -> Iterator[Setup]:
    """Run an API and two machines' workers with PostgreSQL and Redis."""
    port = free_port()
    with (
        run_receiver() as receiver,
        postgres_server() as server,
        fresh_database(server) as database,
        contextlib.closing(Redis()) as broker,
        changed_environment(
            THETAHAT_DATABASE_URL=database,
            THETAHAT_BROKER_URL=broker.url,
            THETAHAT_FILES_URL=(folder / "files").as_uri(),
            THETAHAT_DATA_DIR=folder / "unused",
            THETAHAT_WORKERS=1,
            **_settings(receiver),
        ),
        contextlib.ExitStack() as stack,
    ):
        migrate(folder.parent / "migrate")
        set_clock = stack.enter_context(setting_the_clock())
        words = {"api": ("api", "--port", str(port)), "one": ("worker",), "two": ("worker",)}
        api, *workers = (
            Machine(*command, log=folder.parent / name) for name, command in words.items()
        )
        for machine in (api, *workers):
            stack.callback(machine.lose)
        address = database.replace("postgresql+psycopg://", "postgresql://", 1)
        url = f"http://127.0.0.1:{port}"
        register_webhook(url, receiver)
        yield Setup(
            url,
            {
                "worker_killed": lambda rng: _kill(_pick(workers, rng), "python", rng),
                "worker_frozen": lambda rng: _freeze(_pick(workers, rng), "python", rng),
                "machine_lost": lambda rng: _lose(_pick(workers, rng), rng),
                "api_killed": lambda rng: _lose(api, rng),
                "api_frozen": lambda rng: _freeze_one(api.command.process.pid, _draw_seconds(rng)),
                "messages_lost": lambda _: broker.forget_messages(),
                "broker_killed": lambda rng: broker.lose(_draw_seconds(rng)),
                "broker_frozen": lambda rng: _freeze_one(
                    broker.find_pid(), _draw_seconds(rng, LONGEST_BROKER_S)
                ),
                "receiver_hangs": lambda rng: _hang(receiver, rng),
                "clock_set": lambda rng: set_clock(_draw_hours(rng)),
                "store_away": lambda rng: _move_away(folder / "files", rng),
                "disk_full": lambda rng: fill_disk(folder, _draw_seconds(rng)),
                "database_locked": lambda rng: _lock_postgres(address, rng),
                "connections_ended": lambda _: _end_connections(address),
            },
            receiver,
            set_clock,
        )


class RecordedFolder:
    """A folder of which each power cut keeps only what was flushed.

    Parameters
    ----------
    folder : Path
        Where it is made, beside the records of what was flushed.
    """

    def __init__(self, folder: Path) -> None:
        self.path, self._folder = folder / "data", folder
        self.path.mkdir()
        self._numbers = itertools.count()
        self._record = self._build_record()

    def build_variables(self) -> dict[str, str]:
        """Return the environment of the processes whose flushes are recorded."""
        paths = os.pathsep.join([str(RECORDING_SITE), environment()["PYTHONPATH"]])
        recorded = {"RECORDED_FOLDER": str(self.path), "FLUSH_RECORD": str(self._record)}
        return environment() | recorded | {"PYTHONPATH": paths}

    def cut_power(self) -> None:
        """Leave what was flushed; the processes that wrote here are gone."""
        image = self._folder / "image"
        build_image(self._record, read_log(self._record), time.time(), image)
        shutil.rmtree(self.path)
        image.rename(self.path)
        shutil.rmtree(self._record)
        self._record = self._build_record()
        Recorder(self.path, self._record).record_all()

    def _build_record(self) -> Path:
        return self._folder / f"record-{next(self._numbers)}"


@contextlib.contextmanager
def power(folder: Path) -> Iterator[Setup]:
    """Run ``thetahat serve`` on a disk that keeps of each power cut only what was flushed."""
    recorded, port = RecordedFolder(folder), free_port()
    with (
        run_receiver() as receiver,
        changed_environment(
            **_settings(receiver), THETAHAT_DATA_DIR=recorded.path, THETAHAT_WORKERS=2
        ),
        contextlib.ExitStack() as stack,
    ):
        words = ("serve", "--port", str(port))
        log = folder.parent / "log"
        serve = Machine(*words, log=log, variables=recorded.build_variables())
        stack.callback(serve.lose)

        def cut_power(_: np.random.Generator) -> None:
            serve.lose()
            recorded.cut_power()
            engine.reset()  # this process has had the old file open
            serve.start_again(recorded.build_variables())

        url = f"http://127.0.0.1:{port}"
        register_webhook(url, receiver)
        yield Setup(url, {"power_cut": cut_power}, receiver)


@contextlib.contextmanager
def power_cluster(folder: Path) -> Iterator[Setup]:
    """Run API, a worker, PostgreSQL and Redis on one machine whose power is cut.

    Of the files only what was flushed stays. PostgreSQL loses its memory, and with it each
    transaction that was not flushed when it was committed; its own flushes are taken as kept.
    """
    recorded, port = RecordedFolder(folder), free_port()
    with (
        run_receiver() as receiver,
        contextlib.closing(Postgres()) as postgres,
        fresh_database(postgres.url) as database,
        contextlib.closing(Redis()) as broker,
        changed_environment(
            **_settings(receiver),
            THETAHAT_DATABASE_URL=database,
            THETAHAT_BROKER_URL=broker.url,
            THETAHAT_FILES_URL=(recorded.path / "files").as_uri(),
            THETAHAT_DATA_DIR=recorded.path,
            THETAHAT_WORKERS=2,
        ),
        contextlib.ExitStack() as stack,
    ):
        migrate(folder.parent / "migrate", recorded.build_variables())
        commands = {"api": ("api", "--port", str(port)), "worker": ("worker",)}
        machines = [
            Machine(*words, log=folder.parent / name, variables=recorded.build_variables())
            for name, words in commands.items()
        ]
        for machine in machines:
            stack.callback(machine.lose)

        def cut_power(_: np.random.Generator) -> None:
            postgres.lose()
            for machine in machines:
                machine.lose()
            broker.lose(0.0)
            recorded.cut_power()
            postgres.start_again()
            for machine in machines:
                machine.start_again(recorded.build_variables())

        url = f"http://127.0.0.1:{port}"
        register_webhook(url, receiver)
        yield Setup(url, {"power_cut": cut_power}, receiver)


SETUPS: Final[Mapping[str, Callable[[Path], contextlib.AbstractContextManager[Setup]]]] = {
    "embedded": embedded,
    "cluster": cluster,
    "power": power,
    "power_cluster": power_cluster,
}


def migrate(log: Path, variables: Mapping[str, str] | None = None) -> None:
    """Run ``thetahat migrate``."""
    command = Command("migrate", log=log, variables=variables)
    assert command.process.wait(READY_S) == 0, log.read_text()


def _settings(receiver: Receiver) -> dict[str, str]:
    allowed = {"THETAHAT_WEBHOOK_ALLOWED_HOSTS": f"http://127.0.0.1:{receiver.port}"}
    return {f"THETAHAT_{name}": value for name, value in SETTINGS.items()} | allowed


def register_webhook(url: str, receiver: Receiver) -> None:
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
def changed_environment(**variables: Any) -> Iterator[None]:
    """Have other variables in this process and its children until the block ends."""
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


def _pick(machines: Sequence[Machine], rng: np.random.Generator) -> Machine:
    return machines[int(rng.integers(len(machines)))]


def _lose(machine: Machine, rng: np.random.Generator) -> None:
    machine.lose()
    time.sleep(_draw_seconds(rng))
    machine.start_again()


def _pick_process(machine: Machine, word: str, rng: np.random.Generator) -> int | None:
    pids = sorted(pid for pid, line in machine.command.family().items() if re.search(word, line))
    return pids[int(rng.integers(len(pids)))] if pids else None


def _kill(machine: Machine, word: str, rng: np.random.Generator) -> None:
    pid = _pick_process(machine, word, rng)
    if pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _freeze(
    machine: Machine, word: str, rng: np.random.Generator, longest_s: float = LONGEST_S
) -> None:
    pid = _pick_process(machine, word, rng)
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
