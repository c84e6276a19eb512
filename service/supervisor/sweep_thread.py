"""The thread that sweeps; every ``serve``, ``worker`` and ``sweeper`` command has one.

Of all that share a database, one at a time does the sweep.
"""

from __future__ import annotations

import logging
import threading
from uuid import UUID, uuid4

from sqlalchemy.exc import SQLAlchemyError

from service.jobs import sweep
from service.settings import Settings

log = logging.getLogger(__name__)


class SweepThread:
    """Sweeps every ``sweep_s`` seconds until it is stopped.

    Parameters
    ----------
    settings : Settings
        Pauses, leases and attempts.
    node : UUID or None
        The node whose ended worker processes are noticed at once; None for no node.
    """

    def __init__(self, settings: Settings, node: UUID | None = None) -> None:
        self._settings = settings
        self._node = node
        self._holder = uuid4()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweep", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread, and let another process sweep at once."""
        self._ended.set()
        self._thread.join(timeout=5.0)
        try:
            sweep.release_duty(self._holder)
        except SQLAlchemyError as error:
            log.warning("sweep.duty_not_released", extra={"reason": str(error)})

    def _run(self) -> None:
        while not self._ended.wait(self._settings.sweep_s):
            try:
                if self._node is not None:
                    sweep.reclaim_from_ended_workers(self._node, self._settings)
                sweep.sweep(self._holder, self._settings)
            except SQLAlchemyError as error:
                log.warning("sweep.database_unreachable", extra={"reason": str(error)})
            except Exception:
                log.exception("sweep.failed")
