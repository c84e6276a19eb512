"""Recording what a worker did: each in one transaction, and only for the attempt that holds it.

Each function returns False, and changes nothing, when the claim is no longer the caller's: its
lease ran out and another attempt took over, or the evaluation was cancelled or deleted.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

import sqlalchemy as sa

from service.settings import is_sqlite
from service.states import FINISHED, EvaluationStatus, Stage, UnitState
from service.storage import evaluations, results, unit_parts, units
from service.storage.unit_of_work import unit_of_work
from service.storage.units import Claim, NewUnit, UnitKey

if TYPE_CHECKING:  # the kinds bring all the mathematics with them
    from service.kinds.base import Chunks

NUDGES_PER_START = 64
"""Messages sent when an evaluation is cut; workers that drain the queue and the sweeper do more."""


def take(key: UnitKey, worker_id: UUID, lease_s: float) -> Claim | None:
    """Claim a unit and let the client see that its evaluation runs."""
    with unit_of_work() as connection:
        if key[1] == 0 and not is_sqlite():  # of which a transaction holds the whole
            evaluations.lock(connection, key[0])
        claim = units.claim(connection, key, worker_id, lease_s)
        if claim is not None and claim.stage is Stage.START and claim.attempt == 1:
            now = datetime.now(UTC)
            running = {"status": EvaluationStatus.RUNNING.value, "started_at": now}
            evaluations.change(connection, claim.evaluation_id, running, "started")
    return claim


def chunks(claim: Claim, cut: Chunks) -> list[UnitKey] | None:
    """Queue the parts of an evaluation; returns those to send messages for."""
    new = [NewUnit(i, c.payload, c.size, c.part) for i, c in enumerate(cut.chunks, start=1)]
    with unit_of_work() as connection:
        if not _settle(connection, claim, UnitState.DONE):
            return None
        total = sum(chunk.size for chunk in cut.chunks)
        values = {"progress_total": total, "progress_unit": cut.unit}
        evaluations.change(connection, claim.evaluation_id, values, "progress", _progress(0, total))
        if not new:
            return queue_gathering(connection, claim.evaluation_id)
        return units.insert(
            connection, claim.evaluation_id, Stage.CHUNK, new, nudged=NUDGES_PER_START
        )


def output(claim: Claim, output_file: str) -> list[UnitKey] | None:
    """Record a chunk's arrays; the last one queues the gathering, which is returned."""
    with unit_of_work() as connection:
        state = evaluations.lock(connection, claim.evaluation_id)
        if state is None or state.status in FINISHED:
            return None
        if not units.settle(connection, claim, UnitState.DONE, output_file):
            return None
        unit_parts.move_back(connection, claim)
        return _advance(connection, claim, state, claim.size)


def part_failure(claim: Claim, output_file: str, *, only_later: bool) -> list[UnitKey] | None:
    """Record that a part of the evaluation failed, with its words in a file of its own.

    They stand for what is queued of the part too, or for what comes after it alone; the other
    parts go on. What ends the evaluation's chunks queues the gathering, which is returned.
    """
    with unit_of_work() as connection:
        state = evaluations.lock(connection, claim.evaluation_id)
        if state is None or state.status in FINISHED:
            return None
        if not units.settle(connection, claim, UnitState.FAILED, output_file):
            return None
        skipped = unit_parts.skip(connection, claim, output_file, only_later=only_later)
        return _advance(connection, claim, state, claim.size + skipped)


def _advance(
    connection: sa.Connection, claim: Claim, state: sa.Row[str, int, int | None], size: int
) -> list[UnitKey]:
    """Count what was done, and queue the gathering when that was the last of it."""
    done, total = state.progress_done + size, state.progress_total or 0
    event = "progress" if _percent(done, total) > _percent(state.progress_done, total) else None
    evaluations.change(
        connection, claim.evaluation_id, {"progress_done": done}, event, _progress(done, total)
    )
    return queue_gathering(connection, claim.evaluation_id)


def queue_gathering(connection: sa.Connection, evaluation_id: UUID) -> list[UnitKey]:
    """Queue the gathering when all chunks are done and it is not queued yet."""
    if units.count_open(connection, evaluation_id):
        return []
    if units.count_stage(connection, evaluation_id, Stage.GATHER):
        return []
    number = units.count_stage(connection, evaluation_id, Stage.CHUNK) + 1
    new = [NewUnit(number, {}, 0)]
    return units.insert(connection, evaluation_id, Stage.GATHER, new, nudged=1)


def result(claim: Claim, body: str, losses_file: str | None) -> bool:
    """Store the result and give the evaluation its last state."""
    with unit_of_work() as connection:
        if not _settle(connection, claim, UnitState.DONE):
            return False
        results.insert(connection, claim.evaluation_id, body, losses_file)
        whole = {"progress_done": 1, "progress_total": 1} if claim.stage is Stage.START else {}
        evaluations.finish(connection, claim.evaluation_id, EvaluationStatus.SUCCEEDED, whole)
    return True


def failure(claim: Claim, error: Mapping[str, Any]) -> bool:
    """Fail the evaluation for a reason, and take its other units out of the queue."""
    with unit_of_work() as connection:
        if not _settle(connection, claim, UnitState.FAILED):
            return False
        fail_evaluation(connection, claim.evaluation_id, error)
    return True


def fail_evaluation(
    connection: sa.Connection, evaluation_id: UUID, error: Mapping[str, Any]
) -> None:
    """Fail an evaluation whose row the transaction holds."""
    units.cancel_open(connection, evaluation_id)
    data = {"error": dict(error)}
    evaluations.finish(connection, evaluation_id, EvaluationStatus.FAILED, data, data)


def _settle(connection: sa.Connection, claim: Claim, state: UnitState) -> bool:
    locked = evaluations.lock(connection, claim.evaluation_id)
    if locked is None or locked.status in FINISHED:
        return False
    return units.settle(connection, claim, state)


def _percent(done: int, total: int) -> int:
    return 100 * done // total if total else 0


def _progress(done: int, total: int) -> dict[str, Any]:
    return {"done": done, "total": total}


def put_back(claim: Claim, *, delay_s: float = 0.0, lost: bool = False) -> bool:
    """Queue a claimed unit again; ``lost`` counts it as a failed attempt."""
    with unit_of_work() as connection:
        return units.put_back(connection, claim, delay_s=delay_s, lost=lost)


def give_up_or_retry(
    claim: Claim, problem: Mapping[str, Any], *, max_attempts: int, delay_s: float
) -> bool:
    """Queue the unit again after a lost attempt, or fail the evaluation at the last one."""
    with unit_of_work() as connection:
        locked = evaluations.lock(connection, claim.evaluation_id)
        if locked is None or locked.status in FINISHED:
            return False
        lost, _ = units.history(connection, claim)
        if lost + 1 < max_attempts:
            return units.put_back(connection, claim, delay_s=delay_s * 2**lost, lost=True)
        if not units.settle(connection, claim, UnitState.FAILED):
            return False
        fail_evaluation(connection, claim.evaluation_id, problem)
    return True
