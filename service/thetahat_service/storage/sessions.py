"""Sessions of browsers that have logged in with a key; of each only a digest is stored."""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime, timedelta
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.process.request_context import Scope
from thetahat_service.storage import audit
from thetahat_service.storage.api_keys import Credential
from thetahat_service.storage.audit import Action, Origin
from thetahat_service.storage.tables import API_KEY, SESSION


def compute_digest(token: str) -> str:
    """Return the SHA-256 of a session's token, which has 256 random bits."""
    return hashlib.sha256(f"session {token}".encode()).hexdigest()


def create(
    connection: sa.Connection, key_id: UUID, owner_id: UUID, prefix: str, lifetime: timedelta
) -> str:
    """Create a session of a key and return its token; ended sessions are deleted."""
    now, token = datetime.now(UTC), secrets.token_urlsafe(32)
    connection.execute(sa.delete(SESSION).where(SESSION.c.expires_at <= now))
    connection.execute(
        sa.insert(SESSION).values(
            digest=compute_digest(token), key_id=key_id, created_at=now, expires_at=now + lifetime
        )
    )
    origin = Origin(prefix, Origin.read_current().request_id)
    audit.add(connection, Action.LOG_IN, prefix, owner_id, origin)
    return token


def find(connection: sa.Connection, token: str) -> Credential | None:
    """Return the key of a session; None if the session has ended or the key is not in force."""
    now = datetime.now(UTC)
    statement = (
        sa.select(
            API_KEY.c.id,
            API_KEY.c.owner_id,
            API_KEY.c.digest,
            API_KEY.c.scope,
            API_KEY.c.prefix,
            API_KEY.c.expires_at,
        )
        .join(SESSION, SESSION.c.key_id == API_KEY.c.id)
        .where(
            SESSION.c.digest == compute_digest(token),
            SESSION.c.expires_at > now,
            API_KEY.c.revoked_at.is_(None),
            sa.or_(API_KEY.c.expires_at.is_(None), API_KEY.c.expires_at > now),
        )
    )
    row = connection.execute(statement).one_or_none()
    if row is None:
        return None
    return Credential(
        row.id, row.owner_id, row.digest, Scope(row.scope), row.prefix, row.expires_at
    )


def end(connection: sa.Connection, token: str, owner_id: UUID, prefix: str) -> None:
    """End a session."""
    connection.execute(sa.delete(SESSION).where(SESSION.c.digest == compute_digest(token)))
    audit.add(connection, Action.LOG_OUT, prefix, owner_id)
