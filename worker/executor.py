"""One worker process at work: claim, compute, record, and on to the next."""

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
from service.storage.units import Claim, UnitKey
from service.storage.workers import WorkerProcess
from thetahat.errors import EvaluationError
from worker.compute import Kept, Outcome, compute
from worker.interrupts import Interrupted, Reason, SharedFlag
from worker.watch import Watch

log = logging.getLogger(__name__)

SLICE_S = 1.0
"""How long a process goes on claiming before it asks the broker again, where the newest is."""
CANDIDATES = 16  # units looked at for the next claim; several, because other workers look too
NEAR_S = 3.0  # how far apart in the line those stand that may be taken in any order
RETRY_S = 1.0  # pause before a unit is tried again after the database or the disk failed
RECORD_PAUSES_S: Final = (0.05, 0.2, 0.5, 1.0, 2.0, 4.0)
NODE_VARIABLE: Final = "THETAHAT_NODE"

T = TypeVar("T")


class Hands:
    """What one process does with the messages it gets.

    Parameters
    ----------
    settings : Settings
        Lease, limits and attempts.
    stopping : SharedFlag
        Up once the worker is told to end.
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
        """Make the process known and begin the watch; call it in the main thread."""
        self._watch.start()

    def stop(self) -> None:
        """End the watch and forget the process."""
        self._watch.stop()
        try:
            with unit_of_work() as connection:
                workers.remove(connection, [self.worker.id])
        except SQLAlchemyError as error:
            log.warning("worker.not_removed", extra={"reason": str(error)})

    def answer(self, key: UnitKey) -> None:
        """Do what a message names, then what else is in line for a short while.

        A message of a chunk says that there is work, and what stands first in the line is done:
        the line has moved since the message was sent. So a lost message costs nothing while any
        worker is at work. At the end of the slice the next unit is handed on by a message, because
        the queue may hold something more urgent.
        """
        until = time.monotonic() + SLICE_S
        try:
            if key[1] == 0:
                self.do(key)
            while not self._stopping.is_up:
                line = self._line()
                if not line:
                    return
                if time.monotonic() > until:
                    queue.enqueue(line[:1], Stage.CHUNK)
                    return
                if not any(self.do(waiting) for waiting in line):
                    self.do(key)  # other workers were quicker with all of the line's head
                    return
        except OperationalError as error:
            # Nothing is lost: the lease runs out or the sweeper sends the message again.
            log.warning("database.away", extra={"reason": str(error)})

    def _line(self) -> list[UnitKey]:
        """Return who is next, in any order where they stand close together: others look too.

        What is of another part of the first one's evaluation keeps its place behind it: the parts
        are in the order of the time that they have taken.
        """
        with reading() as connection:
            line = unit_queue.line(connection, CANDIDATES)
        if not line:
            return []
        first, start, part = line[0]
        near = [
            key
            for key, place, its_part in line
            if place - start < NEAR_S and (key[0] != first[0] or its_part == part)
        ]
        random.shuffle(near)
        return near + [key for key, _, _ in line if key not in near]

    def do(self, key: UnitKey) -> bool:
        """Claim a unit, do it and record it; False when it was not there to be claimed."""
        claim = record.take(key, self.worker.id, self._settings.lease_s)
        if claim is None:
            return False
        log.debug("unit.claimed", extra=_of(claim))
        try:
            with self._watch.over(claim):
                outcome = compute(claim, self._files)
        except Interrupted as interruption:
            self._interrupted(claim, interruption.reason)
        except (EvaluationError, ServiceError) as refusal:
            # The same request fails the same way wherever it runs, so the first failure is told.
            self._fail(claim, failures.of_refusal(refusal), only_later=True)
        except AllPartsFailed as nothing:
            self._fail(claim, nothing.problem)
        except MemoryError:
            self._fail(claim, failures.memory_limit(self._settings.memory_limit_mb))
        except (OperationalError, OSError):
            log.exception("unit.infrastructure_failed", extra=_of(claim))
            self._try_again(claim)
        except Exception:
            log.exception("unit.crashed", extra=_of(claim))
            self._fail(claim, failures.internal(), only_later=True)
        else:
            self._record(claim, outcome)
        return True

    def _interrupted(self, claim: Claim, reason: Reason) -> None:
        if reason is Reason.TIME_LIMIT:
            self._fail(claim, failures.time_limit(self._settings.time_limit_s))
        elif reason is Reason.STOPPING:
            patiently(lambda: record.put_back(claim))
        log.info("unit.interrupted", extra=_of(claim) | {"reason": reason.value})

    def _fail(self, claim: Claim, problem: dict[str, Any], *, only_later: bool = False) -> None:
        if patiently(lambda: parts.fail(claim, problem, self._files, only_later=only_later)):
            log.info("unit.failed", extra=_of(claim) | {"code": problem["code"]})

    def _try_again(self, claim: Claim) -> None:
        patiently(
            lambda: record.give_up_or_retry(
                claim,
                failures.internal(),
                max_attempts=self._settings.max_attempts,
                delay_s=RETRY_S,
            )
        )

    def _record(self, claim: Claim, outcome: Outcome) -> None:
        """Record an outcome; what a lost claim has written to the file store is removed."""
        if isinstance(outcome, Chunks):
            chunks = patiently(lambda: record.chunks(claim, outcome))
            queue.enqueue(chunks or (), Stage.CHUNK)
        elif isinstance(outcome, Kept) and outcome.is_failure:
            name = outcome.output_file
            patiently(lambda: parts.settle(claim, name, self._files, only_later=True))
        elif isinstance(outcome, Kept):
            gathering = patiently(lambda: record.output(claim, outcome.output_file))
            if gathering is None:
                self._files.delete(outcome.output_file)
            queue.enqueue(gathering or (), Stage.START)
        elif patiently(lambda: record.result(claim, outcome.body, outcome.losses_file)):
            discard_chunks(claim.evaluation_id, self._files)
        elif outcome.losses_file is not None:
            self._files.delete(outcome.losses_file)


def patiently(act: Callable[[], T]) -> T:
    """Do what needs the database, again and again for a while where it is away."""
    for pause in RECORD_PAUSES_S:
        try:
            return act()
        except OperationalError:
            log.warning("database.away", exc_info=True)
            time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311 - spreads workers, hides nothing
    return act()


def _of(claim: Claim) -> dict[str, object]:
    return {
        "evaluation": str(claim.evaluation_id),
        "unit": claim.number,
        "stage": claim.stage.value,
        "part": claim.part,
        "attempt": claim.attempt,
    }
