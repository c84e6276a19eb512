"""A process that has loaded what another one needs, and forks it again at once when it ends.

Loading what the API or the workers' main process needs takes one to three seconds of a core, many
times as long on a busy machine. A keeper loads it once and then only forks. It has no threads and
no connection, so a fork of it is safe. ``python -m thetahat_service.supervisor.keeper`` is the
keeper of the workers.
"""

from __future__ import annotations

import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Final

from thetahat_service.process.exit_with_parent import set_process_name
from thetahat_service.process.start_signal import list_descriptors
from thetahat_service.supervisor.forked_process import SIGNALS, ForkedProcess

log = logging.getLogger(__name__)

WORKER_MODULE: Final = "thetahat_worker.main_process"
"""By name, because the supervisor does not import the worker."""
STEADY_S: Final = 30.0
"""After a run of this length the pauses begin with the first again."""
FIRST_PAUSE_S: Final = 0.1
LONGEST_PAUSE_S: Final = 5.0
"""A process that ends again after such a pause needs another keeper."""
LOAD_LATER_S: Final = 10.0
"""Time for the first process to load by itself what its first requests need."""
POLL_S: Final = 0.05
AWAITED: Final = (signal.SIGCHLD, *SIGNALS)


def keep_workers() -> None:
    """Load the worker, and keep its main process running until this process is stopped."""
    worker = import_module(WORKER_MODULE)
    keep("workers", worker.load, worker.run)


def keep(
    name: str,
    load: Callable[[], None],
    run: Callable[[], None],
    descriptors: Sequence[int] = (),
    load_later: Callable[[], None] | None = None,
) -> None:
    """Load, and keep a process running that calls a function, until this process is stopped.

    Parameters
    ----------
    name : str
        What is kept, for the log.
    load : callable
        Imports and reads what the function needs; starts no thread and opens no connection.
    run : callable
        The function.
    descriptors : sequence of int
        Left open in its process.
    load_later : callable or None
        Imports what the first process loads by itself while it runs already; the next ones have it.
    """
    load()
    if sys.platform == "linux" and threading.active_count() == 1:
        set_process_name("thetahat-keeper")
        sys.exit(keep_running(name, run, descriptors, load_later))
    run()


def keep_running(
    name: str,
    run: Callable[[], None],
    descriptors: Sequence[int] = (),
    load_later: Callable[[], None] | None = None,
) -> int:
    """Call a function in a fork of this process, again when that ends; return the last status.

    It returns after SIGTERM or SIGINT, and if the fork ends again and again.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
    pause_s = FIRST_PAUSE_S
    while True:
        began = time.monotonic()
        child = ForkedProcess(run, {}, signal.SIGKILL, [*descriptors, *list_descriptors()])
        is_stopping = False
        if load_later is not None and not _has_signal(LOAD_LATER_S):
            load_later()
            load_later = None
        while child.poll() is None:
            if signal.sigwait(AWAITED) != signal.SIGCHLD and not is_stopping:
                child.terminate()  # once: Celery takes a second one as an order to stop at once
                is_stopping = True
        status = child.returncode or 0
        if time.monotonic() - began > STEADY_S:
            pause_s = FIRST_PAUSE_S
        if is_stopping or pause_s > LONGEST_PAUSE_S:
            return status if status >= 0 else 128 - status
        log.warning("kept.ended", extra={"kept": name, "status": status, "pid": child.pid})
        if signal.sigtimedwait(SIGNALS, pause_s) is not None:
            return 0
        pause_s *= 2


def _has_signal(seconds: float) -> bool:
    """Wait for a signal, and leave it pending; False if none comes in time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if signal.sigpending() & {*AWAITED}:
            return True
        time.sleep(POLL_S)
    return False


if __name__ == "__main__":
    keep_workers()
