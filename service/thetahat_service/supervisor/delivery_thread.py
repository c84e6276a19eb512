"""The thread that sends deliveries to webhooks; it runs wherever a sweep thread runs."""

from __future__ import annotations

import logging
import threading
import time

from sqlalchemy.exc import SQLAlchemyError

from thetahat_service.jobs import deliveries
from thetahat_service.jobs.deliveries import DeliveryLanes
from thetahat_service.settings import Settings
from thetahat_service.storage.infrastructure import read_reason

log = logging.getLogger(__name__)

REMOVAL_PAUSE_S = 600.0  # seconds between two deletions of old deliveries
LEAST_PAUSE_S = 0.02  # between two claims while deliveries end quickly
STOP_S = 2.0  # time for recording what was interrupted


class DeliveryThread:
    """Looks for deliveries that are due until it is stopped.

    It looks every ``sweep_s`` seconds, and whenever a delivery has ended.

    Parameters
    ----------
    settings : Settings
        Pauses, timeouts and allowed hosts.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lanes = DeliveryLanes(settings)
        self._remove_from = time.monotonic() + REMOVAL_PAUSE_S
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread, and interrupt what is being sent; it is due again at once."""
        self._ended.set()
        self._lanes.stop(STOP_S)
        self._thread.join(timeout=STOP_S)

    def _run(self) -> None:
        """Send due deliveries and delete old ones until the thread is stopped."""
        while not self._ended.wait(LEAST_PAUSE_S):
            try:
                self._lanes.start_due()
                if time.monotonic() >= self._remove_from:
                    self._remove_from = time.monotonic() + REMOVAL_PAUSE_S
                    deliveries.remove_old(self._settings)
            except SQLAlchemyError as error:
                log.warning("webhooks.database_unreachable", extra={"reason": read_reason(error)})
            except Exception:
                log.exception("webhooks.failed")
            self._lanes.wait_for_free_lane(self._settings.sweep_s)
