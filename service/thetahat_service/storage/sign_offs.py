"""Sign-offs of results: they are added, never changed, and deleted only with the evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.storage.newest_first import Position, select_newest
from thetahat_service.storage.rows import StoredRows
from thetahat_service.storage.tables import OWNER, SIGN_OFF

_C = SIGN_OFF.c


@dataclass(frozen=True, slots=True, kw_only=True)
class SignOffRow:
    """One sign-off."""

    id: UUID
    evaluation_id: UUID
    """Its id, and the evaluation whose result was signed."""
    at: datetime
    """When it was signed."""
    name: str
    """Who signs, in their own words."""
    owner: str
    actor: str
    """Name of the owner of the API key, and the beginning of the key (``local`` without one)."""
    decision: str
    """``approved``, ``rejected`` or ``needs_changes``."""
    comment: str
    """Reasons and conditions; may be empty."""
    result_sha256: str
    """SHA-256 of the result that was signed, as ``GET .../result`` sent it."""


ROWS: Final = StoredRows(SIGN_OFF, SignOffRow)


def get_newest(connection: sa.Connection, evaluation_id: UUID) -> SignOffRow | None:
    """Return the sign-off that is in force; None if nobody has signed."""
    rows = list_page(connection, evaluation_id, None, 1)
    return rows[0] if rows else None


def list_page(
    connection: sa.Connection,
    evaluation_id: UUID,
    before: Position | None,
    limit: int,
) -> list[SignOffRow]:
    """Return sign-offs of an evaluation, newest first, that are older than ``before``."""
    statement = ROWS.select(_C.evaluation_id == evaluation_id)
    statement = select_newest(statement, _C.at, _C.id, before, limit)
    return ROWS.read(connection, statement)


def get_owner_name(connection: sa.Connection, owner_id: UUID) -> str:
    """Return the name of an owner."""
    name: str = connection.scalars(sa.select(OWNER.c.name).where(OWNER.c.id == owner_id)).one()
    return name
