"""The thread that sweeps: beside whatever command starts workers, one at a time per database."""

from __future__ import annotations

import logging
import threading
from uuid import UUID, uuid4

from sqlalchemy.exc import SQLAlchemyError

from service.jobs import sweep
from service.settings import Settings

log = logging.getLogger(__name__)


class SweepingThread:
    """Sweeps every ``sweep_s`` until it is stopped.

    Parameters
    ----------
    settings : Settings
        Pauses, leases and attempts.
    node : UUID or None
        Whose ended processes are noticed at once; None for none.
    """

    def __init__(self, settings: Settings, node: UUID | None = None) -> None:
        self._settings = settings
        self._node = node
        self._holder = uuid4()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweep", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, and leave the duty to the next."""
        self._ended.set()
        self._thread.join(timeout=5.0)
        try:
            sweep.leave(self._holder)
        except SQLAlchemyError as error:
            log.warning("sweep.not_left", extra={"reason": str(error)})

    def _run(self) -> None:
        while not self._ended.wait(self._settings.sweep_s):
            try:
                if self._node is not None:
                    sweep.reap(self._node, self._settings)
                sweep.sweep(self._holder, self._settings)
            except SQLAlchemyError as error:
                log.warning("sweep.database_away", extra={"reason": str(error)})
            except Exception:
                log.exception("sweep.failed")
