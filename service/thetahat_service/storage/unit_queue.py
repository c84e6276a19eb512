"""The queue of units in the database: the next units, and those that need another message.

Owners take turns: the owner whose last claim is the oldest comes first, so that nobody waits for
more than one unit of each other owner. Among the units of an owner their place decides; those of
evaluations whose clients wait come first, and leave a share of the turns to the others.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.states import UnitState
from thetahat_service.storage.engine import EpochNow, read_clock
from thetahat_service.storage.rows import select_distinct
from thetahat_service.storage.tables import EVALUATION, UNIT
from thetahat_service.storage.units import UnitKey


@dataclass(frozen=True, slots=True)
class QueuedUnit:
    """A unit that may be claimed, with its place in the queue and the part it belongs to."""

    key: UnitKey
    place: float
    part: str | None


def _build_owner_statement() -> sa.Select[tuple[UUID]]:
    """Return the query of owners with queued units, in turn."""
    unit = UNIT.alias("other")
    owners = select_distinct(
        unit.c.owner_id, unit.c.state == UnitState.QUEUED.value, unit.c.owner_id.is_not(None)
    )
    last_claim = (
        sa.select(unit.c.claimed_at)
        .where(unit.c.owner_id == owners.c.owner_id, unit.c.claimed_at.is_not(None))
        .order_by(unit.c.claimed_at.desc())
        .limit(1)
        .scalar_subquery()
    )
    return (
        sa.select(owners.c.owner_id)
        .where(owners.c.owner_id.is_not(None))
        .order_by(last_claim.asc().nulls_first(), owners.c.owner_id)
    )


SHARE_OF_OTHERS: Final = 0.25
"""Share of an owner's turns in which evaluations come first for which no client waits."""
OWNERS_IN_TURN: Final = _build_owner_statement()
EVERY_PLACE: Final = -1e300
UNITS_OF_OWNER: Final = (
    sa.select(UNIT.c.evaluation_id, UNIT.c.number, UNIT.c.place, UNIT.c.part)
    .where(
        UNIT.c.state == UnitState.QUEUED.value,
        UNIT.c.owner_id == sa.bindparam("its_owner", type_=sa.Uuid()),
        UNIT.c.not_before <= EpochNow(),
        UNIT.c.place >= sa.bindparam("least_place", type_=sa.Double()),
    )
    .order_by(UNIT.c.place)
    .limit(sa.bindparam("count", type_=sa.Integer()))
)


def iterate_claimable(connection: sa.Connection, count: int) -> Iterator[list[QueuedUnit]]:
    """Yield for each owner in turn the first ``count`` queued units that may be claimed now."""
    is_turn_of_others = random.random() < SHARE_OF_OTHERS  # noqa: S311 - keeps no secret
    places = (0.0, EVERY_PLACE) if is_turn_of_others else (EVERY_PLACE,)
    for owner_id in connection.scalars(OWNERS_IN_TURN).all():
        owned: dict[str, Any] = {"its_owner": owner_id, "count": count}
        for least in places:
            rows = connection.execute(UNITS_OF_OWNER, owned | {"least_place": least}).all()
            if rows:
                break
        if rows:
            yield [QueuedUnit((row.evaluation_id, row.number), row.place, row.part) for row in rows]


def list_claimable(connection: sa.Connection, count: int) -> list[QueuedUnit]:
    """Return the first ``count`` claimable units of the owner whose turn it is."""
    return next(iterate_claimable(connection, count), [])


def select_unsent(now: float, count: int) -> sa.Select[tuple[UUID, int]]:
    """Return the query of claimable units without a message, at most ``count``."""
    return (
        sa.select(UNIT.c.evaluation_id, UNIT.c.number)
        .where(
            UNIT.c.state == UnitState.QUEUED.value,
            UNIT.c.message_sent_at == 0.0,
            UNIT.c.not_before <= now,
        )
        .limit(count)
    )


def mark_unsent(connection: sa.Connection, count: int) -> list[UnitKey]:
    """Return queued units without a message, at most ``count``, marked as sent.

    Their order does not matter: a message only says that there is work. None is sent twice, because
    a worker without messages looks into the queue by itself.
    """
    now = read_clock(connection)
    unsent = connection.execute(select_unsent(now, count))
    keys = [(row.evaluation_id, row.number) for row in unsent]
    for evaluation_id, number in keys:
        connection.execute(
            sa.update(UNIT)
            .where(UNIT.c.evaluation_id == evaluation_id, UNIT.c.number == number)
            .values(message_sent_at=now),
        )
    return keys


def fill_in_owners(connection: sa.Connection) -> None:
    """Set the owner of units that the previous release queued without an owner."""
    owner = (
        sa.select(EVALUATION.c.owner_id)
        .where(EVALUATION.c.id == UNIT.c.evaluation_id)
        .scalar_subquery()
    )
    connection.execute(
        sa.update(UNIT)
        .where(UNIT.c.state == UnitState.QUEUED.value, UNIT.c.owner_id.is_(None))
        .values(owner_id=owner)
    )
