"""The thread beside the work: it renews the lease, and ends work that must not go on."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy.exc import SQLAlchemyError

from service.jobs import failures, parts, record
from service.settings import Settings
from service.storage import units, workers
from service.storage.files import FileStore
from service.storage.unit_of_work import reading, unit_of_work
from service.storage.units import Claim
from service.storage.workers import WorkerProcess
from worker.interrupts import Interruptible, Reason, SharedFlag

log = logging.getLogger(__name__)

TICK_S = 0.2
LOOK_S = 1.0  # pause between looks whether the claim is still ours
STOP_GRACE_S = 2.0  # how long work may go on after the worker was told to end
KILL_AFTER_S = 5.0  # how long C code may go on after an interrupt before the process ends itself


@dataclass
class _Work:
    """What the main thread is at."""

    claim: Claim
    started: float = field(default_factory=time.monotonic)
    renewed: float = field(default_factory=time.monotonic)
    looked: float = field(default_factory=time.monotonic)
    reason: Reason | None = None
    interrupted: float = 0.0


class Watch:
    """Watches over one worker process.

    Parameters
    ----------
    worker : WorkerProcess
        The process, for its heartbeat.
    settings : Settings
        Lease and time limit.
    stopping : SharedFlag
        Up once the worker is told to end.
    files : FileStore
        Where the words of a failed part are kept.
    """

    def __init__(
        self, worker: WorkerProcess, settings: Settings, stopping: SharedFlag, files: FileStore
    ) -> None:
        self._files = files
        self._worker = worker
        self._settings = settings
        self._stopping = stopping
        self._stop_seen: float | None = None
        self._work: _Work | None = None
        self._main = Interruptible()
        self._beaten = float("-inf")
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        """Begin; call it in the main thread."""
        self._main.install()
        self._beat()
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._ended.set()
        self._thread.join(timeout=TICK_S * 5)

    @contextmanager
    def over(self, claim: Claim) -> Iterator[None]:
        """Watch over the work on a claim; ``Interrupted`` comes out of it."""
        self._work = _Work(claim)
        try:
            with self._main.section():
                yield
        finally:
            self._work = None

    def _run(self) -> None:
        while not self._ended.wait(min(TICK_S, self._settings.lease_s / 6)):
            try:
                self._beat()
                work = self._work
                if work is not None:
                    self._check(work)
            except Exception:
                log.exception("watch.failed")

    def _beat(self) -> None:
        now = time.monotonic()
        if now - self._beaten < self._settings.lease_s / 3:
            return
        try:
            with unit_of_work() as connection:
                workers.beat(connection, self._worker)
            self._beaten = now
        except SQLAlchemyError as error:
            log.warning("worker.heartbeat_failed", extra={"reason": str(error)})

    def _check(self, work: _Work) -> None:
        if work.reason is None:
            work.reason = self._reason(work)
        if work.reason is None:
            return
        now = time.monotonic()
        work.interrupted = work.interrupted or now
        if now - work.interrupted > KILL_AFTER_S:
            self._kill(work, work.reason)
        self._main.interrupt(work.reason)

    def _reason(self, work: _Work) -> Reason | None:
        now = time.monotonic()
        if self._stopping.is_up:
            self._stop_seen = self._stop_seen or now
            if now - self._stop_seen > STOP_GRACE_S:
                return Reason.STOPPING
        if now - work.started > self._settings.time_limit_s:
            return Reason.TIME_LIMIT
        return None if self._is_ours(work, now) else Reason.LOST

    def _is_ours(self, work: _Work, now: float) -> bool:
        lease = self._settings.lease_s
        try:
            if now - work.renewed > lease / 3:
                with unit_of_work() as connection:
                    ours = units.renew(connection, work.claim, lease)
                work.renewed = work.looked = now
                return ours
            if now - work.looked > min(LOOK_S, lease / 3):
                with reading() as connection:
                    ours = units.is_held(connection, work.claim)
                work.looked = now
                return ours
        except SQLAlchemyError as error:
            log.warning("lease.renewal_failed", extra={"reason": str(error)})
        # A lease that could not be renewed in time may be another's already.
        return now - work.renewed < lease

    def _kill(self, work: _Work, reason: Reason) -> None:
        """End the whole process: its C code does not come back. The pool makes a new one."""
        log.error(
            "worker.ends_itself",
            extra={"evaluation": str(work.claim.evaluation_id), "reason": reason.value},
        )
        try:
            if reason is Reason.TIME_LIMIT:
                problem = failures.time_limit(self._settings.time_limit_s)
                parts.fail(work.claim, problem, self._files)
            elif reason is Reason.STOPPING:
                record.put_back(work.claim)
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
