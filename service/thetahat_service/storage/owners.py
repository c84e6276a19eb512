"""The owners of evaluations and data sets."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final
from uuid import UUID, uuid4

import sqlalchemy as sa

from thetahat_service.storage.tables import OWNER

LOCAL_OWNER_ID: Final = UUID("00000000-0000-4000-8000-000000000001")
"""The owner of what is sent without a key; the first migration inserts it."""


def find_or_make(connection: sa.Connection, name: str) -> UUID:
    """Return the owner of a name, who is made if there is none."""
    owner_id: UUID | None = connection.scalar(sa.select(OWNER.c.id).where(OWNER.c.name == name))
    if owner_id is None:
        owner_id = uuid4()
        now = datetime.now(UTC)
        connection.execute(sa.insert(OWNER).values(id=owner_id, name=name, created_at=now))
    return owner_id
