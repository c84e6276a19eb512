"""Moving stored times along when the database's clock was set to another time.

Claims, pauses and heartbeats have times of the database's clock. If that clock goes back by an
hour, a claim of a dead worker would last an hour longer, and paused work would wait for so long; if
it goes forward, every claim would end at once. So the times from before the jump are moved by it.

Times that people set, such as the expiry of a key, are not moved.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from thetahat_service.states import DeliveryState, UnitState
from thetahat_service.storage.tables import OWNER, UNIT, WEBHOOK_DELIVERY, WORKER

LONGEST_PAUSE_S: Final = 600.0
"""A longer pause before a unit is claimed again is the work of a jump."""

_QUEUED = UNIT.c.state == UnitState.QUEUED.value
_RUNNING = UNIT.c.state == UnitState.RUNNING.value
_OPEN = UNIT.c.state.in_([UnitState.QUEUED.value, UnitState.RUNNING.value])
_OWNED = UNIT.c.owner_id.in_(sa.select(OWNER.c.id))  # so that the index of owners is used
_PENDING = WEBHOOK_DELIVERY.c.state == DeliveryState.PENDING.value


def move_back(
    connection: sa.Connection, now: float, seconds: float, lease_s: float, delivery_s: float
) -> None:
    """Move back the times that are too far in the future, as after a clock was set back.

    Without such times nothing changes, so this may be done at any time, and with 0 seconds when it
    is not known by how much the clock went back. ``lease_s`` is the longest lease of a claim, and
    ``delivery_s`` the longest pause before a delivery to a webhook.
    """
    u, delivery, worker = UNIT.c, WEBHOOK_DELIVERY.c, WORKER.c

    def shift(column: sa.Column[float], latest: float, otherwise: float) -> sa.ColumnElement[float]:
        return sa.case((column - seconds > latest, otherwise), else_=column - seconds)

    lease_end, pause_end, delivery_end = now + lease_s, now + LONGEST_PAUSE_S, now + delivery_s
    for statement in (
        sa.update(UNIT)
        .where(_OWNED, u.claimed_at > now)
        .values(claimed_at=shift(u.claimed_at, now, now)),
        sa.update(UNIT)
        .where(_RUNNING, u.lease_until > lease_end)
        .values(lease_until=shift(u.lease_until, lease_end, lease_end)),
        # What was queued before the jump has such a time, too; it keeps its place before the new.
        sa.update(UNIT).where(_QUEUED, u.not_before > now).values(place=u.place - seconds),
        sa.update(UNIT)
        .where(_QUEUED, u.not_before > (now if seconds else pause_end))
        .values(not_before=shift(u.not_before, pause_end, now)),
        sa.update(UNIT)
        .where(_OPEN, u.unavailable_since > now)
        .values(unavailable_since=shift(u.unavailable_since, now, now)),
        sa.update(WORKER)
        .where(worker.heartbeat_at > now)
        .values(heartbeat_at=shift(worker.heartbeat_at, now, now)),
        sa.update(WEBHOOK_DELIVERY)
        .where(_PENDING, delivery.next_attempt_at > (now if seconds else delivery_end))
        .values(next_attempt_at=shift(delivery.next_attempt_at, delivery_end, now)),
    ):
        connection.execute(statement)


def move_forward(
    connection: sa.Connection, before: float, seconds: float, lease_s: float, delivery_s: float
) -> None:
    """Move on the times from before a jump forward, so that no claim and no pause ends early.

    ``before`` is what the clock would show now without the jump: no time of a past event from
    before the jump is later.
    """
    u, delivery, worker = UNIT.c, WEBHOOK_DELIVERY.c, WORKER.c
    latest = before + delivery_s
    for statement in (
        sa.update(UNIT)
        .where(_RUNNING, u.claimed_at <= before)
        .values(claimed_at=u.claimed_at + seconds),
        sa.update(UNIT)
        .where(_RUNNING, u.lease_until <= before + lease_s)
        .values(lease_until=u.lease_until + seconds),
        sa.update(UNIT).where(_QUEUED, u.not_before <= before).values(place=u.place + seconds),
        sa.update(UNIT)
        .where(_OPEN, u.unavailable_since <= before)
        .values(unavailable_since=u.unavailable_since + seconds),
        sa.update(WORKER)
        .where(worker.heartbeat_at <= before)
        .values(heartbeat_at=worker.heartbeat_at + seconds),
        # One without an attempt was due at once, so this one was made after the jump.
        sa.update(WEBHOOK_DELIVERY)
        .where(_PENDING, delivery.attempts > 0, delivery.next_attempt_at > before)
        .values(
            next_attempt_at=sa.case(
                (delivery.next_attempt_at > latest, latest + seconds),
                else_=delivery.next_attempt_at + seconds,
            )
        ),
    ):
        connection.execute(statement)
