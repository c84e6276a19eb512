"""API keys: created, shown once, stored as a digest, and revoked."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID, uuid4

import sqlalchemy as sa

from service.storage.tables import API_KEY, OWNER

FORM: Final = re.compile(r"th_[0-9a-f]{8}_[A-Za-z0-9_-]{43}")
PREFIX_LENGTH: Final = len("th_01234567")


@dataclass(frozen=True, slots=True)
class KeyRow:
    """What is stored of a key."""

    id: UUID
    owner: str
    name: str
    prefix: str
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Credential:
    """The digest of a key, to compare with that of a request's key."""

    id: UUID
    owner_id: UUID
    digest: str


def compute_digest(key: str) -> str:
    """Return the SHA-256 of a key: it has 256 random bits, so a slow hash would add nothing."""
    return hashlib.sha256(key.encode()).hexdigest()


def create(connection: sa.Connection, name: str, owner: str) -> str:
    """Create a key, and its owner if there is none of that name, and return the key."""
    owner_id = connection.execute(
        sa.select(OWNER.c.id).where(OWNER.c.name == owner)
    ).scalar_one_or_none()
    now = datetime.now(UTC)
    if owner_id is None:
        owner_id = uuid4()
        connection.execute(sa.insert(OWNER).values(id=owner_id, name=owner, created_at=now))
    key = f"th_{secrets.token_hex(4)}_{secrets.token_urlsafe(32)}"
    connection.execute(
        sa.insert(API_KEY).values(
            id=uuid4(),
            owner_id=owner_id,
            name=name,
            prefix=key[:PREFIX_LENGTH],
            digest=compute_digest(key),
            created_at=now,
        )
    )
    return key


def exist(connection: sa.Connection) -> bool:
    """Return whether any key was ever created; revoked keys count too.

    Otherwise revoking the last key would let requests in without one.
    """
    return bool(connection.execute(sa.select(sa.exists(sa.select(API_KEY.c.id)))).scalar_one())


def find(connection: sa.Connection, prefix: str) -> Credential | None:
    """Return the credential of the key with that prefix; None if there is none or it is revoked."""
    statement = sa.select(API_KEY.c.id, API_KEY.c.owner_id, API_KEY.c.digest).where(
        API_KEY.c.prefix == prefix, API_KEY.c.revoked_at.is_(None)
    )
    row = connection.execute(statement).one_or_none()
    return None if row is None else Credential(*row)


def record_use(connection: sa.Connection, key_id: UUID) -> None:
    """Store the time at which a key was used."""
    connection.execute(
        sa.update(API_KEY).where(API_KEY.c.id == key_id).values(last_used_at=datetime.now(UTC))
    )


def list_all(connection: sa.Connection) -> Sequence[KeyRow]:
    """Return every key that was ever created, oldest first."""
    statement = (
        sa.select(
            API_KEY.c.id,
            OWNER.c.name,
            API_KEY.c.name,
            API_KEY.c.prefix,
            API_KEY.c.created_at,
            API_KEY.c.last_used_at,
            API_KEY.c.revoked_at,
        )
        .join(OWNER, OWNER.c.id == API_KEY.c.owner_id)
        .order_by(API_KEY.c.created_at, API_KEY.c.id)
    )
    return [KeyRow(*row) for row in connection.execute(statement)]


def revoke(connection: sa.Connection, prefix: str) -> bool:
    """Revoke the key of that prefix; False if there is none, or it was revoked before."""
    statement = (
        sa.update(API_KEY)
        .where(API_KEY.c.prefix == prefix, API_KEY.c.revoked_at.is_(None))
        .values(revoked_at=datetime.now(UTC))
        .returning(API_KEY.c.id)
    )
    return connection.execute(statement).scalar_one_or_none() is not None
