"""Sessions of browsers that have logged in, with a key or at the provider of identities.

Of each only a digest is stored.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.process.request_context import Scope
from thetahat_service.storage import api_keys, audit, owners
from thetahat_service.storage.api_keys import Credential
from thetahat_service.storage.audit import Action, Origin
from thetahat_service.storage.tables import API_KEY, PERSON_SESSION, SESSION

LONGEST_SUBJECT: Final = 200


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


def create_for_person(  # noqa: PLR0913 - each is a part of the session
    connection: sa.Connection,
    owner: str,
    issuer: str,
    subject: str,
    actor: str,
    scope: Scope,
    lifetime: timedelta,
) -> str:
    """Create a session of a person and return its token; the owner is made if needed."""
    now, token = datetime.now(UTC), secrets.token_urlsafe(32)
    owner_id = owners.find_or_make(connection, owner)
    connection.execute(sa.delete(PERSON_SESSION).where(PERSON_SESSION.c.expires_at <= now))
    connection.execute(
        sa.insert(PERSON_SESSION).values(
            digest=compute_digest(token),
            owner_id=owner_id,
            issuer=issuer,
            actor=actor,
            scope=scope.value,
            created_at=now,
            expires_at=now + lifetime,
        )
    )
    origin = Origin(actor, Origin.read_current().request_id)
    audit.add(connection, Action.LOG_IN, subject[:LONGEST_SUBJECT], owner_id, origin)
    return token


def find(connection: sa.Connection, token: str, issuer: str) -> Credential | None:
    """Return what a session allows; None if it has ended, or its key is not in force.

    ``issuer`` is the provider of identities; sessions of persons of other ones have ended.
    """
    return _find_of_key(connection, token) or _find_of_person(connection, token, issuer)


def _find_of_person(connection: sa.Connection, token: str, issuer: str) -> Credential | None:
    statement = sa.select(
        PERSON_SESSION.c.owner_id, PERSON_SESSION.c.actor, PERSON_SESSION.c.scope
    ).where(
        PERSON_SESSION.c.digest == compute_digest(token),
        PERSON_SESSION.c.issuer == issuer,
        PERSON_SESSION.c.expires_at > datetime.now(UTC),
    )
    row = connection.execute(statement).one_or_none()
    if row is None:
        return None
    return Credential(None, row.owner_id, "", Scope(row.scope), row.actor, None)


def _find_of_key(connection: sa.Connection, token: str) -> Credential | None:
    statement = (
        api_keys.select_in_force()
        .join(SESSION, SESSION.c.key_id == API_KEY.c.id)
        .where(SESSION.c.digest == compute_digest(token), SESSION.c.expires_at > datetime.now(UTC))
    )
    return api_keys.read_credential(connection, statement)


def end(connection: sa.Connection, token: str, owner_id: UUID, prefix: str) -> None:
    """End a session."""
    for table in (SESSION, PERSON_SESSION):
        connection.execute(sa.delete(table).where(table.c.digest == compute_digest(token)))
    audit.add(connection, Action.LOG_OUT, prefix, owner_id)
