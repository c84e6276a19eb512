"""The loop of one worker process: claim a unit, compute it, record the outcome."""

from __future__ import annotations

import logging
import os
import random
import socket
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeVar
from uuid import UUID, uuid4

from sqlalchemy.exc import SQLAlchemyError

import thetahat
from thetahat.errors import EvaluationError
from thetahat_service.broker import queue
from thetahat_service.errors import ServiceError, Unavailable
from thetahat_service.jobs import learner_failures, record
from thetahat_service.jobs.chunk_files import discard_chunks, discard_unrecorded
from thetahat_service.json_types import StoredProblem
from thetahat_service.kinds.base import AllPartsFailed, Chunks
from thetahat_service.outcomes import failures
from thetahat_service.process import tracing
from thetahat_service.settings import Settings
from thetahat_service.states import Stage
from thetahat_service.storage import unit_queue, units, workers
from thetahat_service.storage.files import FileStore
from thetahat_service.storage.infrastructure import (
    DATABASE_ERRORS,
    INFRASTRUCTURE_ERRORS,
    describe_fault,
    find_fault,
    read_reason,
)
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.overtaking import Overtaken, TooEarly
from thetahat_service.storage.unit_of_work import reading, unit_of_work
from thetahat_service.storage.unit_queue import QueuedUnit
from thetahat_service.storage.units import UnitClaim, UnitKey
from thetahat_service.storage.workers import WorkerProcess
from thetahat_worker.chunk_lengths import ChunkLengths
from thetahat_worker.compute import (
    DamagedChunks,
    EvaluationOutput,
    StoredChunk,
    UnitOutput,
    compute,
)
from thetahat_worker.interrupts import Interrupted, Reason, SharedFlag
from thetahat_worker.watch import Watch

log = logging.getLogger(__name__)

SLICE_S = 1.0
"""How long a process claims units by itself before it takes the broker's next message."""
CANDIDATES = 16  # units read for the next claim; several, because other workers claim too
LISTINGS = 4  # how often the queue is read again if other workers claim all units first
NEAR_S = 3.0  # distance in the queue within which units are claimed in random order
TOO_EARLY_S = 0.5  # pause before a unit is tried again that waits for an earlier evaluation
RETRY_S = 1.0  # pause before a unit is tried again after an internal error
FIRST_PAUSE_S = 0.05  # pause before a database operation is tried again; it doubles each time
LONGEST_PAUSE_S = 5.0
NODE_VARIABLE: Final = "THETAHAT_NODE"

T = TypeVar("T")


class UnitExecutor:
    """Claims, computes and records units when messages arrive.

    Parameters
    ----------
    settings : Settings
        Lease, limits and attempts.
    stopping : SharedFlag
        Set when the worker must stop.
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
        self._lengths = ChunkLengths(settings.chunk_s)
        self._evaluations: set[UUID] = set()
        self._watch = Watch(self.worker, settings, stopping, self._open_files)
        self.must_be_replaced = False
        """Whether an error of the program occurred in this process; it claims no more units."""

    def start(self) -> None:
        """Register the process and start the watch thread; call this in the main thread."""
        self._watch.start()

    def record_prepared(self) -> None:
        """Record that this process has imported its packages and loaded its compiled loops."""
        self._watch.record_prepared()
        self._watch.send_heartbeat()

    def _open_files(self) -> FileStore:
        """Return the file store; raises if it cannot be used now."""
        return open_file_store(self._settings.resolved_files_url)

    def stop(self) -> None:
        """Stop the watch thread and remove the process from the database."""
        self._watch.stop()
        try:
            with unit_of_work() as connection:
                workers.remove(connection, [self.worker.id])
        except SQLAlchemyError as error:
            log.warning("worker.not_removed", extra={"reason": read_reason(error)})

    def compute_queued_units(self, key: UnitKey) -> None:
        """Compute units from the queue for a short while.

        A message only says that there is work, because the queue in the database may have changed
        since it was sent, and because the owners take turns there. So a lost message costs nothing
        while any worker is busy. At the end of the slice a message is sent for the next unit.
        """
        until = time.monotonic() + SLICE_S
        try:
            while self._is_available:
                if time.monotonic() > until:
                    with reading() as connection:
                        queued = unit_queue.list_claimable(connection, 1)
                    queue.enqueue([unit.key for unit in queued], Stage.CHUNK)
                    return
                if not self._run_next():
                    self.run(key)  # a unit of the previous release, which has no owner yet
                    return
        except INFRASTRUCTURE_ERRORS as error:
            # No unit is lost: its lease expires, or the sweeper sends its message again.
            log.warning("unit.not_claimed", extra={"reason": describe_fault(error)})
        except Exception:
            log.exception("worker.crashed")
            self.must_be_replaced = True

    @property
    def _is_available(self) -> bool:
        return not (self._stopping.is_set or self.must_be_replaced)

    def _run_next(self) -> bool:
        """Compute the next unit that no other worker claims first; False if there is none."""
        for _ in range(LISTINGS):
            with reading() as connection:
                queued = unit_queue.list_claimable(connection, CANDIDATES)
            if not queued:
                return False
            if any(self.run(key) for key in order_candidates(queued)):
                return True
        return False

    def run(self, key: UnitKey) -> bool:
        """Claim a unit, compute it and record the outcome; False if it could not be claimed."""
        if self.must_be_replaced:
            return False
        claim = record.claim_unit(key, self.worker.id, self._settings.lease_s)
        if claim is None:
            return False
        log.debug("unit.claimed", extra=_log_fields(claim))
        try:
            used_s = self._sum_used_seconds(claim)
            with (
                tracing.trace_unit(claim.stage.value, claim.evaluation_id, _trace_fields(claim)),
                self._watch.watch_unit(claim, used_s),
            ):
                outcome = compute(claim, self._open_files(), self._lengths)
        except Interrupted as interruption:
            self._record_interruption(claim, interruption.reason)
        except AllPartsFailed as error:
            self._record_failure(claim, error.problem)
        except MemoryError:
            self._record_memory_error(claim)
        except Exception as error:  # noqa: BLE001 - that method decides for each kind
            self._retry_or_fail(claim, error)
        else:
            self._record(claim, outcome)
        finally:
            self._evaluations.add(claim.evaluation_id)
        return True

    def _sum_used_seconds(self, claim: UnitClaim) -> float:
        """Return the seconds that the evaluation has computed until now; 0 without a limit."""
        is_first_attempt = claim.stage is Stage.START and claim.attempt == 1
        if not self._settings.job_time_limit_s or is_first_attempt:
            return 0.0
        with reading() as connection:
            return units.sum_seconds(connection, claim.evaluation_id)

    def _retry_or_fail(self, claim: UnitClaim, error: Exception) -> None:
        """Queue a unit again or fail it, depending on the cause of an error.

        Faults of the infrastructure come first, because they are also the causes of other errors.
        """
        fault = find_fault(error)
        if fault is not None:
            self._postpone(claim, fault)
        elif isinstance(error, EvaluationError | ServiceError):
            # The same request fails the same way on every worker, so the first failure is kept.
            self._record_failure(claim, failures.describe_error(error), only_later=True)
        elif isinstance(error, TooEarly):
            self._retry(lambda: record.put_back(claim, delay_s=TOO_EARLY_S))
        else:
            log.error("unit.crashed", exc_info=error, extra=_log_fields(claim))
            self._try_elsewhere(claim, failures.describe_internal_error)

    def _record_interruption(self, claim: UnitClaim, reason: Reason) -> None:
        """Record why a unit was interrupted: fail it, fail the evaluation, or queue it again."""
        if reason is Reason.TIME_LIMIT:
            self._record_failure(claim, failures.describe_time_limit(self._settings.time_limit_s))
        elif reason is Reason.JOB_TIME_LIMIT:
            limit_s = self._settings.job_time_limit_s
            problem = failures.describe_job_time_limit(limit_s, self._watch.used_s)
            self._change(
                claim, lambda: learner_failures.fail_evaluation(claim, problem, self._open_files())
            )
        elif reason is Reason.STOPPING:
            self._retry(lambda: record.put_back(claim))
        log.info("unit.interrupted", extra=_log_fields(claim) | {"reason": reason.value})

    def _record_failure(
        self, claim: UnitClaim, problem: StoredProblem, *, only_later: bool = False
    ) -> None:
        """Record that a unit failed; its learner fails with it, or else the evaluation."""
        if self._change(
            claim,
            lambda: learner_failures.record_failure(
                claim, problem, self._open_files(), only_later=only_later
            ),
        ):
            log.info("unit.failed", extra=_log_fields(claim) | {"code": problem["code"]})

    def _record_memory_error(self, claim: UnitClaim) -> None:
        """Fail a unit that needs too much memory.

        What earlier evaluations have left in this process counts too, so if there were any, the
        unit is first tried in another process.
        """
        problem = failures.describe_memory_limit(self._settings.memory_limit_mb)
        if self._evaluations - {claim.evaluation_id}:
            self._try_elsewhere(claim, lambda _: problem)
        else:
            self._record_failure(claim, problem)

    def _try_elsewhere(self, claim: UnitClaim, describe: Callable[[int], StoredProblem]) -> None:
        """Queue a unit again for another process, which takes the place of this one."""
        self.must_be_replaced = True
        self._change(
            claim,
            lambda: learner_failures.retry_or_fail(
                claim,
                describe,
                self._open_files,
                max_attempts=self._settings.max_attempts,
                delay_s=RETRY_S,
                only_later=True,
            ),
        )

    def _postpone(self, claim: UnitClaim, fault: BaseException) -> None:
        """Queue a unit again after a fault of the infrastructure; fail it if the fault lasts."""
        reason, limit_s = describe_fault(fault), self._settings.max_outage_s
        log.warning("unit.postponed", extra=_log_fields(claim) | {"reason": reason})
        problem = failures.describe_outage(limit_s, reason)
        self._retry(lambda: record.postpone_or_fail(claim, problem, limit_s))

    def _change(self, claim: UnitClaim, change: Callable[[], bool]) -> bool:
        """Change the state of a claimed unit; postpone the unit if the file store fails."""
        try:
            return self._retry(change)
        except (OSError, Unavailable) as fault:
            self._postpone(claim, fault)
            return False

    def _retry(self, operation: Callable[[], T]) -> T:
        """Retry a database operation while the database is unreachable."""
        return retry_while_unreachable(
            operation, self._settings.max_outage_s, lambda: self._stopping.is_set
        )

    def _record(self, claim: UnitClaim, outcome: UnitOutput) -> None:
        """Record an outcome; if the claim is lost, delete the files that the attempt wrote."""
        evaluation_id = claim.evaluation_id
        if isinstance(outcome, Chunks):
            chunks = self._retry(lambda: record.record_chunks(claim, outcome))
            queue.enqueue(chunks or (), Stage.CHUNK)
        elif isinstance(outcome, StoredChunk) and outcome.is_failure:
            name = outcome.output_file
            self._change(
                claim,
                lambda: learner_failures.record_part_failure(claim, name, only_later=True),
            )
        elif isinstance(outcome, StoredChunk):
            name, cut = outcome.output_file, outcome.cut
            to_gather = self._retry(lambda: record.record_output(claim, name, cut))
            if to_gather is None:
                self._retry(lambda: discard_unrecorded(evaluation_id, name))
            queue.enqueue(to_gather or (), Stage.START)
        elif isinstance(outcome, DamagedChunks):
            self._recompute(claim, outcome.output_files)
        elif self._record_result(claim, outcome):
            discard_chunks(evaluation_id)
        elif outcome.losses_file is not None:
            losses_file = outcome.losses_file
            self._retry(lambda: discard_unrecorded(evaluation_id, losses_file))

    def _record_result(self, claim: UnitClaim, outcome: EvaluationOutput) -> bool:
        """Record a result; False if the claim is lost, or the unit failed in the last moment.

        It is written again as often as another evaluation of its test set is recorded before it.
        """
        while True:
            try:
                return self._retry(partial(outcome.record, claim))
            except Overtaken:
                log.debug("unit.overtaken", extra=_log_fields(claim))
            try:
                outcome = self._retry(outcome.settle_again)
            except Exception as error:  # noqa: BLE001 - that method decides for each kind
                self._retry_or_fail(claim, error)
                return False

    def _recompute(self, claim: UnitClaim, output_files: Sequence[str]) -> None:
        """Queue chunks with lost or damaged files again; they are gathered afterwards."""
        problem = failures.describe_damaged_chunks(len(output_files), self._settings.max_attempts)
        requeued = self._retry(
            lambda: record.recompute_chunks(
                claim, output_files, problem, self._settings.max_attempts
            )
        )
        queue.enqueue(requeued or (), Stage.CHUNK)


def order_candidates(queued: Sequence[QueuedUnit]) -> list[UnitKey]:
    """Return the units in the order in which a worker tries to claim them.

    Units that are close together in the queue come in random order, so that workers do not all
    try the same one. Other parts of the first unit's evaluation stay behind it: the parts are
    queued in the order of the time that they have taken.
    """
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


def retry_while_unreachable(
    operation: Callable[[], T], limit_s: float, is_stopping: Callable[[], bool] = lambda: False
) -> T:
    """Call a database operation, and repeat it with back-off while the database is unreachable.

    The error is raised after ``limit_s`` seconds, and at once where ``is_stopping`` says that the
    worker is stopping.
    """
    until, pause = time.monotonic() + limit_s, FIRST_PAUSE_S
    while True:
        try:
            return operation()
        except DATABASE_ERRORS as error:
            if time.monotonic() > until or is_stopping():
                raise
            log.warning("database.unreachable", extra={"reason": describe_fault(error)})
        time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - spreads the workers' retries, keeps no secret
        pause = min(2 * pause, LONGEST_PAUSE_S)


def _trace_fields(claim: UnitClaim) -> dict[str, object]:
    return {"unit": claim.number, "part": claim.part, "attempt": claim.attempt}


def _log_fields(claim: UnitClaim) -> dict[str, object]:
    return {
        "evaluation": str(claim.evaluation_id),
        "unit": claim.number,
        "stage": claim.stage.value,
        "part": claim.part,
        "attempt": claim.attempt,
    }
