"""The service as a child process of the demo: start it, wait for it, stop it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from thetahat_client import Client

READY_S = 90.0
STOP_S = 30.0
POLL_S = 0.05
TAIL_LINES = 25
ADDRESS = re.compile(r"answers at (http://\S+)")


class DemoFailed(Exception):
    """The demo cannot go on; the message is for the person who started it."""


@contextmanager
def run_service(data_dir: Path, log: Path) -> Iterator[str]:
    """Run ``thetahat serve`` on a free port of this machine, and yield its address.

    The service is stopped at the end of the block, however it ends. ``DemoFailed`` carries the
    last lines of the service's log.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [str(Path(sys.executable).with_name("thetahat")), "serve"]
    command += ["--host", "127.0.0.1", "--port", "0", "--data-dir", str(data_dir)]
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)  # noqa: S603 - our own command
    try:
        url = _wait_until_ready(process, log)
        yield url
    except Exception as error:
        message = f"{error}\n\nThe last lines of its log ({log}):\n{read_tail(log)}"
        raise DemoFailed(message) from error
    finally:
        _stop(process)
    _check_gone(process, url, log)


def read_tail(log: Path) -> str:
    """Return the last lines of a log."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(f"  {line}" for line in lines[-TAIL_LINES:]) or "  (empty)"


def _wait_until_ready(process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + READY_S
    while time.monotonic() < deadline:
        match = ADDRESS.search(log.read_text(encoding="utf-8", errors="replace"))
        if match is not None:
            return match[1]
        if process.poll() is not None:
            message = f"The service ended during its start, with status {process.returncode}."
            raise DemoFailed(message)
        time.sleep(POLL_S)
    message = f"The service was not ready after {READY_S:g} seconds."
    raise DemoFailed(message)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stop the service as Ctrl-C would; kill it if it has not ended in time."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _check_gone(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    if process.returncode != 0:
        message = f"The service ended with status {process.returncode}.\n{read_tail(log)}"
        raise DemoFailed(message)
    with Client(url, timeout=2.0) as client:
        if client.state() != "down":
            message = f"The service is stopped, but {url} still answers."
            raise DemoFailed(message)


def find_data_dir(root: Path) -> Path:
    """Return the data folder, the same one as that of ``make serve``."""
    return Path(os.environ.get("THETAHAT_DATA_DIR") or root / ".thetahat").resolve()
