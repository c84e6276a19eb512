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
    row = {
        "evaluation_id": evaluation_id,
        "number": number,
        "at": datetime.now(UTC),
        "type": event,
        "data": dict(data),
    }
    session.execute(_INSERT, row)


def after(session: Session, evaluation_id: UUID, number: int) -> Sequence[sa.Row[Any]]:
    """Return an evaluation's events whose number is above ``number``, in order."""
    statement = (
        sa.select(Event.number, Event.at, Event.type, Event.data)
        .where(Event.evaluation_id == evaluation_id, Event.number > number)
        .order_by(Event.number)
    )
    return session.execute(statement).all()
