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

from service.broker import queue
from service.jobs import failures, parts, record
from service.settings import Settings
from service.states import FINISHED, EvaluationStatus, Stage, UnitState
from service.storage import evaluations, unit_queue, units, workers
from service.storage.files import FileStore
from service.storage.tables import EVALUATION, UNIT
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
    with unit_of_work() as connection:
        if not workers.take_duty(connection, DUTY, holder, max(10 * settings.sweep_s, 5.0)):
            return Swept(on_duty=False)
        workers.remove_silent(connection, SILENT_LEASES * settings.lease_s)
    with reading() as connection:
        late = units.expired(connection, BATCH)
        stalled = _stalled(connection)
    reclaimed = sum(_reclaim(claim, settings) for claim in late)
    for evaluation_id in stalled:
        _restart(evaluation_id)
    return Swept(on_duty=True, reclaimed=reclaimed, sent=_nudge(settings))


def leave(holder: UUID) -> None:
    """Give the duty up, so that another process has it at once."""
    with unit_of_work() as connection:
        workers.leave_duty(connection, DUTY, holder)


def reap(node: UUID, settings: Settings) -> int:
    """Take back what this node's ended processes held, without waiting for leases to run out."""
    with reading() as connection:
        gone = [i for i, pid in workers.of_node(connection, node).items() if not _is_running(pid)]
    return _take_back(gone, lambda claim: _reclaim(claim, settings))


def reap_all() -> int:
    """Take back all claims; for a start at which no worker of the database can be running."""
    with reading() as connection:
        gone = workers.every(connection)
    return _take_back(gone, record.put_back)


def reap_node(node: UUID) -> int:
    """Take back what a node's processes held, after they were stopped on purpose."""
    with reading() as connection:
        gone = list(workers.of_node(connection, node))
    return _take_back(gone, record.put_back)


def _take_back(gone: Sequence[UUID], reclaim: Callable[[Claim], bool]) -> int:
    if not gone:
        return 0
    with reading() as connection:
        held = units.of_workers(connection, gone)
    reclaimed = sum(reclaim(claim) for claim in held)
    with unit_of_work() as connection:
        workers.remove(connection, gone)
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
    with reading() as connection:
        lost, seconds = units.history(connection, claim)
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


def _stalled(connection: sa.Connection) -> list[UUID]:
    """Return unfinished evaluations that have no unit left to be done."""
    open_unit = sa.exists().where(
        UNIT.c.evaluation_id == EVALUATION.c.id,
        UNIT.c.state.in_([UnitState.QUEUED, UnitState.RUNNING]),
    )
    statement = (
        sa.select(EVALUATION.c.id)
        .where(
            EVALUATION.c.status.in_([EvaluationStatus.QUEUED, EvaluationStatus.RUNNING]), ~open_unit
        )
        .limit(BATCH)
    )
    return list(connection.scalars(statement))


def _restart(evaluation_id: UUID) -> None:
    """Gather an evaluation whose chunks are all done; anything else cannot go on and fails."""
    keys: list[UnitKey] = []
    with unit_of_work() as connection:
        locked = evaluations.lock(connection, evaluation_id)
        if locked is None or locked.status in FINISHED:
            return
        if units.count_open(connection, evaluation_id):
            return
        chunks = units.count_stage(connection, evaluation_id, Stage.CHUNK)
        done = len(units.output_files(connection, evaluation_id))
        if chunks and done == chunks:
            keys = record.queue_gathering(connection, evaluation_id)
        if not keys:
            log.error("evaluation.stalled", extra={"evaluation": str(evaluation_id)})
            record.fail_evaluation(connection, evaluation_id, failures.internal())
    queue.enqueue(keys)


def _nudge(settings: Settings) -> int:
    with unit_of_work() as connection:
        due = unit_queue.due_for_nudge(connection, settings.renudge_s, WINDOW)
    return len(due) if due and queue.enqueue(due) else 0
