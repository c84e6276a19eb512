"""The thread that sweeps; every ``serve``, ``worker`` and ``sweeper`` command has one.

Of all processes that share a database, only one sweeps at a time.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from uuid import UUID, uuid4

from sqlalchemy.exc import SQLAlchemyError

from thetahat_service.errors import Unavailable
from thetahat_service.jobs import sweep
from thetahat_service.jobs.clock_watch import ClockWatch
from thetahat_service.settings import Settings
from thetahat_service.storage import counters
from thetahat_service.storage.infrastructure import describe_fault, read_reason

log = logging.getLogger(__name__)

FIRST_COLLECTION_S = 300.0  # seconds from the start to the first search for left files
COLLECTION_PAUSE_S = 3600.0  # seconds between two searches for left files
RETENTION_PAUSE_S = 60.0  # seconds between two searches for expired rows, if none are left
JUMP_PAUSE_S = 3600.0  # seconds without deletions after the database's clock was set forward
LONGEST_GRACE_S = 5.0  # time for workers to renew their leases after an outage of the database


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
        self._clock = ClockWatch(settings)
        self._remove_from = 0.0 if settings.has_retention else math.inf
        self._collect_from = time.monotonic() + FIRST_COLLECTION_S
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
            log.warning("sweep.duty_not_released", extra={"reason": read_reason(error)})

    def _run(self) -> None:
        """Sweep, and at times delete expired rows and left files, until the thread is stopped."""
        lease_s = self._settings.lease_s
        swept = time.monotonic()
        reclaim_from = 0.0
        while not self._ended.wait(self._settings.sweep_s):
            now = time.monotonic()
            if now - swept > max(lease_s / 3, 3 * self._settings.sweep_s):
                # The database was away, and the leases of workers that are alive have expired.
                reclaim_from = now + min(lease_s / 3, LONGEST_GRACE_S)
            try:
                if self._node is not None:
                    sweep.reclaim_from_ended_workers(self._node, self._settings)
                counts = sweep.sweep(
                    self._holder, self._settings, self._clock, can_reclaim=now >= reclaim_from
                )
                swept = time.monotonic()
                if counts.jump_s > 0:
                    self._postpone_deletions(swept)
                counters.store()
                if counts.on_duty and swept >= self._remove_from:
                    self._remove_expired()
                if counts.on_duty and swept >= self._collect_from:
                    self._remove_left_files()
            except SQLAlchemyError as error:
                log.warning("sweep.database_unreachable", extra={"reason": read_reason(error)})
            except Exception:
                log.exception("sweep.failed")

    def _postpone_deletions(self, now: float) -> None:
        """Delete nothing for a while: a clock that jumped forward makes everything look old."""
        self._remove_from = max(self._remove_from, now + JUMP_PAUSE_S)
        self._collect_from = max(self._collect_from, now + JUMP_PAUSE_S)

    def _remove_left_files(self) -> None:
        """Delete the files that killed processes have left in the file store."""
        from thetahat_service.jobs import left_files  # noqa: PLC0415 - seldom needed, and imports Arrow

        self._collect_from = time.monotonic() + COLLECTION_PAUSE_S
        try:
            left_files.remove_left_files()
        except (OSError, Unavailable) as error:
            log.warning("files.store_unavailable", extra={"reason": describe_fault(error)})

    def _remove_expired(self) -> None:
        """Delete a batch of expired rows and files; after a full batch the next sweep continues."""
        from thetahat_service.jobs import retention  # noqa: PLC0415 - seldom needed, and imports Arrow

        pause = RETENTION_PAUSE_S
        try:
            if retention.remove_expired(self._settings).has_more:
                pause = 0.0
        except (OSError, Unavailable) as error:
            log.warning("retention.store_unavailable", extra={"reason": describe_fault(error)})
        self._remove_from = time.monotonic() + pause
