"""The audit log: who did what, written in the transaction that does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final
from uuid import UUID, uuid4

import sqlalchemy as sa

from thetahat_service.process.request_context import CALLER, REQUEST_ID
from thetahat_service.storage.newest_first import Position, select_newest
from thetahat_service.storage.rows import StoredRows
from thetahat_service.storage.tables import AUDIT_ENTRY

COMMAND_LINE: Final = "command line"
SERVICE: Final = "service"


class Action(StrEnum):
    """The kinds of changes that are written to the audit log."""

    SUBMIT_EVALUATION = "evaluation.submit"
    CANCEL_EVALUATION = "evaluation.cancel"
    DELETE_EVALUATION = "evaluation.delete"
    SIGN_EVALUATION = "evaluation.sign_off"
    UPLOAD_DATASET = "dataset.upload"
    IMPORT_DATASET = "dataset.import"
    DELETE_DATASET = "dataset.delete"
    CREATE_SERIES = "series.create"
    ADD_TO_SERIES = "series.add"
    CLOSE_SERIES = "series.close"
    DELETE_SERIES = "series.delete"
    CREATE_PROTOCOL = "protocol.create"
    WITHDRAW_PROTOCOL = "protocol.withdraw"
    DELETE_PROTOCOL = "protocol.delete"
    CREATE_KEY = "key.create"
    REVOKE_KEY = "key.revoke"
    ROTATE_KEY = "key.rotate"
    CREATE_WEBHOOK = "webhook.create"
    DELETE_WEBHOOK = "webhook.delete"
    ROTATE_WEBHOOK_SECRET = "webhook.rotate_secret"  # noqa: S105 - an action
    SEND_WEBHOOK_AGAIN = "webhook.send_again"
    LOG_IN = "session.log_in"
    LOG_OUT = "session.log_out"
    REFUSE_KEY = "key.refuse"
    REFUSE_LOG_IN = "session.refuse"


@dataclass(frozen=True, slots=True)
class Origin:
    """Who asked for a change: the actor, and the id of the HTTP request."""

    actor: str
    request_id: str | None

    @classmethod
    def read_current(cls) -> Origin:
        """Return the origin of the request that is being answered; else it is a command."""
        caller = CALLER.get()
        return cls(COMMAND_LINE if caller is None else caller.actor, REQUEST_ID.get())


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One entry of the audit log."""

    id: UUID
    at: datetime
    owner_id: UUID | None
    actor: str
    action: str
    subject: str
    request_id: str | None


BY_SERVICE: Final = Origin(SERVICE, None)
"""Of what the service does by itself."""
ROWS: Final = StoredRows(AUDIT_ENTRY, AuditRow)
_INSERT = sa.insert(AUDIT_ENTRY)


def add(
    connection: sa.Connection,
    action: Action,
    subject: object,
    owner_id: UUID | None,
    origin: Origin | None = None,
) -> None:
    """Write an entry; without an origin, that of the current request or the command line."""
    add_all(connection, action, [(subject, owner_id, origin or Origin.read_current())])


def add_all(
    connection: sa.Connection,
    action: Action,
    entries: Sequence[tuple[object, UUID | None, Origin]],
) -> None:
    """Write entries of one action: the subject, its owner and the origin of each."""
    now = datetime.now(UTC)
    rows: list[dict[str, object]] = [
        {
            "id": uuid4(),
            "at": now,
            "owner_id": owner_id,
            "actor": origin.actor,
            "action": action.value,
            "subject": str(subject),
            "request_id": origin.request_id,
        }
        for subject, owner_id, origin in entries
    ]
    connection.execute(_INSERT, rows)


def list_page(
    connection: sa.Connection,
    before: Position | None,
    limit: int,
    subject: str | None = None,
) -> list[AuditRow]:
    """Return entries, newest first, that are older than ``before``."""
    statement = ROWS.select()
    if subject is not None:
        statement = statement.where(AUDIT_ENTRY.c.subject == subject)
    statement = select_newest(statement, AUDIT_ENTRY.c.at, AUDIT_ENTRY.c.id, before, limit)
    return ROWS.read(connection, statement)


def remove_before(connection: sa.Connection, moment: datetime, limit: int) -> int:
    """Delete the oldest entries before a moment, at most ``limit``, and return how many."""
    oldest = (
        sa.select(AUDIT_ENTRY.c.id)
        .where(AUDIT_ENTRY.c.at < moment)
        .order_by(AUDIT_ENTRY.c.at, AUDIT_ENTRY.c.id)
        .limit(limit)
    )
    removed = connection.execute(sa.delete(AUDIT_ENTRY).where(AUDIT_ENTRY.c.id.in_(oldest)))
    return removed.rowcount
