"""The watch thread renews the lease of a unit and interrupts work that must stop."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sqlalchemy.exc import SQLAlchemyError

from thetahat_service.jobs import learner_failures, record
from thetahat_service.outcomes import failures
from thetahat_service.process import counters
from thetahat_service.settings import Settings
from thetahat_service.storage import counters as stored_counters
from thetahat_service.storage import units, workers
from thetahat_service.storage.files import FileStore
from thetahat_service.storage.infrastructure import read_reason
from thetahat_service.storage.time_limits import answer_within
from thetahat_service.storage.unit_of_work import reading, unit_of_work
from thetahat_service.storage.unit_transitions import UnitEvent
from thetahat_service.storage.units import UnitClaim
from thetahat_service.storage.workers import WorkerProcess
from thetahat_worker.interrupts import Interrupted, Interruptible, Reason, SharedFlag

log = logging.getLogger(__name__)

TICK_S = 0.2
CHECK_S = 1.0  # pause between checks that this process still has the claim
STOP_GRACE_S = 2.0  # how long work may go on after the signal to stop
LEAST_ANSWER_S = 2.0  # the shortest limit on the watch thread's wait for the database
KILL_AFTER_S = 5.0  # how long C code may go on after an interrupt before the process kills itself


@dataclass
class _Work:
    """The unit that the main thread computes, with the times of the last checks."""

    claim: UnitClaim
    used_s: float = 0.0
    started: float = field(default_factory=time.monotonic)
    renewed: float = field(default_factory=time.monotonic)
    checked: float = field(default_factory=time.monotonic)
    reason: Reason | None = None
    interrupted: float = 0.0


class Watch:
    """Watches one worker process.

    Parameters
    ----------
    worker : WorkerProcess
        The process, for its heartbeat.
    settings : Settings
        Lease and time limit.
    stopping : SharedFlag
        Set when the worker must stop.
    open_files : callable
        Opens the file store, where the message of a failed part is kept.
    """

    def __init__(
        self,
        worker: WorkerProcess,
        settings: Settings,
        stopping: SharedFlag,
        open_files: Callable[[], FileStore],
    ) -> None:
        self._open_files = open_files
        self._worker = worker
        self._settings = settings
        self._stopping = stopping
        self._stop_seen: float | None = None
        self._work: _Work | None = None
        self._main = Interruptible()
        self._answer_s = max(settings.lease_s / 3, LEAST_ANSWER_S)
        self._last_heartbeat = float("-inf")
        self._prepared_at: datetime | None = None
        self.used_s = 0.0
        """Seconds that the last unit and the earlier units of its evaluation have computed."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        """Start the thread; call this in the main thread."""
        self._main.install()
        self.send_heartbeat()
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._ended.set()
        self._thread.join(timeout=TICK_S * 5)
        with suppress(SQLAlchemyError):
            stored_counters.store()

    def record_prepared(self) -> None:
        """Record with the next heartbeat, which is due at once, that this process can compute."""
        if self._prepared_at is None:
            self._prepared_at = datetime.now(UTC)
            self._last_heartbeat = float("-inf")

    @contextmanager
    def watch_unit(self, claim: UnitClaim, used_s: float = 0.0) -> Iterator[None]:
        """Watch the work on a claim, which may raise ``Interrupted``.

        ``used_s`` are the seconds of computing that other units of the evaluation have used of its
        limit.
        """
        work = _Work(claim, used_s)
        if self._exceeds_job_limit(work, work.started):
            self.used_s = used_s
            raise Interrupted(Reason.JOB_TIME_LIMIT)
        self._work = work
        try:
            with self._main.allow_interrupts():
                yield
            self.record_prepared()  # it can compute, even if imports still go on
        finally:
            self._work = None
            seconds = time.monotonic() - work.started
            self.used_s = used_s + seconds
            counters.observe_seconds("unit_seconds", seconds, stage=claim.stage.value)

    def _exceeds_job_limit(self, work: _Work, now: float) -> bool:
        """Return whether all units of the evaluation together have computed too long."""
        limit_s = self._settings.job_time_limit_s
        return 0 < limit_s < work.used_s + now - work.started

    def _run(self) -> None:
        """Send heartbeats and check the current unit until the thread is stopped."""
        while not self._ended.wait(min(TICK_S, self._settings.lease_s / 6)):
            try:
                self.send_heartbeat()
                work = self._work
                if work is not None:
                    self._check(work)
            except Exception:
                log.exception("watch.failed")

    def send_heartbeat(self) -> None:
        """Record a heartbeat if the last one is a third of the lease ago."""
        now = time.monotonic()
        if now - self._last_heartbeat < self._settings.lease_s / 3:
            return
        try:
            with answer_within(self._answer_s), unit_of_work() as connection:
                workers.record_heartbeat(connection, self._worker, self._prepared_at)
            stored_counters.store()
            self._last_heartbeat = now
        except SQLAlchemyError as error:
            log.warning("worker.heartbeat_failed", extra={"reason": read_reason(error)})

    def _check(self, work: _Work) -> None:
        """Interrupt the work if there is a reason to; kill the process if that has no effect."""
        if work.reason is None:
            work.reason = self._find_reason(work)
        if work.reason is None:
            return
        now = time.monotonic()
        work.interrupted = work.interrupted or now
        if now - work.interrupted > KILL_AFTER_S:
            self._kill(work, work.reason)
        self._main.interrupt(work.reason)

    def _find_reason(self, work: _Work) -> Reason | None:
        """Return why the work must be interrupted, or None."""
        now = time.monotonic()
        if self._stopping.is_set:
            self._stop_seen = self._stop_seen or now
            if now - self._stop_seen > STOP_GRACE_S:
                return Reason.STOPPING
        if now - work.started > self._settings.time_limit_s:
            return Reason.TIME_LIMIT
        if self._exceeds_job_limit(work, now):
            return Reason.JOB_TIME_LIMIT
        return None if self._has_claim(work, now) else Reason.LOST

    def _has_claim(self, work: _Work, now: float) -> bool:
        """Return whether this process still has the claim; renew the lease when it is due."""
        lease = self._settings.lease_s
        try:
            if now - work.renewed > lease / 3:
                with answer_within(self._answer_s), unit_of_work() as connection:
                    has_claim = units.apply(
                        connection, work.claim, UnitEvent.RENEW, lease_until=lease
                    )
                work.renewed = work.checked = now
                return has_claim
            if now - work.checked > min(CHECK_S, lease / 3):
                with answer_within(self._answer_s), reading() as connection:
                    has_claim = units.is_held(connection, work.claim)
                work.checked = now
                return has_claim
        except SQLAlchemyError as error:
            log.warning("lease.renewal_failed", extra={"reason": read_reason(error)})
        # Once the lease has expired without renewal, another worker may have the claim.
        return now - work.renewed < lease

    def _kill(self, work: _Work, reason: Reason) -> None:
        """Kill this process, whose C code does not return; Celery's pool starts a new one."""
        log.error(
            "worker.kills_itself",
            extra={"evaluation": str(work.claim.evaluation_id), "reason": reason.value},
        )
        try:
            if reason is Reason.TIME_LIMIT:
                problem = failures.describe_time_limit(self._settings.time_limit_s)
                learner_failures.record_failure(work.claim, problem, self._open_files())
            elif reason is Reason.JOB_TIME_LIMIT:
                used_s = work.used_s + time.monotonic() - work.started
                problem = failures.describe_job_time_limit(self._settings.job_time_limit_s, used_s)
                learner_failures.fail_evaluation(work.claim, problem, self._open_files())
            elif reason is Reason.STOPPING:
                record.put_back(work.claim)
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
