"""The table of protocols."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.storage.engine import read_clock
from thetahat_service.storage.owned_rows import KeyedRows
from thetahat_service.storage.tables import DATASET, EVALUATION, PROTOCOL, SERIES

_P = PROTOCOL.c


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolRow:
    """A protocol as it is stored."""

    id: UUID
    owner_id: UUID
    name: str | None
    request: str
    evaluations: int
    series: int
    key: str | None
    fingerprint: str
    created_at: datetime
    withdrawn_at: datetime | None
    withdrawn_reason: str | None


ROWS: Final = KeyedRows(PROTOCOL, ProtocolRow, "protocol", "protocols")
_IS_NAMED = sa.or_(
    sa.exists().where(EVALUATION.c.protocol_id == _P.id),
    sa.exists().where(SERIES.c.protocol_id == _P.id),
)


def read_time(connection: sa.Connection, owner_id: UUID) -> datetime:
    """Return the time by the database's clock, or that of the owner's newest data if it is later.

    Data sets and evaluations have the time of the process that received them, whose clock may be
    ahead: what is there before a protocol must never look as if it had come after it.
    """
    now = datetime.fromtimestamp(read_clock(connection), UTC)
    newest: list[datetime | None] = [
        connection.execute(
            sa.select(sa.func.max(table.c.created_at)).where(table.c.owner_id == owner_id)
        ).scalar_one()
        for table in (DATASET, EVALUATION)
    ]
    return max([now, *(moment for moment in newest if moment is not None)])


def count_use(
    connection: sa.Connection, owner_id: UUID, protocol_id: UUID, user: str
) -> ProtocolRow | None:
    """Count one more evaluation or series that names a protocol; None if it is gone.

    The row stays locked until the transaction ends, so that each has a number of its own. ``user``
    is ``evaluations`` or ``series``.
    """
    statement = (
        sa.update(PROTOCOL)
        .where(_P.id == protocol_id, _P.owner_id == owner_id)
        .values({user: _P[user] + 1})
        .returning(*ROWS.columns)
    )
    return ROWS.read_one(connection, statement)


def get_request_of_evaluation(connection: sa.Connection, evaluation_id: UUID) -> str | None:
    """Return what the protocol of an evaluation fixes; None without one."""
    statement = (
        sa.select(_P.request)
        .join(EVALUATION, EVALUATION.c.protocol_id == _P.id)
        .where(EVALUATION.c.id == evaluation_id)
    )
    return connection.execute(statement).scalar_one_or_none()


def delete_unnamed(connection: sa.Connection, protocol_id: UUID) -> bool:
    """Delete a protocol; False, and nothing is deleted, if an evaluation or a series names it.

    The caller has locked it, and what names it is stored only with its lock.
    """
    statement = sa.delete(PROTOCOL).where(_P.id == protocol_id, ~_IS_NAMED).returning(_P.id)
    return connection.execute(statement).one_or_none() is not None


def list_withdrawn_before(connection: sa.Connection, before: datetime, limit: int) -> list[UUID]:
    """Return protocols that nothing names and that were withdrawn before a moment."""
    statement = (
        sa.select(_P.id)
        .where(_P.withdrawn_at < before, ~_IS_NAMED)
        .order_by(_P.withdrawn_at)
        .limit(limit)
    )
    return list(connection.scalars(statement))


def lock_some(connection: sa.Connection, protocol_ids: Collection[UUID]) -> dict[UUID, UUID]:
    """Lock protocols until the transaction ends; return the owner of each that is there, by id."""
    statement = (
        sa.select(_P.id, _P.owner_id)
        .where(_P.id.in_(protocol_ids))
        .order_by(_P.id)
        .with_for_update()
    )
    return {row.id: row.owner_id for row in connection.execute(statement)}
