"""API keys: created, shown once, stored as a digest, rotated and revoked; each change audited."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid4

import sqlalchemy as sa

from thetahat_service.process.request_context import REQUEST_ID, Scope
from thetahat_service.storage import audit, owners
from thetahat_service.storage.audit import Action, Origin
from thetahat_service.storage.rows import StoredRows
from thetahat_service.storage.tables import API_KEY, OWNER

FORM: Final = re.compile(r"th_[0-9a-f]{8}_[A-Za-z0-9_-]{43}")
PREFIX_LENGTH: Final = len("th_01234567")
LONGEST_ACTOR: Final = 40


@dataclass(frozen=True, slots=True)
class KeyRow:
    """An API key without its secret part."""

    id: UUID
    owner: str
    name: str
    prefix: str
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None
    scope: Scope
    expires_at: datetime | None

    @property
    def state(self) -> str:
        """``in force``, ``revoked`` or ``expired``."""
        if self.revoked_at is not None:
            return "revoked"
        is_expired = self.expires_at is not None and self.expires_at <= datetime.now(UTC)
        return "expired" if is_expired else "in force"


@dataclass(frozen=True, slots=True)
class Credential:
    """What a request's key or session allows."""

    id: UUID | None
    """The key; None for the session of a person without one."""
    owner_id: UUID
    digest: str
    """Of the key, to compare with that of a request's key."""
    scope: Scope
    prefix: str
    expires_at: datetime | None


CREDENTIALS: Final = StoredRows(API_KEY, Credential)


def describe_wrong_key(key: str) -> str:
    """Return what the audit log keeps of a key that is not in force: no part that is secret."""
    return key[:PREFIX_LENGTH] if FORM.fullmatch(key) else "not a key of this service"


def record_wrong_key(
    connection: sa.Connection, described: str, action: Action, address: str
) -> None:
    """Write an entry of the audit log about a wrong key that an address has sent."""
    origin = Origin(f"address {address}"[:LONGEST_ACTOR], REQUEST_ID.get())
    audit.add(connection, action, described, None, origin)


def compute_digest(key: str) -> str:
    """Return the SHA-256 of a key; a slow hash is not needed, since a key has 256 random bits."""
    return hashlib.sha256(key.encode()).hexdigest()


def create(
    connection: sa.Connection,
    name: str,
    owner: str,
    scope: Scope = Scope.SUBMIT,
    expires_at: datetime | None = None,
) -> str:
    """Create a key, and its owner if there is none of that name, and return the key."""
    key = _insert(connection, name, owner, scope, expires_at)
    audit.add(connection, Action.CREATE_KEY, key[:PREFIX_LENGTH], None)
    return key


def rotate(connection: sa.Connection, prefix: str, grace: timedelta) -> str | None:
    """Return a new key with the name, owner and scope of an old key, which expires after ``grace``.

    The new key lives as long as the old one was meant to live. None if no key in force has the
    prefix.
    """
    old = next((row for row in list_all(connection) if row.prefix == prefix), None)
    if old is None or old.state != "in force":
        return None
    now = datetime.now(UTC)
    lifetime = None if old.expires_at is None else old.expires_at - old.created_at
    key = _insert(
        connection, old.name, old.owner, old.scope, None if lifetime is None else now + lifetime
    )
    end = now + grace if old.expires_at is None else min(old.expires_at, now + grace)
    connection.execute(sa.update(API_KEY).where(API_KEY.c.id == old.id).values(expires_at=end))
    audit.add(connection, Action.ROTATE_KEY, f"{prefix} to {key[:PREFIX_LENGTH]}", None)
    return key


def _insert(
    connection: sa.Connection, name: str, owner: str, scope: Scope, expires_at: datetime | None
) -> str:
    """Store a new key of an owner, who is made if needed, and return the key."""
    owner_id, now = owners.find_or_make(connection, owner), datetime.now(UTC)
    key = f"th_{secrets.token_hex(4)}_{secrets.token_urlsafe(32)}"
    connection.execute(
        sa.insert(API_KEY).values(
            id=uuid4(),
            owner_id=owner_id,
            name=name,
            prefix=key[:PREFIX_LENGTH],
            digest=compute_digest(key),
            created_at=now,
            scope=scope.value,
            expires_at=expires_at,
        )
    )
    return key


def exist(connection: sa.Connection) -> bool:
    """Return whether any key was ever created; revoked keys count too.

    Otherwise revoking the last key would let requests in without one.
    """
    return bool(connection.execute(sa.select(sa.exists(sa.select(API_KEY.c.id)))).scalar_one())


def find(connection: sa.Connection, prefix: str) -> Credential | None:
    """Return the credential of the key in force with that prefix; None if there is none."""
    return read_credential(connection, select_in_force().where(API_KEY.c.prefix == prefix))


def select_in_force() -> sa.Select[Any]:
    """Return the query of the credentials of all keys that are in force now."""
    return CREDENTIALS.select(
        API_KEY.c.revoked_at.is_(None),
        sa.or_(API_KEY.c.expires_at.is_(None), API_KEY.c.expires_at > datetime.now(UTC)),
    )


def read_credential(connection: sa.Connection, statement: sa.Select[Any]) -> Credential | None:
    """Return the only credential of a query; None if there is none."""
    found = CREDENTIALS.read_one(connection, statement)
    return None if found is None else replace(found, scope=Scope(found.scope))


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
            API_KEY.c.scope,
            API_KEY.c.expires_at,
        )
        .join(OWNER, OWNER.c.id == API_KEY.c.owner_id)
        .order_by(API_KEY.c.created_at, API_KEY.c.id)
    )
    return [
        KeyRow(*row[:7], Scope(row.scope), row.expires_at) for row in connection.execute(statement)
    ]


def get(connection: sa.Connection, prefix: str) -> KeyRow:
    """Return the key with a prefix, which must exist."""
    return next(row for row in list_all(connection) if row.prefix == prefix)


def revoke(connection: sa.Connection, prefix: str) -> bool:
    """Revoke the key of that prefix; False if there is none, or it was revoked before."""
    statement = (
        sa.update(API_KEY)
        .where(API_KEY.c.prefix == prefix, API_KEY.c.revoked_at.is_(None))
        .values(revoked_at=datetime.now(UTC))
        .returning(API_KEY.c.id)
    )
    is_revoked = connection.execute(statement).scalar_one_or_none() is not None
    if is_revoked:
        audit.add(connection, Action.REVOKE_KEY, prefix, None)
    return is_revoked
