"""The main process of the workers, whose children compute: what it loads, and how it runs."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import Final

from thetahat_service.process.threads import limit_to_one_thread

limit_to_one_thread()

IMPORTED_AT_START: Final = (
    "celery.apps.worker",
    "celery.concurrency.prefork",
    "celery.worker.consumer",
    "kombu.transport.redis",
)
"""What Celery's worker imports when it starts. It searches for garbage before each fork, which is
quick only if what was imported is exempt."""


def load() -> None:
    """Import and read what the process needs; starts no thread and opens no connection."""
    from thetahat_service.process.imports import import_without_garbage_collection  # noqa: PLC0415 - after the limit of threads is set

    with import_without_garbage_collection():
        from celery.exceptions import SecurityWarning  # noqa: PLC0415 - likewise

        from thetahat_service.process.compiled_loops import fill_loop_cache  # noqa: PLC0415 - likewise
        from thetahat_worker import app, preload  # noqa: F401, PLC0415 - likewise

        # Celery warns of root because a pickle could run anything; here messages are JSON alone.
        warnings.filterwarnings("ignore", category=SecurityWarning)
        for name in IMPORTED_AT_START:
            import_module(name)
        fill_loop_cache()
        preload.load_before_fork()


def run() -> None:
    """Run Celery's worker until it is stopped."""
    from thetahat_service.process.exit_with_parent import set_process_name  # noqa: PLC0415 - as in load
    from thetahat_service.process.start_signal import wait_for_start_signal  # noqa: PLC0415 - likewise
    from thetahat_service.settings import get_settings  # noqa: PLC0415 - likewise
    from thetahat_worker.app import app  # noqa: PLC0415 - likewise

    set_process_name("thetahat-worker")
    wait_for_start_signal()
    # Celery's own command line would first import all of its other commands.
    worker = app.Worker(
        pool_cls="prefork",
        concurrency=get_settings().workers,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        loglevel="WARNING",
        quiet=True,
    )
    worker.start()
    sys.exit(worker.exitcode)
