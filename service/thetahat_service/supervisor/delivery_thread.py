"""The thread that sends deliveries to webhooks; it runs wherever a sweep thread runs."""

from __future__ import annotations

import logging
import threading
import time

from sqlalchemy.exc import SQLAlchemyError

from thetahat_service.jobs import deliveries
from thetahat_service.settings import Settings
from thetahat_service.storage.infrastructure import read_reason

log = logging.getLogger(__name__)

REMOVAL_PAUSE_S = 600.0  # seconds between two deletions of old deliveries


class DeliveryThread:
    """Looks for deliveries that are due every ``sweep_s`` seconds until it is stopped.

    Parameters
    ----------
    settings : Settings
        Pauses, timeouts and allowed hosts.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._remove_from = time.monotonic() + REMOVAL_PAUSE_S
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread; an attempt that is still running is repeated by another process."""
        self._ended.set()
        self._thread.join(timeout=2.0)

    def _run(self) -> None:
        """Send due deliveries and delete old ones until the thread is stopped."""
        while not self._ended.wait(self._settings.sweep_s):
            try:
                while not self._ended.is_set() and deliveries.send_due(self._settings):
                    pass
                if time.monotonic() >= self._remove_from:
                    self._remove_from = time.monotonic() + REMOVAL_PAUSE_S
                    deliveries.remove_old(self._settings)
            except SQLAlchemyError as error:
                log.warning("webhooks.database_unreachable", extra={"reason": read_reason(error)})
            except Exception:
                log.exception("webhooks.failed")
