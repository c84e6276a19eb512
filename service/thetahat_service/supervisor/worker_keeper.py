"""``python -m thetahat_service.supervisor.worker_keeper``: the workers, started again at once.

Loading what the workers' main process needs takes two to three seconds of a core, many times as
long on a busy machine. This process loads it once and then only forks the main process, again
whenever that ends. It has no threads and no connection, so a fork of it is safe.
"""

from __future__ import annotations

import logging
import signal
import sys
import threading
import time
from collections.abc import Callable
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
"""A main process that ends again after such a pause needs another keeper."""
AWAITED: Final = (signal.SIGCHLD, *SIGNALS)


def main() -> None:
    """Load the worker, and keep its main process running until this process is stopped."""
    worker = import_module(WORKER_MODULE)
    worker.load()
    if sys.platform == "linux" and threading.active_count() == 1:
        set_process_name("thetahat-keeper")
        sys.exit(keep_running(worker.run))
    worker.run()


def keep_running(function: Callable[[], None]) -> int:
    """Call a function in a fork of this process, again when that ends; return the last status.

    It returns after SIGTERM or SIGINT, and if the fork ends again and again.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
    pause_s = FIRST_PAUSE_S
    while True:
        began = time.monotonic()
        child = ForkedProcess(function, {}, signal.SIGKILL, list_descriptors())
        is_stopping = False
        while child.poll() is None:
            if signal.sigwait(AWAITED) != signal.SIGCHLD and not is_stopping:
                child.terminate()  # once: Celery takes a second one as an order to stop at once
                is_stopping = True
        status = child.returncode or 0
        if time.monotonic() - began > STEADY_S:
            pause_s = FIRST_PAUSE_S
        if is_stopping or pause_s > LONGEST_PAUSE_S:
            return status if status >= 0 else 128 - status
        log.warning("worker.ended", extra={"status": status, "pid": child.pid})
        if signal.sigtimedwait(SIGNALS, pause_s) is not None:
            return 0
        pause_s *= 2


if __name__ == "__main__":
    main()
