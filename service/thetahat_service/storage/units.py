"""Units of work: claimed with a lease and an attempt number, recorded once.

Owners take turns in the queue (``thetahat_service.storage.unit_queue``). A unit's ``place`` is its
position among the units of its owner, in seconds. The start and the gathering of an evaluation come
first, so that small evaluations do not wait. Chunk i of an evaluation has the place
"now + i x PACE", so that a later evaluation with few chunks does not wait for an earlier one with
very many. The parts of an evaluation, its learners, take turns; the chunks left of a part are
delayed by the time that its last chunk took, so that quick parts do not wait for a slow one.

An evaluation whose client waits for the answer has places before all others of its owner, unless it
has many chunks; the queue leaves the others a share (``unit_queue.SHARE_OF_OTHERS``).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.json_types import Payload
from thetahat_service.states import Stage, UnitState
from thetahat_service.storage import unit_statements
from thetahat_service.storage.engine import EpochNow, read_clock
from thetahat_service.storage.tables import EVALUATION, UNIT
from thetahat_service.storage.unit_transitions import UnitEvent

PACE = 1.0  # distance in place, in seconds, between the chunks of one evaluation
AHEAD = 1e9  # seconds subtracted from the place of units that come before all chunks
AWAITED_AHEAD = 1e10  # the same for an evaluation whose client waits: its places are negative
MOST_AWAITED_CHUNKS = 16  # an evaluation with more of them takes its turn with the others
_START = (
    sa.select(EVALUATION.c.owner_id, UNIT.c.place)
    .outerjoin(UNIT, sa.and_(UNIT.c.evaluation_id == EVALUATION.c.id, UNIT.c.number == 0))
    .where(EVALUATION.c.id == sa.bindparam("its_evaluation"))
)


@dataclass(frozen=True, slots=True)
class UnitClaim:
    """One attempt at a unit by one worker; only this attempt may record its outcome."""

    evaluation_id: UUID
    number: int
    stage: Stage
    payload: Payload
    size: int
    attempt: int
    worker_id: UUID
    part: str | None = None
    cut_from: int | None = None
    claimed_at: float | None = field(default=None, compare=False)
    """When this process claimed it, by its monotonic clock; None for a claim of another process."""

    @property
    def first_number(self) -> int:
        """The number of the chunk that this one was first a part of; it orders the chunks."""
        return self.number if self.cut_from is None else self.cut_from


UnitKey = tuple[UUID, int]


@dataclass(frozen=True, slots=True)
class NewUnit:
    """A unit to be queued; ``part`` names the part of the evaluation that it belongs to."""

    number: int
    payload: Payload
    size: int
    part: str | None = None


def insert(
    connection: sa.Connection,
    evaluation_id: UUID,
    stage: Stage,
    new: Sequence[NewUnit],
    *,
    n_sent: int,
) -> list[UnitKey]:
    """Queue units and return the first ``n_sent``, marked as sent; the caller sends them."""
    now = read_clock(connection)
    owner_id, start = connection.execute(_START, {"its_evaluation": evaluation_id}).one()
    is_awaited = start is not None and start < 0.0 and len(new) <= MOST_AWAITED_CHUNKS
    ahead = 0.0 if stage is Stage.CHUNK else AHEAD
    first = now - (AWAITED_AHEAD if is_awaited else ahead)
    in_turn = _alternate_parts(new)
    rows = [
        _build_row(evaluation_id, owner_id, stage, unit, now)
        | {"place": first + i * PACE, "message_sent_at": now if i < n_sent else 0.0}
        for i, unit in enumerate(in_turn)
    ]
    if rows:
        connection.execute(unit_statements.INSERT, rows)
    return [(evaluation_id, unit.number) for unit in in_turn[:n_sent]]


@dataclass(frozen=True, slots=True)
class EvaluationStart:
    """An evaluation whose first unit is to be queued, and whether its client waits for it."""

    id: UUID
    owner_id: UUID
    is_awaited: bool


def insert_starts(
    connection: sa.Connection, evaluations: Sequence[EvaluationStart]
) -> list[UnitKey]:
    """Queue the first unit of each of several new evaluations and return them, to be sent."""
    now = read_clock(connection)
    start = NewUnit(0, {}, 1)
    rows = [
        _build_row(new.id, new.owner_id, Stage.START, start, now)
        | {"place": now - (AWAITED_AHEAD if new.is_awaited else AHEAD), "message_sent_at": now}
        for new in evaluations
    ]
    connection.execute(unit_statements.INSERT, rows)
    return [(new.id, 0) for new in evaluations]


def insert_second_piece(connection: sa.Connection, claim: UnitClaim, second_piece: NewUnit) -> None:
    """Queue the second piece of a chunk that was cut; the claim computes only the first.

    The rest has the place of the chunk, so that it comes before the chunks behind it.
    """
    evaluation_id = claim.evaluation_id
    owner_id, place, now = connection.execute(
        sa.select(UNIT.c.owner_id, UNIT.c.place, EpochNow()).where(
            UNIT.c.evaluation_id == evaluation_id, UNIT.c.number == claim.number
        )
    ).one()
    values = {"place": place, "message_sent_at": 0.0, "cut_from": claim.first_number}
    row = _build_row(evaluation_id, owner_id, Stage.CHUNK, second_piece, now) | values
    connection.execute(unit_statements.INSERT, [row])


def find_next_number(connection: sa.Connection, evaluation_id: UUID) -> int:
    """Return the number of an evaluation's next new unit; the evaluation must be locked."""
    statement = sa.select(sa.func.max(UNIT.c.number)).where(UNIT.c.evaluation_id == evaluation_id)
    return int(connection.execute(statement).scalar_one()) + 1


def shorten(connection: sa.Connection, claim: UnitClaim, new: NewUnit) -> None:
    """Set the payload and the size of a claimed chunk to those of the piece that was computed."""
    connection.execute(
        sa.update(UNIT)
        .where(UNIT.c.evaluation_id == claim.evaluation_id, UNIT.c.number == claim.number)
        .values(payload=dict(new.payload), size=new.size)
    )


def _build_row(
    evaluation_id: UUID, owner_id: UUID, stage: Stage, unit: NewUnit, now: float
) -> dict[str, object]:
    """Return the values of a queued unit, except its place and the time of its message."""
    return {
        "evaluation_id": evaluation_id,
        "owner_id": owner_id,
        "number": unit.number,
        "stage": stage.value,
        "payload": dict(unit.payload),
        "size": unit.size,
        "part": unit.part,
        "state": UnitState.QUEUED.value,
        "attempt": 0,
        "lost": 0,
        "not_before": now,
        "cut_from": None,
    }


def _alternate_parts(new: Sequence[NewUnit]) -> list[NewUnit]:
    """Return the units ordered so that their parts take turns."""
    turns: Counter[str | None] = Counter()
    placed = []
    for unit in new:
        placed.append((turns[unit.part], unit))
        turns[unit.part] += 1
    return [unit for _, unit in sorted(placed, key=lambda pair: pair[0])]


def claim(
    connection: sa.Connection, key: UnitKey, worker_id: UUID, lease_s: float
) -> UnitClaim | None:
    """Claim a queued unit; None if it is gone or is not queued."""
    evaluation_id, number = key
    unit_key = {"its_evaluation_id": evaluation_id, "its_number": number}
    given = {"new_worker_id": worker_id, "new_lease_until": lease_s}
    row = connection.execute(unit_statements.CLAIM, unit_key | given).one_or_none()
    if row is None:
        return None
    stage = Stage(row.stage)
    return UnitClaim(
        evaluation_id,
        number,
        stage,
        row.payload,
        row.size,
        row.attempt,
        worker_id,
        row.part,
        row.cut_from,
        time.monotonic(),
    )


def apply(connection: sa.Connection, claim: UnitClaim, event: UnitEvent, **given: object) -> bool:
    """Change a claimed unit as ``unit_transitions`` has it; False if the claim is lost.

    ``given`` are the values of the columns that the event writes as given, or as seconds from now.
    """
    parameters = unit_statements.build_claim_parameters(claim)
    parameters |= {f"new_{name}": value for name, value in given.items()}
    if event in unit_statements.MEASURED:
        began = claim.claimed_at
        parameters["attempt_s"] = None if began is None else time.monotonic() - began
    row = connection.execute(unit_statements.OF_CLAIM[event], parameters).one_or_none()
    return row is not None


def is_held(connection: sa.Connection, claim: UnitClaim) -> bool:
    """Return whether the unit is still claimed by this attempt."""
    parameters = unit_statements.build_claim_parameters(claim)
    return connection.execute(unit_statements.IS_HELD, parameters).one_or_none() is not None


def read_outage_seconds(connection: sa.Connection, claim: UnitClaim) -> float:
    """Return for how many seconds faults of the infrastructure have stopped a claimed unit."""
    row = connection.execute(
        unit_statements.OUTAGE, unit_statements.build_claim_parameters(claim)
    ).one_or_none()
    return 0.0 if row is None else float(row[0] or 0.0)


def sum_seconds(connection: sa.Connection, evaluation_id: UUID) -> float:
    """Return the seconds of computing of all attempts at an evaluation's units that have ended.

    Attempts count whether they recorded an outcome, were lost with their worker or were stopped;
    those that a fault of the infrastructure ended do not, because a setting limits the outage.
    """
    seconds = sa.func.coalesce(UNIT.c.seconds, 0.0) + sa.func.coalesce(UNIT.c.lost_seconds, 0.0)
    statement = sa.select(sa.func.coalesce(sa.func.sum(seconds), 0.0)).where(
        UNIT.c.evaluation_id == evaluation_id
    )
    return float(connection.execute(statement).scalar_one())


def has_open(connection: sa.Connection, evaluation_id: UUID) -> bool:
    """Return whether a unit of an evaluation is queued or running."""
    return connection.execute(select_open(evaluation_id)).one_or_none() is not None


def select_open(evaluation_id: UUID) -> sa.Select[tuple[int]]:
    """Return the query of one unit of an evaluation that is queued or running."""
    return (
        sa.select(UNIT.c.number)
        .where(
            UNIT.c.evaluation_id == evaluation_id,
            UNIT.c.state.in_([UnitState.QUEUED, UnitState.RUNNING]),
        )
        .limit(1)
    )


def count_stage(connection: sa.Connection, evaluation_id: UUID, stage: Stage) -> int:
    """Return how many units of one stage an evaluation has."""
    statement = sa.select(sa.func.count()).where(
        UNIT.c.evaluation_id == evaluation_id, UNIT.c.stage == stage
    )
    return connection.execute(statement).scalar_one()


def cancel_open(connection: sa.Connection, evaluation_id: UUID) -> None:
    """Cancel an evaluation's queued and running units."""
    cancel = unit_statements.build_transition(UnitEvent.CANCEL)
    connection.execute(cancel.where(UNIT.c.evaluation_id == evaluation_id))


@dataclass(frozen=True, slots=True)
class OutputFile:
    """The payload of a chunk that has ended, and the file with its arrays."""

    payload: Payload
    name: str


def list_output_files(
    connection: sa.Connection, evaluation_id: UUID, numbers: Collection[int] | None = None
) -> list[OutputFile]:
    """Return the files of the chunks' arrays, in the order of the chunks.

    ``numbers`` are the chunks; None for all of them.
    """
    statement = (
        sa.select(UNIT.c.number, UNIT.c.payload, UNIT.c.output_file)
        .where(
            UNIT.c.evaluation_id == evaluation_id,
            UNIT.c.stage == Stage.CHUNK,
            UNIT.c.output_file.is_not(None),
        )
        .order_by(UNIT.c.number)
    )
    return [
        OutputFile(payload, name)
        for number, payload, name in connection.execute(statement)
        if numbers is None or number in numbers
    ]


def has_output_file(connection: sa.Connection, evaluation_id: UUID, name: str) -> bool:
    """Return whether a file was recorded as that of a chunk's arrays."""
    statement = sa.select(
        sa.exists().where(UNIT.c.evaluation_id == evaluation_id, UNIT.c.output_file == name)
    )
    return bool(connection.execute(statement).scalar_one())


def list_claims(connection: sa.Connection, worker_ids: Collection[UUID]) -> list[UnitClaim]:
    """Return the claims of some workers."""
    return _read_claims(connection, _select_running(UNIT.c.worker_id.in_(worker_ids)))


def list_expired(connection: sa.Connection, count: int) -> list[UnitClaim]:
    """Return claims whose lease has expired, at most ``count``."""
    return _read_claims(connection, select_expired(read_clock(connection), count))


def select_expired(now: float, count: int) -> sa.Select[Any]:
    """Return the query of claims whose lease has expired, at most ``count``."""
    return _select_running(UNIT.c.lease_until < now).limit(count)


def _select_running(condition: sa.ColumnElement[bool]) -> sa.Select[Any]:
    """Return the query of running units that meet a condition, as claims."""
    return sa.select(
        UNIT.c.evaluation_id,
        UNIT.c.number,
        UNIT.c.stage,
        UNIT.c.payload,
        UNIT.c.size,
        UNIT.c.attempt,
        UNIT.c.worker_id,
        UNIT.c.part,
        UNIT.c.cut_from,
    ).where(UNIT.c.state == UnitState.RUNNING, condition)


def _read_claims(connection: sa.Connection, statement: sa.Select[Any]) -> list[UnitClaim]:
    return [
        UnitClaim(row[0], row[1], Stage(row[2]), *row[3:]) for row in connection.execute(statement)
    ]


def read_history(connection: sa.Connection, claim: UnitClaim) -> tuple[int, float]:
    """Return the number of lost attempts at a unit, and the seconds that this attempt has run.

    It has run until now, or until its lease ended: the whole service may have been stopped since.
    """
    row = connection.execute(
        unit_statements.HISTORY, unit_statements.build_claim_parameters(claim)
    ).one_or_none()
    return (0, 0.0) if row is None else (row[0], float(row[1] or 0.0))
