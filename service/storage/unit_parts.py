"""The parts of an evaluation, its learners: how far each is, and what is left to do of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import sqlalchemy as sa

from service.states import Stage, UnitState
from service.storage.engine import EpochNow
from service.storage.tables import UNIT
from service.storage.units import Claim

_UNITS = UNIT.c
_OPEN = (UnitState.QUEUED, UnitState.RUNNING)


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk as it stands.

    Parameters
    ----------
    number, size : int
        Its place in the evaluation, and what it adds to the progress.
    part : str or None
        What it is a part of.
    state : str
        A ``UnitState``.
    output_file : str or None
        Where its arrays lie, or the words of what it failed with.
    seconds : float or None
        How long it took; None where it is not done, or was never begun.
    running_s : float
        How long it has been running; 0 where it is not.
    """

    number: int
    size: int
    part: str | None
    state: str
    output_file: str | None
    seconds: float | None
    running_s: float

    @property
    def is_open(self) -> bool:
        """Whether it is still to be done."""
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


def chunks(connection: sa.Connection, evaluation_id: UUID) -> list[Chunk]:
    """Return the chunks of an evaluation in their order."""
    return [Chunk(*row) for row in connection.execute(_CHUNKS, {"wanted": evaluation_id})]


def running_elsewhere(connection: sa.Connection, evaluation_id: UUID) -> int:
    """Return how many units of other evaluations are being done."""
    found: int = connection.execute(_RUNNING_ELSEWHERE, {"wanted": evaluation_id}).scalar_one()
    return found


def move_back(connection: sa.Connection, held: Claim) -> None:
    """Let what is queued of a claim's part stand as far behind it as its work took.

    That is its time, times the parts that have something queued: together they come as far as the
    clock does, so other evaluations wait no longer for many parts than for one. A part whose chunks
    take no time is done before one whose chunks take seconds goes on.
    """
    if held.part is None:
        return
    its_own = connection.execute(
        sa.select(UNIT.c.place, UNIT.c.seconds).where(
            UNIT.c.evaluation_id == held.evaluation_id, UNIT.c.number == held.number
        )
    ).one()
    queued = _queued_of(held)
    of_this_part = queued[-1]
    first, parts = connection.execute(
        sa.select(
            sa.func.min(UNIT.c.place).filter(of_this_part), sa.func.count(UNIT.c.part.distinct())
        ).where(*queued[:-1])
    ).one()
    if first is None:
        return
    # Workers take chunks that stand close together in any order, so it may have stood behind.
    behind = min(its_own.place, first) + (its_own.seconds or 0.0) * parts - first
    connection.execute(sa.update(UNIT).where(*queued).values(place=UNIT.c.place + behind))


def skip(connection: sa.Connection, held: Claim, output_file: str, *, only_later: bool) -> int:
    """Let a failure stand for what is queued of its part; returns the size of that.

    ``only_later`` leaves the chunks before the failed one: what they give does not depend on who
    was quicker, so which failure of a part is told, the first, does not either.
    """
    later = [UNIT.c.number > held.number] if only_later else []
    statement = (
        sa.update(UNIT)
        .where(*_queued_of(held), *later)
        .values(state=UnitState.CANCELLED.value, output_file=output_file)
        .returning(UNIT.c.size)
    )
    sizes: Sequence[int] = connection.scalars(statement).all()
    return sum(sizes)


def _queued_of(held: Claim) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        UNIT.c.evaluation_id == held.evaluation_id,
        UNIT.c.stage == Stage.CHUNK,
        UNIT.c.state == UnitState.QUEUED,
        UNIT.c.part == held.part,
    )
