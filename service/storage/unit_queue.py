"""The queue of units in the database: which come next, and which need another message."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from service.states import UnitState
from service.storage.engine import EpochNow
from service.storage.tables import UNIT
from service.storage.units import UnitKey


@dataclass(frozen=True, slots=True)
class QueuedUnit:
    """A unit that may be claimed, with its place in the queue and the part it belongs to."""

    key: UnitKey
    place: float
    part: str | None


def list_claimable(connection: sa.Connection, count: int) -> list[QueuedUnit]:
    """Return the first ``count`` queued units that may be claimed now, in the queue's order."""
    statement = (
        sa.select(UNIT.c.evaluation_id, UNIT.c.number, UNIT.c.place, UNIT.c.part)
        .where(UNIT.c.state == UnitState.QUEUED, UNIT.c.not_before <= EpochNow())
        .order_by(UNIT.c.place)
        .limit(count)
    )
    rows = connection.execute(statement)
    return [QueuedUnit((row.evaluation_id, row.number), row.place, row.part) for row in rows]


def mark_due_for_message(connection: sa.Connection, resend_s: float, window: int) -> list[UnitKey]:
    """Return queued units without a message in the last ``resend_s`` seconds, marked as sent.

    At most ``window`` units are marked at any time, so that a long queue does not fill the broker.
    """
    queued = sa.and_(UNIT.c.state == UnitState.QUEUED, UNIT.c.not_before <= EpochNow())
    recent = UNIT.c.message_sent_at > EpochNow() - resend_s
    outstanding = connection.execute(sa.select(sa.func.count()).where(queued, recent)).scalar_one()
    if outstanding >= window:
        return []
    statement = (
        sa.select(UNIT.c.evaluation_id, UNIT.c.number)
        .where(queued, sa.not_(recent))
        .order_by(UNIT.c.place)
        .limit(window - outstanding)
    )
    keys = [(row.evaluation_id, row.number) for row in connection.execute(statement)]
    for evaluation_id, number in keys:
        connection.execute(
            sa.update(UNIT)
            .where(UNIT.c.evaluation_id == evaluation_id, UNIT.c.number == number)
            .values(message_sent_at=EpochNow()),
        )
    return keys
