"""The tables of series and of their looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.states import SeriesStatus
from thetahat_service.storage.owned_rows import KeyedRows
from thetahat_service.storage.rows import StoredRows
from thetahat_service.storage.tables import SERIES, SERIES_LOOK

_S, _L = SERIES.c, SERIES_LOOK.c


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesRow:
    """A series as it is stored."""

    id: UUID
    owner_id: UUID
    name: str | None
    labels: Mapping[str, str]
    request: str
    status: str
    batches: int
    state: Mapping[str, Any]
    decision: str | None
    decided_at: datetime | None
    key: str | None
    fingerprint: str
    created_at: datetime
    last_batch_at: datetime | None
    closed_at: datetime | None
    protocol_id: UUID | None
    protocol: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LookRow:
    """What the look after a batch has shown."""

    series_id: UUID
    number: int
    key: str
    fingerprint: str
    at: datetime
    received_at: datetime
    body: str
    """JSON text, as it is sent."""


ROWS: Final = KeyedRows(SERIES, SeriesRow, "series", "series")
LOOKS: Final = StoredRows(SERIES_LOOK, LookRow)


def advance(
    connection: sa.Connection, series_id: UUID, batches: int, values: Mapping[str, Any]
) -> bool:
    """Store the state after one more batch; False if there are not so many batches any more.

    The condition is what numbers the batches: of two that were computed from the same state, the
    database lets one be stored.
    """
    statement = (
        sa.update(SERIES)
        .where(_S.id == series_id, _S.batches == batches, _S.status == SeriesStatus.OPEN.value)
        .values(batches=batches + 1, **values)
        .returning(_S.id)
    )
    return connection.execute(statement).one_or_none() is not None


def list_closed_before(connection: sa.Connection, before: datetime, limit: int) -> list[UUID]:
    """Return series that were closed before a moment, the oldest first."""
    statement = sa.select(_S.id).where(_S.closed_at < before).order_by(_S.closed_at).limit(limit)
    return list(connection.scalars(statement))


def delete_closed(connection: sa.Connection, series_id: UUID, before: datetime) -> UUID | None:
    """Delete a series of ``list_closed_before``, and return its owner; None if it is gone."""
    statement = (
        sa.delete(SERIES).where(_S.id == series_id, _S.closed_at < before).returning(_S.owner_id)
    )
    return connection.execute(statement).scalar_one_or_none()


def insert_look(connection: sa.Connection, look: LookRow) -> None:
    """Store a look; a second one with the key or the number violates a constraint."""
    LOOKS.insert(connection, look)


def find_look(connection: sa.Connection, series_id: UUID, key: str) -> LookRow | None:
    """Return the look after the batch with this Idempotency-Key."""
    return LOOKS.read_one(connection, LOOKS.select(_L.series_id == series_id, _L.key == key))


def list_looks(
    connection: sa.Connection, series_id: UUID, before: int | None, limit: int
) -> list[LookRow]:
    """Return looks, newest first, with numbers below ``before``."""
    statement = LOOKS.select(_L.series_id == series_id).order_by(_L.number.desc()).limit(limit)
    if before is not None:
        statement = statement.where(_L.number < before)
    return LOOKS.read(connection, statement)


def list_spread_looks(
    connection: sa.Connection, series_id: UUID, step: int, last: int
) -> list[LookRow]:
    """Return the looks up to the last whose numbers are multiples of the step, oldest first."""
    spread = _L.number.in_(range(step, last + 1, step))
    statement = LOOKS.select(_L.series_id == series_id, spread).order_by(_L.number)
    return LOOKS.read(connection, statement)
