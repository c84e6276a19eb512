"""What happened to an evaluation, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.storage.models import Event, table_of

_INSERT = sa.insert(table_of(Event))


def add(
    session: Session | sa.Connection,
    evaluation_id: UUID,
    number: int,
    event: str,
    data: Mapping[str, Any],
) -> None:
    """Append to an evaluation's events; the number is the version it brought."""
    add_all(session, [(evaluation_id, number)], event, data)


def add_all(
    session: Session | sa.Connection,
    versions: Sequence[tuple[UUID, int]],
    event: str,
    data: Mapping[str, Any],
) -> None:
    """Append the same event to each of several evaluations, with the version it brought."""
    same = {"at": datetime.now(UTC), "type": event, "data": dict(data)}
    rows = [{"evaluation_id": i, "number": number, **same} for i, number in versions]
    session.execute(_INSERT, rows)


def after(session: Session, evaluation_id: UUID, number: int) -> Sequence[sa.Row[Any]]:
    """Return an evaluation's events whose number is above ``number``, in order."""
    statement = (
        sa.select(Event.number, Event.at, Event.type, Event.data)
        .where(Event.evaluation_id == evaluation_id, Event.number > number)
        .order_by(Event.number)
    )
    return session.execute(statement).all()
