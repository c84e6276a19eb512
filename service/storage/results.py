"""Results, written once."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.storage.models import EvaluationResult


def get(session: Session, evaluation_id: UUID) -> sa.Row[str, str | None] | None:
    """Return the stored result and the name of its loss table."""
    statement = sa.select(EvaluationResult.body, EvaluationResult.losses_file).where(
        EvaluationResult.evaluation_id == evaluation_id
    )
    return session.execute(statement).one_or_none()


def insert(session: Session, evaluation_id: UUID, body: str, losses_file: str | None) -> None:
    """Store the result; the primary key lets it be written once."""
    session.execute(
        sa.insert(EvaluationResult).values(
            evaluation_id=evaluation_id,
            body=body,
            losses_file=losses_file,
            created_at=datetime.now(UTC),
        )
    )
