"""The events of an evaluation, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.json_types import JsonObject
from thetahat_service.storage.rows import StoredRows
from thetahat_service.storage.tables import EVENT

_INSERT = sa.insert(EVENT)


@dataclass(frozen=True, slots=True)
class EventRow:
    """One event of an evaluation."""

    number: int
    at: datetime
    type: str
    data: JsonObject


ROWS: Final = StoredRows(EVENT, EventRow)


def add(
    connection: sa.Connection,
    evaluation_id: UUID,
    number: int,
    event: str,
    data: Mapping[str, object],
) -> None:
    """Append an event; its number is the evaluation's new version."""
    add_all(connection, [(evaluation_id, number)], event, data)


def add_all(
    connection: sa.Connection,
    versions: Sequence[tuple[UUID, int]],
    event: str,
    data: Mapping[str, object],
) -> None:
    """Append the same event to several evaluations, each with its new version."""
    same = {"at": datetime.now(UTC), "type": event, "data": dict(data)}
    rows = [{"evaluation_id": i, "number": number, **same} for i, number in versions]
    connection.execute(_INSERT, rows)


def list_after(connection: sa.Connection, evaluation_id: UUID, number: int) -> list[EventRow]:
    """Return an evaluation's events whose number is above ``number``, in order."""
    later = ROWS.select(EVENT.c.evaluation_id == evaluation_id, EVENT.c.number > number)
    return ROWS.read(connection, later.order_by(EVENT.c.number))
