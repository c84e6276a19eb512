"""The first answer to a request that may come twice."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.storage.models import IdempotencyKey


def find(session: Session, owner_id: UUID, key: str) -> sa.Row[str, UUID] | None:
    """Return the fingerprint of the first request with this key and the evaluation it made."""
    statement = sa.select(IdempotencyKey.fingerprint, IdempotencyKey.evaluation_id).where(
        IdempotencyKey.owner_id == owner_id, IdempotencyKey.key == key
    )
    return session.execute(statement).one_or_none()


def insert(
    session: Session, owner_id: UUID, key: str, fingerprint: str, evaluation_id: UUID
) -> None:
    """Store a key; a second one of the same owner breaks the primary key."""
    session.execute(
        sa.insert(IdempotencyKey).values(
            owner_id=owner_id,
            key=key,
            fingerprint=fingerprint,
            evaluation_id=evaluation_id,
            created_at=datetime.now(UTC),
        )
    )
