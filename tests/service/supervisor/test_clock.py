"""The service as processes while the wall clock is set to another time."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import UUID

import orjson
import pytest

from tests.cases import case
from tests.servers.shifted_clock import ShiftedClock
from tests.service.jobs.evaluations import look, submit_nap, wait_for
from tests.service.storage.databases import SQLITE_FILE, Setting
from tests.service.storage.shifted_clock import setting_the_clock
from tests.service.supervisor.processes import (
    Command,
    environment,
    running,
    wait_until,
    wait_until_gone,
)
from tests.worker.sleeping_kind import expected_draws
from thetahat_service.jobs import read
from thetahat_service.storage import schema
from thetahat_service.storage.owners import LOCAL_OWNER_ID

pytestmark = [pytest.mark.chaos, pytest.mark.usefixtures("nothing_loaded_ahead")]

HOUR, DAY = 3600, 24 * 3600
N_CHUNKS = 8


@pytest.fixture
def clock(tmp_path: Path) -> ShiftedClock:
    folder = tmp_path / "clock"
    folder.mkdir()
    return ShiftedClock(folder)


def test_exact_the_clock_of_a_process_is_shifted(tmp_path: Path, clock: ShiftedClock) -> None:
    clock.set(-2 * DAY)
    code = (
        "import sqlite3, time; print(time.time());"
        "print(sqlite3.connect(':memory:').execute(\"SELECT unixepoch('now')\").fetchone()[0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **clock.variables},
        check=True,
        capture_output=True,
        text=True,
    )
    for line in done.stdout.split():
        assert float(line) == pytest.approx(time.time() - 2 * DAY, abs=30.0)


def submit(url: str, **fields: object) -> UUID:
    """Submit an evaluation over HTTP, so that its times are of the service's clock."""
    body = orjson.dumps({"kind": "sleeping", **fields})
    request = urllib.request.Request(
        f"{url}/v1/evaluations", body, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        return UUID(orjson.loads(answer.read())["id"])


def wait_for_a_chunk(evaluation_id: UUID) -> None:
    wait_until(lambda: look(evaluation_id).progress_done > 0)


def assert_ends(evaluation_id: UUID) -> None:
    wait_for(evaluation_id, "succeeded")
    draws = orjson.loads(read.get_result(LOCAL_OWNER_ID, evaluation_id))["draws"]
    assert draws == expected_draws(3, N_CHUNKS)


def freeze_between_writes(process_id: int, database: Path) -> None:
    """Stop a process at a moment at which it does not hold SQLite's lock for writing.

    A process that is stopped within a write keeps the lock, and every submission is answered with
    503 until it goes on: that is right, but it is not what these tests are about.
    """
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        os.kill(process_id, signal.SIGSTOP)
        connection = sqlite3.connect(database, timeout=5.0, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError:
            os.kill(process_id, signal.SIGCONT)
            time.sleep(0.05)
        else:
            return
        finally:
            connection.close()
    raise AssertionError("the process was writing at every look")


@contextmanager
def serve(folder: Path, clock: ShiftedClock, log: Path) -> Iterator[tuple[Command, str]]:
    words = ("serve", "--port", "0", "--data-dir", str(folder), "--workers", "2")
    with running(*words, log=log, variables=environment() | clock.variables) as command:
        yield command, command.wait_for(r"answers at (http://\S+) \(data in")[1]


@pytest.mark.usefixtures("sqlite")
def test_exact_serve_goes_on_after_jumps(
    tmp_path: Path, setting: Setting, clock: ShiftedClock
) -> None:
    """Back by an hour, forth by two, and back by two days."""
    setting(lease_s=6, sweep_s=0.2)
    with serve(tmp_path, clock, tmp_path / "log") as (command, url):
        for jump in (-HOUR, HOUR, -2 * DAY):
            with case("jump", jump):
                running_one = submit(url, n_chunks=N_CHUNKS, seconds=0.4, seed=3)
                wait_for_a_chunk(running_one)
                worker = command.list_family("thetahat-worker")[-1]
                # Its claim must expire by the lease, not by the clock.
                freeze_between_writes(worker, tmp_path / SQLITE_FILE)
                clock.set(jump)
                late = submit(url, n_chunks=N_CHUNKS, seconds=0.05, seed=3)
                assert_ends(running_one)
                assert_ends(late)
                os.kill(worker, signal.SIGCONT)


@pytest.mark.usefixtures("sqlite")
def test_exact_serve_starts_days_earlier(
    tmp_path: Path, setting: Setting, clock: ShiftedClock
) -> None:
    """Two days before it was stopped, and two more before it was killed."""
    setting(lease_s=6, sweep_s=0.2)
    left: list[UUID] = []
    for number, end in enumerate((signal.SIGTERM, signal.SIGKILL, None)):
        clock.set(-2 * DAY * number)
        with serve(tmp_path, clock, tmp_path / f"log{number}") as (command, url):
            if left:
                new = submit(url, n_chunks=N_CHUNKS, seconds=0.05, seed=3)
                assert_ends(left.pop())
                assert_ends(new)
            if end is not None:
                left.append(submit(url, n_chunks=N_CHUNKS, seconds=0.4, seed=3))
                wait_for_a_chunk(left[-1])
                family = command.family()
                command.stop(end)
                wait_until_gone(family)


def test_exact_a_cluster_goes_on_while_the_clock_of_its_database_jumps(
    tmp_path: Path, setting: Setting, postgres_database: str, redis_url: str, empty_sqlite: None
) -> None:
    """Forth and back by an hour, and two days back while no worker runs."""
    setting(
        database_url=postgres_database,
        broker_url=redis_url,
        files_url=(tmp_path / "files").as_uri(),
        workers=1,
        lease_s=4,
        sweep_s=0.2,
    )
    schema.upgrade()
    with ExitStack() as stack:
        set_clock: Callable[[float], None] = stack.enter_context(setting_the_clock())
        with running("worker", log=tmp_path / "one") as machine:
            for jump in (HOUR, 0, -HOUR):
                evaluation_id = submit_nap(n_chunks=N_CHUNKS, seconds=0.3, seed=3)
                wait_for_a_chunk(evaluation_id)
                set_clock(jump)
                assert_ends(evaluation_id)
            evaluation_id = submit_nap(n_chunks=N_CHUNKS, seconds=0.3, seed=3)
            wait_for_a_chunk(evaluation_id)
            family = machine.family()
            machine.stop(signal.SIGKILL)
            wait_until_gone(family)
        set_clock(-2 * DAY)
        with running("worker", log=tmp_path / "two"):
            assert_ends(evaluation_id)
