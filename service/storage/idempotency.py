"""The first answer to a request that may come twice."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.storage.models import IdempotencyKey, table_of

_KEYS = table_of(IdempotencyKey).c
_INSERT = sa.insert(table_of(IdempotencyKey))
_FIND = sa.select(_KEYS.fingerprint, _KEYS.evaluation_id).where(
    _KEYS.owner_id == sa.bindparam("owner"), _KEYS.key == sa.bindparam("name")
)


def find(session: Session, owner_id: UUID, key: str) -> sa.Row[str, UUID] | None:
    """Return the fingerprint of the first request with this key and the evaluation it made."""
    return session.execute(_FIND, {"owner": owner_id, "name": key}).one_or_none()


def insert(
    session: Session | sa.Connection,
    owner_id: UUID,
    key: str,
    fingerprint: str,
    evaluation_id: UUID,
) -> None:
    """Store a key; a second one of the same owner breaks the primary key."""
    row = {
        "owner_id": owner_id,
        "key": key,
        "fingerprint": fingerprint,
        "evaluation_id": evaluation_id,
        "created_at": datetime.now(UTC),
    }
    session.execute(_INSERT, row)
