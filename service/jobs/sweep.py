"""Finding lost work: the one place that brings back what messages, workers and brokers lose.

Every state that is not a last one has an exit here. A queued unit is sent again; a claim whose
lease ran out, or whose process has ended, is queued again or fails at the last attempt (a learner's
alone, where it was a learner's); an evaluation without open units is gathered or fails.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service import queue
from service.jobs import failures, parts, record
from service.lifecycle import FINISHED, EvaluationStatus, Stage, UnitState
from service.settings import Settings
from service.storage import evaluations, unit_queue, units, workers
from service.storage.files import FileStore
from service.storage.models import Evaluation, Unit
from service.storage.unit_of_work import reading, unit_of_work
from service.storage.units import Claim, UnitKey

log = logging.getLogger(__name__)

DUTY = "sweep"
WINDOW = 64  # messages under way for work that nobody has taken yet
BATCH = 100  # expired claims and stalled evaluations dealt with in one sweep
RETRY_S = 1.0  # pause after the first lost attempt; it doubles
SILENT_LEASES = 20.0  # leases after which a silent worker's row goes


@dataclass(frozen=True, slots=True)
class Swept:
    """What one sweep did."""

    on_duty: bool
    reclaimed: int = 0
    sent: int = 0


def sweep(holder: UUID, settings: Settings) -> Swept:
    """Do one round, if this process has the duty or nobody has."""
    with unit_of_work() as session:
        if not workers.take_duty(session, DUTY, holder, max(10 * settings.sweep_s, 5.0)):
            return Swept(on_duty=False)
        workers.remove_silent(session, SILENT_LEASES * settings.lease_s)
    with reading() as session:
        late = units.expired(session, BATCH)
        stalled = _stalled(session)
    reclaimed = sum(_reclaim(claim, settings) for claim in late)
    for evaluation_id in stalled:
        _restart(evaluation_id)
    return Swept(on_duty=True, reclaimed=reclaimed, sent=_nudge(settings))


def leave(holder: UUID) -> None:
    """Give the duty up, so that another process has it at once."""
    with unit_of_work() as session:
        workers.leave_duty(session, DUTY, holder)


def reap(node: UUID, settings: Settings) -> int:
    """Take back what this node's ended processes held, without waiting for leases to run out."""
    with reading() as session:
        gone = [i for i, pid in workers.of_node(session, node).items() if not _is_running(pid)]
    return _take_back(gone, lambda claim: _reclaim(claim, settings))


def reap_all() -> int:
    """Take back all claims; for a start at which no worker of the database can be running."""
    with reading() as session:
        gone = workers.every(session)
    return _take_back(gone, record.put_back)


def reap_node(node: UUID) -> int:
    """Take back what a node's processes held, after they were stopped on purpose."""
    with reading() as session:
        gone = list(workers.of_node(session, node))
    return _take_back(gone, record.put_back)


def _take_back(gone: Sequence[UUID], reclaim: Callable[[Claim], bool]) -> int:
    if not gone:
        return 0
    with reading() as session:
        held = units.of_workers(session, gone)
    reclaimed = sum(reclaim(claim) for claim in held)
    with unit_of_work() as session:
        workers.remove(session, gone)
    return reclaimed


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _reclaim(claim: Claim, settings: Settings) -> bool:
    """Queue a lost claim again; fail it after too long or too often."""
    with reading() as session:
        lost, seconds = units.history(session, claim)
    if seconds > settings.time_limit_s:
        return parts.fail(claim, failures.time_limit(settings.time_limit_s), FileStore.open())
    log.warning(
        "unit.lost",
        extra={
            "evaluation": str(claim.evaluation_id),
            "unit": claim.number,
            "attempt": claim.attempt,
            "lost": lost + 1,
        },
    )
    if claim.part is not None and lost + 1 >= settings.max_attempts:
        return parts.fail(claim, failures.worker_lost(lost + 1), FileStore.open())
    return record.give_up_or_retry(
        claim,
        failures.worker_lost(lost + 1),
        max_attempts=settings.max_attempts,
        delay_s=RETRY_S,
    )


def _stalled(session: Session) -> list[UUID]:
    """Return unfinished evaluations that have no unit left to be done."""
    open_unit = sa.exists().where(
        Unit.evaluation_id == Evaluation.id,
        Unit.state.in_([UnitState.QUEUED, UnitState.RUNNING]),
    )
    statement = (
        sa.select(Evaluation.id)
        .where(
            Evaluation.status.in_([EvaluationStatus.QUEUED, EvaluationStatus.RUNNING]), ~open_unit
        )
        .limit(BATCH)
    )
    return list(session.scalars(statement))


def _restart(evaluation_id: UUID) -> None:
    """Gather an evaluation whose chunks are all done; anything else cannot go on and fails."""
    keys: list[UnitKey] = []
    with unit_of_work() as session:
        locked = evaluations.lock(session, evaluation_id)
        if locked is None or locked.status in FINISHED:
            return
        if units.count_open(session, evaluation_id):
            return
        chunks = units.count_stage(session, evaluation_id, Stage.CHUNK)
        done = len(units.output_files(session, evaluation_id))
        if chunks and done == chunks:
            keys = record.queue_gathering(session, evaluation_id)
        if not keys:
            log.error("evaluation.stalled", extra={"evaluation": str(evaluation_id)})
            record.fail_evaluation(session, evaluation_id, failures.internal())
    queue.enqueue(keys)


def _nudge(settings: Settings) -> int:
    with unit_of_work() as session:
        due = unit_queue.due_for_nudge(session, settings.renudge_s, WINDOW)
    return len(due) if due and queue.enqueue(due) else 0
