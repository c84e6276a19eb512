"""Child processes that cannot outlive the test run."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

STOP_SECONDS = 10.0
PR_SET_PDEATHSIG = 1
# Loaded here: between fork and exec a child may not load libraries.
LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class ServerFault(Exception):
    """A server that the tests need cannot be found or does not start."""


def free_port() -> int:
    """Return a loopback port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def dies_with_parent(stop_signal: signal.Signals) -> Callable[[], None] | None:
    """Return what a child runs before exec so that the kernel ends it with its parent.

    It holds even where the parent is killed outright. Only Linux has it; elsewhere the
    orderly end in :func:`running` is all there is.
    """
    libc = LIBC
    if libc is None:
        return None
    return lambda: libc.prctl(PR_SET_PDEATHSIG, int(stop_signal))


@contextlib.contextmanager
def running(
    command: Sequence[str | Path],
    log: Path,
    *,
    stop_signal: signal.Signals = signal.SIGTERM,
    **options: Any,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server until the block ends, then stop it and wait for it.

    It has a session of its own, so that Ctrl-C reaches pytest alone, which then ends the
    fixtures in their order.
    """
    with log.open("ab") as sink:
        process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=dies_with_parent(stop_signal),  # noqa: PLW1509  (only a prctl call)
            **options,
        )
    try:
        yield process
    finally:
        process.send_signal(stop_signal)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """Have so many processes compute without a pause until the block ends."""
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            command = [sys.executable, "-c", "while True: pass"]
            stack.enter_context(running(command, Path(os.devnull)))
        yield
