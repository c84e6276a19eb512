"""Results, written once."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.storage.models import EvaluationResult, table_of

_C = table_of(EvaluationResult).c
_INSERT = sa.insert(table_of(EvaluationResult))
_GET = sa.select(_C.body, _C.losses_file).where(_C.evaluation_id == sa.bindparam("wanted"))


def get(session: Session, evaluation_id: UUID) -> sa.Row[str, str | None] | None:
    """Return the stored result and the name of its loss table."""
    return session.execute(_GET, {"wanted": evaluation_id}).one_or_none()


def insert(session: Session, evaluation_id: UUID, body: str, losses_file: str | None) -> None:
    """Store the result; the primary key lets it be written once."""
    row = {
        "evaluation_id": evaluation_id,
        "body": body,
        "losses_file": losses_file,
        "created_at": datetime.now(UTC),
    }
    session.execute(_INSERT, row)
