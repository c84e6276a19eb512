"""What one worker process does: claim a unit, compute it, record the outcome, take the next."""

from __future__ import annotations

import logging
import os
import random
import socket
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar
from uuid import UUID, uuid4

from sqlalchemy.exc import OperationalError, SQLAlchemyError

import thetahat
from service.broker import queue
from service.errors import ServiceError
from service.jobs import failures, parts, record
from service.jobs.discard import discard_chunks
from service.kinds.base import AllPartsFailed, Chunks
from service.settings import Settings
from service.states import Stage
from service.storage import unit_queue, workers
from service.storage.files import FileStore
from service.storage.unit_of_work import reading, unit_of_work
from service.storage.units import UnitClaim, UnitKey
from service.storage.workers import WorkerProcess
from thetahat.errors import EvaluationError
from worker.compute import StoredChunk, UnitOutput, compute
from worker.interrupts import Interrupted, Reason, SharedFlag
from worker.watch import Watch

log = logging.getLogger(__name__)

SLICE_S = 1.0
"""How long a process claims units by itself before it takes the broker's next message."""
CANDIDATES = 16  # units read for the next claim; several, because other workers claim too
NEAR_S = 3.0  # distance in the queue within which units are claimed in random order
RETRY_S = 1.0  # pause before a unit is tried again when the database or the disk failed
RECORD_PAUSES_S: Final = (0.05, 0.2, 0.5, 1.0, 2.0, 4.0)
NODE_VARIABLE: Final = "THETAHAT_NODE"

T = TypeVar("T")


class UnitExecutor:
    """Computes the units that messages name.

    Parameters
    ----------
    settings : Settings
        Lease, limits and attempts.
    stopping : SharedFlag
        Set when the worker is told to stop.
    """

    def __init__(self, settings: Settings, stopping: SharedFlag) -> None:
        self.worker = WorkerProcess(
            id=uuid4(),
            node=UUID(os.environ.get(NODE_VARIABLE) or str(uuid4())),
            host=socket.gethostname()[:255],
            pid=os.getpid(),
            version=thetahat.__version__,
        )
        self._settings = settings
        self._stopping = stopping
        self._files = FileStore.open(settings.resolved_files_url)
        self._watch = Watch(self.worker, settings, stopping, self._files)

    def start(self) -> None:
        """Register the process and start the watch thread; call this in the main thread."""
        self._watch.start()

    def stop(self) -> None:
        """Stop the watch thread and remove the process from the database."""
        self._watch.stop()
        try:
            with unit_of_work() as connection:
                workers.remove(connection, [self.worker.id])
        except SQLAlchemyError as error:
            log.warning("worker.not_removed", extra={"reason": str(error)})

    def handle_message(self, key: UnitKey) -> None:
        """Compute the unit that a message names, then units from the queue for a short while.

        A message for a chunk only says that there is work: the first units of the queue are
        computed, because the queue has moved since the message was sent. So a lost message costs
        nothing while any worker is busy. At the end of the slice a message is sent for the next
        unit, because the broker may hold something more urgent.
        """
        until = time.monotonic() + SLICE_S
        try:
            if key[1] == 0:
                self.run(key)
            while not self._stopping.is_set:
                keys = self._list_next()
                if not keys:
                    return
                if time.monotonic() > until:
                    queue.enqueue(keys[:1], Stage.CHUNK)
                    return
                if not any(self.run(next_key) for next_key in keys):
                    self.run(key)  # other workers have claimed all of the first units
                    return
        except OperationalError as error:
            # Nothing is lost: the lease expires, or the sweeper sends the message again.
            log.warning("database.unreachable", extra={"reason": str(error)})

    def _list_next(self) -> list[UnitKey]:
        """Return the next units to claim.

        Units that are close together in the queue come in random order, so that workers do not all
        try the same one. Other parts of the first unit's evaluation stay behind it: the parts are
        queued in the order of the time that they have taken.
        """
        with reading() as connection:
            queued = unit_queue.list_claimable(connection, CANDIDATES)
        if not queued:
            return []
        first = queued[0]
        near = [
            unit.key
            for unit in queued
            if unit.place - first.place < NEAR_S
            and (unit.key[0] != first.key[0] or unit.part == first.part)
        ]
        random.shuffle(near)
        return near + [unit.key for unit in queued if unit.key not in near]

    def run(self, key: UnitKey) -> bool:
        """Claim a unit, compute it and record the outcome; False if it could not be claimed."""
        claim = record.claim_unit(key, self.worker.id, self._settings.lease_s)
        if claim is None:
            return False
        log.debug("unit.claimed", extra=_log_fields(claim))
        try:
            with self._watch.watching(claim):
                outcome = compute(claim, self._files)
        except Interrupted as interruption:
            self._handle_interruption(claim, interruption.reason)
        except (EvaluationError, ServiceError) as refusal:
            # The same request fails the same way on every worker, so the first failure is kept.
            self._fail(claim, failures.from_error(refusal), only_later=True)
        except AllPartsFailed as nothing:
            self._fail(claim, nothing.problem)
        except MemoryError:
            self._fail(claim, failures.memory_limit(self._settings.memory_limit_mb))
        except (OperationalError, OSError):
            log.exception("unit.infrastructure_failed", extra=_log_fields(claim))
            self._try_again(claim)
        except Exception:
            log.exception("unit.crashed", extra=_log_fields(claim))
            self._fail(claim, failures.internal(), only_later=True)
        else:
            self._record(claim, outcome)
        return True

    def _handle_interruption(self, claim: UnitClaim, reason: Reason) -> None:
        if reason is Reason.TIME_LIMIT:
            self._fail(claim, failures.time_limit(self._settings.time_limit_s))
        elif reason is Reason.STOPPING:
            retry_while_unreachable(lambda: record.put_back(claim))
        log.info("unit.interrupted", extra=_log_fields(claim) | {"reason": reason.value})

    def _fail(self, claim: UnitClaim, problem: dict[str, Any], *, only_later: bool = False) -> None:
        if retry_while_unreachable(
            lambda: parts.record_failure(claim, problem, self._files, only_later=only_later)
        ):
            log.info("unit.failed", extra=_log_fields(claim) | {"code": problem["code"]})

    def _try_again(self, claim: UnitClaim) -> None:
        retry_while_unreachable(
            lambda: record.retry_or_fail(
                claim,
                failures.internal(),
                max_attempts=self._settings.max_attempts,
                delay_s=RETRY_S,
            )
        )

    def _record(self, claim: UnitClaim, outcome: UnitOutput) -> None:
        """Record an outcome; if the claim is lost, delete what it wrote to the file store."""
        if isinstance(outcome, Chunks):
            chunks = retry_while_unreachable(lambda: record.record_chunks(claim, outcome))
            queue.enqueue(chunks or (), Stage.CHUNK)
        elif isinstance(outcome, StoredChunk) and outcome.is_failure:
            name = outcome.output_file
            retry_while_unreachable(
                lambda: parts.record_part_failure(claim, name, self._files, only_later=True)
            )
        elif isinstance(outcome, StoredChunk):
            to_gather = retry_while_unreachable(
                lambda: record.record_output(claim, outcome.output_file)
            )
            if to_gather is None:
                self._files.delete(outcome.output_file)
            queue.enqueue(to_gather or (), Stage.START)
        elif retry_while_unreachable(
            lambda: record.record_result(claim, outcome.body, outcome.losses_file, outcome.summary)
        ):
            discard_chunks(claim.evaluation_id, self._files)
        elif outcome.losses_file is not None:
            self._files.delete(outcome.losses_file)


def retry_while_unreachable(operation: Callable[[], T]) -> T:
    """Call a database operation, and retry it with back-off while the database is unreachable."""
    for pause in RECORD_PAUSES_S:
        try:
            return operation()
        except OperationalError:
            log.warning("database.unreachable", exc_info=True)
            time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - spreads the workers' retries, keeps no secret
    return operation()


def _log_fields(claim: UnitClaim) -> dict[str, object]:
    return {
        "evaluation": str(claim.evaluation_id),
        "unit": claim.number,
        "stage": claim.stage.value,
        "part": claim.part,
        "attempt": claim.attempt,
    }
