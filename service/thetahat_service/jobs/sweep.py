"""Recovery: queueing work again after a message, a worker or a broker was lost.

Every unfinished state ends by one of these rules. A queued unit that had no message gets one, and
a worker without messages looks for queued units. A
claim whose lease expired, or whose process has ended, is queued again; after the last attempt the
evaluation fails, or only the learner that the unit belongs to. An evaluation without open units is
gathered, or fails.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.broker import queue
from thetahat_service.errors import Unavailable
from thetahat_service.jobs import learner_failures, record
from thetahat_service.jobs.clock_watch import ClockWatch
from thetahat_service.outcomes import failures
from thetahat_service.process import counters
from thetahat_service.settings import Settings
from thetahat_service.states import EvaluationStatus, Stage, UnitState
from thetahat_service.storage import evaluations, unit_queue, units, workers
from thetahat_service.storage.infrastructure import describe_fault
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.tables import EVALUATION, UNIT
from thetahat_service.storage.unit_of_work import reading, unit_of_work
from thetahat_service.storage.units import UnitClaim, UnitKey

log = logging.getLogger(__name__)

DUTY = "sweep"
WINDOW = 64  # messages in the broker above which none is sent
SEARCHED = 1000  # queued, and running, evaluations that one sweep searches for stalled ones
BATCH = 100  # most expired claims, and most stalled evaluations, handled in one sweep
RETRY_S = 1.0  # pause after the first lost attempt; it doubles each time
PATIENCE = 3  # times the most attempts that a unit is claimed before an expired lease counts
SILENT_LEASES = 20.0  # leases without a heartbeat after which a worker's row is removed


@dataclass(frozen=True, slots=True)
class SweepCounts:
    """The outcome of a sweep: whether this process swept, and what it did."""

    on_duty: bool
    """Whether this process swept."""
    reclaimed: int = 0
    sent: int = 0
    """Units queued again, and messages sent."""
    jump_s: float = 0.0
    """By how much the database's clock was set forward since the last sweep, or back if
    negative."""


def sweep(
    holder: UUID, settings: Settings, clock: ClockWatch | None = None, *, can_reclaim: bool = True
) -> SweepCounts:
    """Sweep once, unless another process has the duty to do it.

    ``clock`` has the readings of the sweeper; None if the clock is not watched. ``can_reclaim``
    says whether claims with an expired lease are queued again. After an outage of the database the
    workers first get the time to renew their leases.
    """
    duty_s, jump_s = max(10 * settings.sweep_s, 5.0), 0.0
    with unit_of_work() as connection:
        duty_end = workers.read_duty_end(connection, DUTY)
        on_duty = workers.take_duty(connection, DUTY, holder, duty_s)
        if clock is not None:
            jump_s = clock.adjust_times(connection, duty_end, duty_s, on_duty=on_duty)
        if not on_duty:
            return SweepCounts(on_duty=False, jump_s=jump_s)
        workers.remove_silent(connection, SILENT_LEASES * settings.lease_s)
        unit_queue.fill_in_owners(connection)
    with reading() as connection:
        expired = units.list_expired(connection, BATCH) if can_reclaim else []
        stalled = _SEARCH.search_next_part(connection)
    reclaimed = sum(_reclaim_or_wait(claim, settings, has_expired=True) for claim in expired)
    for evaluation_id in stalled:
        _gather_or_fail(evaluation_id)
    sent = _send_messages()
    return SweepCounts(on_duty=True, reclaimed=reclaimed, sent=sent, jump_s=jump_s)


def release_duty(holder: UUID) -> None:
    """Give up the duty to sweep, so that another process can take it at once."""
    with unit_of_work() as connection:
        workers.release_duty(connection, DUTY, holder)


def reclaim_from_ended_workers(node: UUID, settings: Settings) -> int:
    """Reclaim the units of this node's ended processes without waiting for leases to expire."""
    with reading() as connection:
        process_ids = workers.list_process_ids(connection, node)
    ended = [worker_id for worker_id, pid in process_ids.items() if not _is_running(pid)]
    return _release_claims(ended, lambda claim: _reclaim_or_wait(claim, settings))


def requeue_all() -> int:
    """Queue all claimed units again; call this only while no worker can be running."""
    with reading() as connection:
        ended = workers.list_ids(connection)
    return _release_claims(ended, record.put_back)


def requeue_node(node: UUID) -> int:
    """Queue the units again that a node's processes had claimed when they were stopped."""
    with reading() as connection:
        ended = list(workers.list_process_ids(connection, node))
    return _release_claims(ended, record.put_back)


def _release_claims(ended_workers: Sequence[UUID], release: Callable[[UnitClaim], bool]) -> int:
    """Release the claims of ended workers, remove the workers, and return the number of units."""
    if not ended_workers:
        return 0
    with reading() as connection:
        claims = units.list_claims(connection, ended_workers)
    released = sum(release(claim) for claim in claims)
    with unit_of_work() as connection:
        workers.remove(connection, ended_workers)
    return released


def _is_running(pid: int) -> bool:
    """Return whether a process of this machine is running."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _reclaim(claim: UnitClaim, settings: Settings, *, has_expired: bool) -> bool:
    """Queue a lost unit again; fail it if it has run too long or was lost too often.

    A process that ended alone may have ended because of its unit, and such attempts are counted. An
    expired lease says that a whole machine or its connection was lost, so it counts only for a unit
    that has been claimed many times, as if it brought its machines down.
    """
    with reading() as connection:
        lost, seconds = units.read_history(connection, claim)
    if seconds > settings.time_limit_s:
        return learner_failures.record_failure(
            claim, failures.describe_time_limit(settings.time_limit_s), open_file_store()
        )
    counters.add("units_lost")
    log.warning(
        "unit.lost",
        extra={
            "evaluation": str(claim.evaluation_id),
            "unit": claim.number,
            "attempt": claim.attempt,
            "lost": lost + 1,
        },
    )
    if has_expired and claim.attempt < PATIENCE * settings.max_attempts:
        return record.put_back(claim, delay_s=RETRY_S)
    return learner_failures.retry_or_fail(
        claim,
        failures.describe_lost_worker,
        open_file_store,
        max_attempts=settings.max_attempts,
        delay_s=RETRY_S,
    )


def _reclaim_or_wait(claim: UnitClaim, settings: Settings, *, has_expired: bool = False) -> bool:
    """Reclaim a unit; log a failure that cannot be stored now, so that others are reclaimed."""
    try:
        return _reclaim(claim, settings, has_expired=has_expired)
    except (OSError, Unavailable) as error:
        log.warning("sweep.store_unavailable", extra={"reason": describe_fault(error)})
        return False


def select_stalled(
    status: EvaluationStatus, after: datetime | None, end: datetime | None
) -> sa.Select[Any]:
    """Return the query of evaluations of a status without a queued or running unit.

    They are those submitted after ``after`` and up to ``end``; None sets no limit.
    """
    open_unit = sa.exists().where(
        UNIT.c.evaluation_id == EVALUATION.c.id,
        UNIT.c.state.in_([UnitState.QUEUED, UnitState.RUNNING]),
    )
    statement = sa.select(EVALUATION.c.id).where(EVALUATION.c.status == status, ~open_unit)
    if after is not None:
        statement = statement.where(EVALUATION.c.created_at > after)
    if end is not None:
        statement = statement.where(EVALUATION.c.created_at <= end)
    return statement.limit(BATCH)


def select_end_of_part(status: EvaluationStatus, after: datetime | None) -> sa.Select[Any]:
    """Return the query of the time up to which one sweep searches evaluations of a status."""
    statement = sa.select(EVALUATION.c.created_at).where(EVALUATION.c.status == status)
    if after is not None:
        statement = statement.where(EVALUATION.c.created_at > after)
    return statement.order_by(EVALUATION.c.created_at).offset(SEARCHED - 1).limit(1)


class StalledSearch:
    """Searches the unfinished evaluations for stalled ones, a part of them in each sweep.

    A search through 100 000 of them takes half a second, and a sweep comes every second. The parts
    follow one another by the time of submission; after the last one the search begins anew.
    """

    def __init__(self) -> None:
        self._searched_up_to: dict[EvaluationStatus, datetime | None] = {}

    def search_next_part(self, connection: sa.Connection) -> list[UUID]:
        """Return the stalled evaluations of the next part."""
        stalled: list[UUID] = []
        for status in (EvaluationStatus.QUEUED, EvaluationStatus.RUNNING):
            after = self._searched_up_to.get(status)
            end = connection.execute(select_end_of_part(status, after)).scalar_one_or_none()
            stalled += connection.scalars(select_stalled(status, after, end))
            self._searched_up_to[status] = end
        return stalled


_SEARCH: Final = StalledSearch()


def _gather_or_fail(evaluation_id: UUID) -> None:
    """Queue the gathering of an evaluation whose chunks are all done; fail any other."""
    keys: list[UnitKey] = []
    with unit_of_work() as connection:
        if evaluations.lock_unfinished(connection, evaluation_id) is None:
            return
        if units.has_open(connection, evaluation_id):
            return
        chunks = units.count_stage(connection, evaluation_id, Stage.CHUNK)
        done = len(units.list_output_files(connection, evaluation_id))
        if chunks and done == chunks:
            keys = record.queue_gathering(connection, evaluation_id)
        if not keys:
            log.error("evaluation.stalled", extra={"evaluation": str(evaluation_id)})
            record.fail_evaluation(connection, evaluation_id, failures.describe_internal_error())
    queue.enqueue(keys)


def _send_messages() -> int:
    """Send messages for queued units that had none; return the number of messages.

    None is sent while enough messages wait in the broker, because a busy worker takes one a second.
    """
    waiting = queue.count_messages()
    if waiting is None or waiting >= WINDOW:
        return 0
    with unit_of_work() as connection:
        unsent = unit_queue.mark_unsent(connection, WINDOW - waiting)
    return len(unsent) if unsent and queue.enqueue(unsent) else 0
