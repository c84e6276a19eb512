"""The queue of units as it lies in the database: who is next, and who waits for a message."""

from __future__ import annotations

import sqlalchemy as sa

from service.states import UnitState
from service.storage.engine import EpochNow
from service.storage.tables import UNIT
from service.storage.units import UnitKey


def next_in_line(connection: sa.Connection, count: int) -> list[UnitKey]:
    """Return the first queued units that may be taken now."""
    return [key for key, _, _ in line(connection, count)]


def line(connection: sa.Connection, count: int) -> list[tuple[UnitKey, float, str | None]]:
    """Return the first queued units that may be taken now, each with its place and its part."""
    statement = (
        sa.select(UNIT.c.evaluation_id, UNIT.c.number, UNIT.c.place, UNIT.c.part)
        .where(UNIT.c.state == UnitState.QUEUED, UNIT.c.not_before <= EpochNow())
        .order_by(UNIT.c.place)
        .limit(count)
    )
    rows = connection.execute(statement)
    return [((row.evaluation_id, row.number), row.place, row.part) for row in rows]


def due_for_nudge(connection: sa.Connection, renudge_s: float, window: int) -> list[UnitKey]:
    """Mark and return queued units that no message was sent for of late, a window at a time."""
    queued = sa.and_(UNIT.c.state == UnitState.QUEUED, UNIT.c.not_before <= EpochNow())
    fresh = UNIT.c.nudged_at > EpochNow() - renudge_s
    outstanding = connection.execute(sa.select(sa.func.count()).where(queued, fresh)).scalar_one()
    if outstanding >= window:
        return []
    statement = (
        sa.select(UNIT.c.evaluation_id, UNIT.c.number)
        .where(queued, sa.not_(fresh))
        .order_by(UNIT.c.place)
        .limit(window - outstanding)
    )
    keys = [(row.evaluation_id, row.number) for row in connection.execute(statement)]
    for evaluation_id, number in keys:
        connection.execute(
            sa.update(UNIT)
            .where(UNIT.c.evaluation_id == evaluation_id, UNIT.c.number == number)
            .values(nudged_at=EpochNow()),
        )
    return keys
