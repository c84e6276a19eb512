"""Recording claims and outcomes of units, each in one transaction.

Each function returns False or None, and changes nothing, if the claim is no longer the caller's:
its lease expired and another worker claimed the unit, or the evaluation was cancelled or deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.jobs.listed import NOTHING_LISTED, ListedResult
from thetahat_service.json_types import JsonObject, StoredProblem
from thetahat_service.process import counters
from thetahat_service.protocols.outcome import tell
from thetahat_service.settings import is_sqlite
from thetahat_service.states import EvaluationStatus, Stage
from thetahat_service.storage import evaluations, results, unit_parts, unit_repairs, units
from thetahat_service.storage.evaluations import LockedEvaluation
from thetahat_service.storage.unit_of_work import call_after_commit, unit_of_work
from thetahat_service.storage.unit_transitions import TRANSITIONS, UnitEvent
from thetahat_service.storage.units import NewUnit, UnitClaim, UnitKey

if TYPE_CHECKING:  # the kinds import all the mathematics
    from thetahat_service.kinds.base import Chunk, Chunks, CutChunk

MESSAGES_PER_START = 64
"""Most messages sent when an evaluation is cut into chunks.

Workers also take chunks without a message, and the sweeper sends more messages.
"""
TOLD = ("verdict", "gate", "headline", "findings")
"""What a webhook is told of a result."""
FIRST_DELAY_S = 0.5  # pause after the first attempt that the infrastructure failed
LONGEST_DELAY_S = 10.0  # pause after later ones, which grows with the outage


def claim_unit(key: UnitKey, worker_id: UUID, lease_s: float) -> UnitClaim | None:
    """Claim a unit; the first claim of an evaluation sets its status to running."""
    with unit_of_work() as connection:
        # SQLite locks the whole database for a write, so no row lock is needed.
        if key[1] == 0 and not is_sqlite():
            evaluations.lock(connection, key[0])
        claim = units.claim(connection, key, worker_id, lease_s)
        if claim is not None and claim.stage is Stage.START and claim.attempt == 1:
            now = datetime.now(UTC)
            running = {"status": EvaluationStatus.RUNNING.value, "started_at": now}
            evaluations.change(connection, claim.evaluation_id, running, "started")
    return claim


def record_chunks(claim: UnitClaim, cut: Chunks) -> list[UnitKey] | None:
    """Queue the chunks of an evaluation and return those to send messages for."""
    new = [_build_unit(number, chunk) for number, chunk in enumerate(cut.chunks, start=1)]
    with unit_of_work() as connection:
        if _end(connection, claim, UnitEvent.FINISH) is None:
            return None
        total = sum(chunk.size for chunk in cut.chunks)
        values = {"progress_total": total, "progress_unit": cut.unit}
        evaluations.change(
            connection, claim.evaluation_id, values, "progress", _build_progress_data(0, total)
        )
        if not new:
            return queue_gathering(connection, claim.evaluation_id)
        return units.insert(
            connection, claim.evaluation_id, Stage.CHUNK, new, n_sent=MESSAGES_PER_START
        )


def record_output(
    claim: UnitClaim, output_file: str, cut: CutChunk | None = None
) -> list[UnitKey] | None:
    """Record a chunk's arrays; after the last chunk, queue the gathering and return it.

    If only the first piece of the chunk was computed, the second is queued as a new chunk.
    """
    with unit_of_work() as connection:
        state = _end(connection, claim, UnitEvent.FINISH, output_file)
        if state is None:
            return None
        if cut is not None:
            number = units.find_next_number(connection, claim.evaluation_id)
            units.shorten(connection, claim, _build_unit(claim.number, cut.head))
            units.insert_second_piece(connection, claim, _build_unit(number, cut.rest))
        unit_parts.delay_part(connection, claim)
        size = claim.size if cut is None else cut.head.size
        _change_progress(connection, claim.evaluation_id, state, {UnitEvent.FINISH: size})
        return queue_gathering(connection, claim.evaluation_id)


def _build_unit(number: int, chunk: Chunk) -> NewUnit:
    return NewUnit(number, chunk.payload, chunk.size, chunk.part)


def record_part_failure(
    claim: UnitClaim, output_file: str, *, only_later: bool
) -> list[UnitKey] | None:
    """Record that a part of the evaluation, a learner, failed; the other parts go on.

    The file holds the reason. The part's queued chunks get the same file and are not computed; with
    ``only_later`` those before the failed one are. If no chunk is left, the gathering is queued and
    returned, to be sent.
    """
    with unit_of_work() as connection:
        state = _end(connection, claim, UnitEvent.FAIL, output_file)
        if state is None:
            return None
        skipped = unit_parts.cancel_part(connection, claim, output_file, only_later=only_later)
        sizes = {UnitEvent.FAIL: claim.size, UnitEvent.SKIP: skipped}
        _change_progress(connection, claim.evaluation_id, state, sizes)
        return queue_gathering(connection, claim.evaluation_id)


def _change_progress(
    connection: sa.Connection,
    evaluation_id: UUID,
    state: LockedEvaluation,
    sizes: Mapping[UnitEvent, int],
) -> None:
    """Change the progress by the sizes of the chunks to which something happened."""
    before, total = state.progress_done, state.progress_total or 0
    done = before + sum(TRANSITIONS[event].progress * size for event, size in sizes.items())
    is_news = done < before or _compute_percent(done, total) > _compute_percent(before, total)
    evaluations.change(
        connection,
        evaluation_id,
        {"progress_done": done},
        "progress" if is_news else None,
        _build_progress_data(done, total),
    )


def queue_gathering(connection: sa.Connection, evaluation_id: UUID) -> list[UnitKey]:
    """Queue the gathering if all chunks have ended and it is not queued yet."""
    if units.has_open(connection, evaluation_id):
        return []
    if units.count_stage(connection, evaluation_id, Stage.GATHER):
        return []
    number = units.count_stage(connection, evaluation_id, Stage.CHUNK) + 1
    new = [NewUnit(number, {}, 0)]
    return units.insert(connection, evaluation_id, Stage.GATHER, new, n_sent=1)


def recompute_chunks(
    claim: UnitClaim, output_files: Collection[str], problem: StoredProblem, max_attempts: int
) -> list[UnitKey] | None:
    """Queue chunks with lost or damaged files again, and return them; the gathering is delayed.

    The evaluation fails with the problem, and an empty list is returned, if a chunk has lost as
    many attempts as it may.
    """
    with unit_of_work() as connection:
        state = evaluations.lock_unfinished(connection, claim.evaluation_id)
        if state is None:
            return None
        if not unit_repairs.remove_gathering(connection, claim):
            return None
        requeued = unit_repairs.requeue_chunks(connection, claim.evaluation_id, output_files)
        if requeued.most_lost >= max_attempts:
            fail_evaluation(connection, claim.evaluation_id, problem)
            return []
        sizes = {UnitEvent.RECOMPUTE: requeued.size}
        _change_progress(connection, claim.evaluation_id, state, sizes)
    return requeued.keys


def record_result(
    claim: UnitClaim,
    body: str,
    losses_file: str | None,
    listed: ListedResult = NOTHING_LISTED,
    store: Callable[[sa.Connection], None] | None = None,
) -> bool:
    """Store the result and what lists show of it, and set the evaluation's status to succeeded.

    ``store`` stores what belongs to the result; nothing is stored if it raises.
    """
    with unit_of_work() as connection:
        if _end(connection, claim, UnitEvent.FINISH) is None:
            return False
        if store is not None:
            store(connection)
        results.insert(connection, claim.evaluation_id, body, losses_file)
        values: dict[str, object] = {
            "summary": listed.summary,
            "verdict": listed.verdict,
            "gate": listed.gate,
            "headline": listed.headline,
        }
        if claim.stage is Stage.START:
            values |= {"progress_done": 1, "progress_total": 1}
        if listed.protocol is not None:
            values["protocol"] = listed.protocol
        told = {name: getattr(listed, name) for name in TOLD}
        told["protocol"] = tell(listed.protocol)
        evaluations.finish(
            connection, claim.evaluation_id, EvaluationStatus.SUCCEEDED, values, told=told
        )
    return True


def record_failure(claim: UnitClaim, error: StoredProblem) -> bool:
    """Set the evaluation's status to failed, and cancel its other units."""
    with unit_of_work() as connection:
        return _fail(connection, claim, error)


def _fail(connection: sa.Connection, claim: UnitClaim, error: StoredProblem) -> bool:
    if _end(connection, claim, UnitEvent.FAIL) is None:
        return False
    fail_evaluation(connection, claim.evaluation_id, error)
    return True


def fail_evaluation(connection: sa.Connection, evaluation_id: UUID, error: StoredProblem) -> None:
    """Fail an evaluation whose row this transaction has locked."""
    units.cancel_open(connection, evaluation_id)
    evaluations.finish(
        connection, evaluation_id, EvaluationStatus.FAILED, {"error": error}, {"error": error}
    )


def _end(
    connection: sa.Connection, claim: UnitClaim, event: UnitEvent, output_file: str | None = None
) -> LockedEvaluation | None:
    """Record the outcome of a unit and return its evaluation, locked.

    None if the claim is lost or the evaluation has ended.
    """
    state = evaluations.lock_unfinished(connection, claim.evaluation_id)
    if state is None or not units.apply(connection, claim, event, output_file=output_file):
        return None
    return state


def _compute_percent(done: int, total: int) -> int:
    return 100 * done // total if total else 0


def _build_progress_data(done: int, total: int) -> JsonObject:
    return {"done": done, "total": total}


def put_back(claim: UnitClaim, *, delay_s: float = 0.0, lost: bool = False) -> bool:
    """Queue a claimed unit again; ``lost`` counts a failed attempt."""
    with unit_of_work() as connection:
        event = UnitEvent.LOSE if lost else UnitEvent.PUT_BACK
        return units.apply(connection, claim, event, not_before=delay_s)


def postpone_or_fail(claim: UnitClaim, problem: StoredProblem, max_outage_s: float) -> bool:
    """Queue a unit again after a fault of the infrastructure; fail the evaluation after too long.

    The whole evaluation fails, also for a unit of one learner: it is not the learner's fault.
    The pauses grow with the length of the outage.
    """
    with unit_of_work() as connection:
        waited = units.read_outage_seconds(connection, claim)
        if waited >= max_outage_s:
            return _fail(connection, claim, problem)
        delay_s = min(max(waited, FIRST_DELAY_S), LONGEST_DELAY_S)
        is_postponed = units.apply(connection, claim, UnitEvent.POSTPONE, not_before=delay_s)
        if is_postponed:
            call_after_commit(connection, lambda: counters.add("unit_retries"))
        return is_postponed
