"""Drills of an operator who installs this release: an upgrade, and a backup restored into it."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import httpx

from tests.chaos.setups import Machine, Redis, changed_environment, migrate
from tests.drills.landings import Inventory, copy_rows, count_lost, read_inventory, unpack
from tests.drills.report import Drill
from tests.servers.postgres import find_binaries, fresh_database, postgres_server
from tests.servers.processes import free_port
from tests.service.releases.test_earlier_releases import NEWEST, RELEASES
from tests.service.supervisor.processes import Command

END_S: Final = 300.0
POLL_S: Final = 0.1


def run_embedded(folder: Path) -> Generator[Drill]:
    """Upgrade and restore installations with SQLite."""
    for release in RELEASES:
        data = folder / release
        unpack(release, data)
        with changed_environment(THETAHAT_DATA_DIR=data, THETAHAT_WORKERS=2):
            before, began = read_inventory(), time.monotonic()
            yield _start_and_compare(f"upgrade from {release}", before, began, folder, is_api=False)
    data, backup = folder / "restored", folder / "backup"
    unpack(NEWEST, backup)
    with changed_environment(THETAHAT_DATA_DIR=backup):
        before = read_inventory()
    with changed_environment(THETAHAT_DATA_DIR=data, THETAHAT_WORKERS=2):
        began = time.monotonic()
        restoring = Command("restore", str(backup), log=folder / "log")
        assert restoring.process.wait(END_S) == 0, (folder / "log").read_text()
        name = f"backup of {NEWEST} restored"
        yield _start_and_compare(name, before, began, folder, is_api=False)


def run_cluster(folder: Path) -> Generator[Drill]:
    """Upgrade and restore installations with PostgreSQL and Redis."""
    with postgres_server() as server, contextlib.closing(Redis()) as broker:
        for release in RELEASES:
            with _installation(server, broker, folder / release) as _:
                _install(release, folder / release)
                before, began = read_inventory(), time.monotonic()
                migrate(folder / "log")
                name = f"upgrade from {release}"
                yield _start_and_compare(name, before, began, folder, is_api=True)
        old, new, dump = folder / "old", folder / "restored", folder / "dump"
        with _installation(server, broker, old) as database:
            _install(NEWEST, old)
            before = read_inventory()
            _run_tool("pg_dump", "--format=custom", f"--file={dump}", database)
        with _installation(server, broker, new) as database:
            began = time.monotonic()
            shutil.copytree(old / "files", new / "files")
            _run_tool("pg_restore", f"--dbname={database}", str(dump))
            migrate(folder / "log")
            name = f"backup of {NEWEST} restored"
            yield _start_and_compare(name, before, began, folder, is_api=True)


@contextmanager
def _installation(server: str, broker: Redis, folder: Path) -> Iterator[str]:
    """Use an empty database and file store; the value is the URL for PostgreSQL's own tools."""
    with (
        fresh_database(server) as database,
        changed_environment(
            THETAHAT_DATABASE_URL=database,
            THETAHAT_BROKER_URL=broker.url,
            THETAHAT_FILES_URL=(folder / "files").as_uri(),
            THETAHAT_DATA_DIR=folder / "unused",
            THETAHAT_WORKERS=1,
        ),
    ):
        yield database.replace("+psycopg", "", 1)


def _install(release: str, folder: Path) -> None:
    """Make the installation of a landing, whose archive is one with SQLite."""
    unpack(release, folder / "archive")
    copy_rows(folder / "archive", folder / "files")


def _run_tool(name: str, *words: str) -> None:
    subprocess.run([find_binaries() / name, *words], check=True)


def _start_and_compare(
    name: str, before: Inventory, began: float, folder: Path, *, is_api: bool
) -> Drill:
    """Start the service, wait until the queued work has ended, and compare."""
    port, log = str(free_port()), folder / "log"
    commands = (("api", "--port", port), ("worker",)) if is_api else (("serve", "--port", port),)
    with ExitStack() as stack:
        for words in commands:
            stack.callback(Machine(*words, log=log).lose)
        after = _wait_for_the_end()
        seconds = time.monotonic() - began
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30.0) as client:
            _wait_for_the_api(client)
            return Drill(
                name,
                count_lost(before, after, lambda address: client.get(address).is_success),
                seconds,
            )


def _wait_for_the_end() -> Inventory:
    deadline = time.monotonic() + END_S
    while (now := read_inventory()).open and time.monotonic() < deadline:
        time.sleep(POLL_S)
    return now


def _wait_for_the_api(client: httpx.Client) -> None:
    deadline = time.monotonic() + END_S
    while time.monotonic() < deadline:
        with contextlib.suppress(httpx.TransportError):
            if client.get("/healthz").is_success:
                return
        time.sleep(POLL_S)


RUN: Final = {"embedded": run_embedded, "cluster": run_cluster}
