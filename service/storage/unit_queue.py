"""The queue of units as it lies in the database: who is next, and who waits for a message."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.lifecycle import UnitState
from service.storage.engine import EpochNow
from service.storage.models import Unit
from service.storage.units import UnitKey


def next_in_line(session: Session, count: int) -> list[UnitKey]:
    """Return the first queued units that may be taken now."""
    return [key for key, _ in line(session, count)]


def line(session: Session, count: int) -> list[tuple[UnitKey, float]]:
    """Return the first queued units that may be taken now, each with its place."""
    statement = (
        sa.select(Unit.evaluation_id, Unit.number, Unit.place)
        .where(Unit.state == UnitState.QUEUED, Unit.not_before <= EpochNow())
        .order_by(Unit.place)
        .limit(count)
    )
    return [((row.evaluation_id, row.number), row.place) for row in session.execute(statement)]


def due_for_nudge(session: Session, renudge_s: float, window: int) -> list[UnitKey]:
    """Mark and return queued units that no message was sent for of late, a window at a time."""
    queued = sa.and_(Unit.state == UnitState.QUEUED, Unit.not_before <= EpochNow())
    fresh = Unit.nudged_at > EpochNow() - renudge_s
    outstanding = session.execute(sa.select(sa.func.count()).where(queued, fresh)).scalar_one()
    if outstanding >= window:
        return []
    statement = (
        sa.select(Unit.evaluation_id, Unit.number)
        .where(queued, sa.not_(fresh))
        .order_by(Unit.place)
        .limit(window - outstanding)
    )
    keys = [(row.evaluation_id, row.number) for row in session.execute(statement)]
    for evaluation_id, number in keys:
        session.execute(
            sa.update(Unit)
            .where(Unit.evaluation_id == evaluation_id, Unit.number == number)
            .values(nudged_at=EpochNow()),
            execution_options={"synchronize_session": False},
        )
    return keys
