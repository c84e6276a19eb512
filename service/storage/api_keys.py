"""API keys: made, shown once, kept as a digest, revoked."""

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
from sqlalchemy.orm import Session

from service.storage.models import ApiKey, Owner

FORM: Final = re.compile(r"th_[0-9a-f]{8}_[A-Za-z0-9_-]{43}")
PREFIX_LENGTH: Final = len("th_01234567")


@dataclass(frozen=True, slots=True)
class KeyRow:
    """What is kept of a key."""

    id: UUID
    owner: str
    name: str
    prefix: str
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Credential:
    """What a request's key is compared with."""

    id: UUID
    owner_id: UUID
    digest: str


def digest_of(key: str) -> str:
    """Return the SHA-256 of a key: it has 256 random bits, so a slow hash would add nothing."""
    return hashlib.sha256(key.encode()).hexdigest()


def create(session: Session, name: str, owner: str) -> str:
    """Make a key for an owner, who is made too if there is none of that name, and return it."""
    owner_id = session.execute(sa.select(Owner.id).where(Owner.name == owner)).scalar_one_or_none()
    now = datetime.now(UTC)
    if owner_id is None:
        owner_id = uuid4()
        session.execute(sa.insert(Owner).values(id=owner_id, name=owner, created_at=now))
    key = f"th_{secrets.token_hex(4)}_{secrets.token_urlsafe(32)}"
    session.execute(
        sa.insert(ApiKey).values(
            id=uuid4(),
            owner_id=owner_id,
            name=name,
            prefix=key[:PREFIX_LENGTH],
            digest=digest_of(key),
            created_at=now,
        )
    )
    return key


def exist(session: Session) -> bool:
    """Say whether any key was ever made; revoking the last one must not open the door."""
    return bool(session.execute(sa.select(sa.exists(sa.select(ApiKey.id)))).scalar_one())


def find(session: Session, prefix: str) -> Credential | None:
    """Return what a key of that prefix is compared with; None if there is none, or not any more."""
    statement = sa.select(ApiKey.id, ApiKey.owner_id, ApiKey.digest).where(
        ApiKey.prefix == prefix, ApiKey.revoked_at.is_(None)
    )
    row = session.execute(statement).one_or_none()
    return None if row is None else Credential(*row)


def touch(session: Session, key_id: UUID) -> None:
    """Note that a key was used."""
    session.execute(
        sa.update(ApiKey).where(ApiKey.id == key_id).values(last_used_at=datetime.now(UTC))
    )


def list_all(session: Session) -> Sequence[KeyRow]:
    """Return every key that was made, oldest first."""
    statement = (
        sa.select(
            ApiKey.id,
            Owner.name,
            ApiKey.name,
            ApiKey.prefix,
            ApiKey.created_at,
            ApiKey.last_used_at,
            ApiKey.revoked_at,
        )
        .join(Owner, Owner.id == ApiKey.owner_id)
        .order_by(ApiKey.created_at, ApiKey.id)
    )
    return [KeyRow(*row) for row in session.execute(statement)]


def revoke(session: Session, prefix: str) -> bool:
    """Revoke the key of that prefix; False when there is none in force."""
    statement = (
        sa.update(ApiKey)
        .where(ApiKey.prefix == prefix, ApiKey.revoked_at.is_(None))
        .values(revoked_at=datetime.now(UTC))
        .returning(ApiKey.id)
    )
    return session.execute(statement).scalar_one_or_none() is not None
