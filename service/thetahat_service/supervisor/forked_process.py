"""Child processes that are forked from the supervisor after it imported the shared modules.

Importing takes seconds of a core in each process; a fork has the modules at once and shares their
memory (docs/decisions/0013 has the measurement). A forked process that ends is replaced by another
fork, because the supervisor starts no thread.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Final, NoReturn

from thetahat_service.process.exit_with_parent import request_signal_on_parent_exit
from thetahat_service.process.imports import import_without_garbage_collection
from thetahat_service.process.threads import limit_to_one_thread

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
FIRST_DESCRIPTOR: Final = 3
POLL_S = 0.01


def load_shared_modules() -> None:
    """Import the modules that API and workers share, and exempt them from garbage collection."""
    limit_to_one_thread()
    with import_without_garbage_collection():
        import thetahat_service.jobs.submit  # noqa: PLC0415 - slow to load, and only here
        import thetahat_service.storage.schema  # noqa: F401, PLC0415 - likewise


def can_fork() -> bool:
    """Return whether this process can be forked safely, with the shared modules in it."""
    return (
        sys.platform == "linux"
        and "thetahat_service.jobs.submit" in sys.modules
        and threading.active_count() == 1
    )


class ForkedProcess:
    """A fork of this process that calls a function; its methods are like those of ``Popen``.

    Parameters
    ----------
    function : callable
        What the child calls; the child exits when it returns.
    environment : mapping
        Added to the child's environment.
    orphan_signal : Signals
        What the child gets when this process exits.
    file_descriptors : sequence of int
        Left open in the child, besides standard output and error.
    """

    def __init__(
        self,
        function: Callable[[], None],
        environment: Mapping[str, str],
        orphan_signal: signal.Signals,
        file_descriptors: Sequence[int],
    ) -> None:
        self.returncode: int | None = None
        parent = os.getpid()
        sys.stdout.flush()
        sys.stderr.flush()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        self.pid = os.fork()
        if self.pid == 0:
            _detach_from_parent(parent, orphan_signal, file_descriptors)
            os.environ.update(environment)
            _call_and_exit(function)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def poll(self) -> int | None:
        """Return the exit status; None while the child runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the child exits; ``TimeoutExpired`` if that takes longer."""
        sleeping = threading.Event()
        remaining_s = float("inf") if timeout is None else timeout
        while (status := self.poll()) is None:
            if remaining_s <= 0:
                raise TimeoutExpired(str(self.pid), timeout or 0.0)
            sleeping.wait(POLL_S)
            remaining_s -= POLL_S
        return status

    def terminate(self) -> None:
        """Send SIGTERM to the child."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)


def _detach_from_parent(
    parent: int, orphan_signal: signal.Signals, descriptors: Sequence[int]
) -> None:
    """Set up the child's session, file descriptors and signal handlers."""
    os.setsid()
    request_signal_on_parent_exit(orphan_signal)
    if os.getppid() != parent:
        os._exit(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    for number in [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]:
        if number >= FIRST_DESCRIPTOR and number not in descriptors:
            with suppress(OSError):  # the descriptor that listed the folder is closed already
                os.close(number)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _call_and_exit(function: Callable[[], None]) -> NoReturn:
    """Call the function and exit with the status that Python would exit with."""
    status = 1
    try:
        function()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - the process ends here, after the reason is printed
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
