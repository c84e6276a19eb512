"""The idempotency keys of requests that may be sent twice."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.storage.tables import IDEMPOTENCY_KEY

_KEYS = IDEMPOTENCY_KEY.c
_INSERT = sa.insert(IDEMPOTENCY_KEY)
_FIND = sa.select(_KEYS.fingerprint, _KEYS.evaluation_id).where(
    _KEYS.owner_id == sa.bindparam("owner"), _KEYS.key == sa.bindparam("name")
)


def find(connection: sa.Connection, owner_id: UUID, key: str) -> sa.Row[str, UUID] | None:
    """Return the fingerprint of the first request with this key and the evaluation it made."""
    return connection.execute(_FIND, {"owner": owner_id, "name": key}).one_or_none()


def insert(
    connection: sa.Connection,
    owner_id: UUID,
    key: str,
    fingerprint: str,
    evaluation_id: UUID,
) -> None:
    """Store a key; a second one of the same owner violates the primary key."""
    row = {
        "owner_id": owner_id,
        "key": key,
        "fingerprint": fingerprint,
        "evaluation_id": evaluation_id,
        "created_at": datetime.now(UTC),
    }
    connection.execute(_INSERT, row)
