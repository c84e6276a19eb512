"""The chunks of each learner of an evaluation: their progress and their order in the queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.states import Stage, UnitState
from thetahat_service.storage import unit_statements
from thetahat_service.storage.engine import EpochNow
from thetahat_service.storage.tables import UNIT
from thetahat_service.storage.unit_transitions import UnitEvent
from thetahat_service.storage.units import UnitClaim

_UNITS = UNIT.c
_OPEN = (UnitState.QUEUED, UnitState.RUNNING)


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """The state of one chunk."""

    number: int
    size: int
    """Its number in the evaluation, and what it adds to the progress."""
    part: str | None
    """The part, a learner, that it belongs to."""
    state: str
    """A ``UnitState``."""
    output_file: str | None
    """The file with its arrays, or with the reason why it failed."""
    seconds: float | None
    """How long it took; None if it is not done, or never ran."""
    running_s: float
    """How long it has been running; 0 if it is not running."""

    @property
    def is_open(self) -> bool:
        """Whether it is queued or running."""
        return self.state in _OPEN


_RUNNING_S = sa.case((_UNITS.state == UnitState.RUNNING, EpochNow() - _UNITS.claimed_at), else_=0.0)
_CHUNKS = (
    sa.select(
        _UNITS.number,
        _UNITS.size,
        _UNITS.part,
        _UNITS.state,
        _UNITS.output_file,
        _UNITS.seconds,
        _RUNNING_S,
    )
    .where(_UNITS.evaluation_id == sa.bindparam("wanted"), _UNITS.stage == Stage.CHUNK)
    .order_by(_UNITS.number)
)
_RUNNING_ELSEWHERE = sa.select(sa.func.count()).where(
    _UNITS.state == UnitState.RUNNING, _UNITS.evaluation_id != sa.bindparam("wanted")
)


def list_chunks(connection: sa.Connection, evaluation_id: UUID) -> list[ChunkRow]:
    """Return the chunks of an evaluation, ordered by number."""
    return [ChunkRow(*row) for row in connection.execute(_CHUNKS, {"wanted": evaluation_id})]


def count_running_elsewhere(connection: sa.Connection, evaluation_id: UUID) -> int:
    """Return how many units of other evaluations are running."""
    count: int = connection.execute(_RUNNING_ELSEWHERE, {"wanted": evaluation_id}).scalar_one()
    return count


def delay_part(connection: sa.Connection, claim: UnitClaim) -> None:
    """Delay the queued chunks of a learner by the time that its claimed chunk took.

    The delay is this time multiplied by the number of parts with queued chunks, so that all parts
    together advance in the queue as fast as the clock, and other evaluations do not wait longer
    for many parts than for one. A part with quick chunks is finished before one with slow chunks
    goes on.
    """
    if claim.part is None:
        return
    claimed = connection.execute(
        sa.select(UNIT.c.place, UNIT.c.seconds).where(
            UNIT.c.evaluation_id == claim.evaluation_id, UNIT.c.number == claim.number
        )
    ).one()
    queued = _select_queued_chunks(claim)
    is_in_part = queued[-1]
    first, parts = connection.execute(
        sa.select(
            sa.func.min(UNIT.c.place).filter(is_in_part), sa.func.count(UNIT.c.part.distinct())
        ).where(*queued[:-1])
    ).one()
    if first is None:
        return
    # Workers claim neighbouring chunks in any order, so queued ones may be ahead of this one.
    delay = min(claimed.place, first) + (claimed.seconds or 0.0) * parts - first
    connection.execute(sa.update(UNIT).where(*queued).values(place=UNIT.c.place + delay))


def cancel_part(
    connection: sa.Connection, claim: UnitClaim, output_file: str, *, only_later: bool
) -> int:
    """Cancel the queued chunks of a failed part, and return their size.

    They get the file with the reason of the failure. With ``only_later`` the chunks before the
    failed one are still computed, so that the first failure of a part is always the reported one,
    however fast the workers are.
    """
    first_number = sa.func.coalesce(UNIT.c.cut_from, UNIT.c.number)
    later = [first_number >= claim.first_number] if only_later else []
    statement = (
        unit_statements.build_transition(UnitEvent.SKIP)
        .where(*_select_queued_chunks(claim), *later)
        .returning(UNIT.c.size)
    )
    sizes: Sequence[int] = connection.scalars(statement, {"new_output_file": output_file}).all()
    return sum(sizes)


def _select_queued_chunks(claim: UnitClaim) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the conditions of the queued chunks of the claim's part; the part is last."""
    return (
        UNIT.c.evaluation_id == claim.evaluation_id,
        UNIT.c.stage == Stage.CHUNK,
        UNIT.c.state == UnitState.QUEUED,
        UNIT.c.part == claim.part,
    )
