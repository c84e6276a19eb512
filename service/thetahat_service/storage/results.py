"""Results, written once."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.storage.tables import EVALUATION_RESULT

_C = EVALUATION_RESULT.c
_INSERT = sa.insert(EVALUATION_RESULT)
_GET = sa.select(_C.body, _C.losses_file).where(_C.evaluation_id == sa.bindparam("wanted"))


def get(connection: sa.Connection, evaluation_id: UUID) -> sa.Row[str, str | None] | None:
    """Return the stored result and the name of its loss table."""
    return connection.execute(_GET, {"wanted": evaluation_id}).one_or_none()


def insert(
    connection: sa.Connection, evaluation_id: UUID, body: str, losses_file: str | None
) -> None:
    """Store the result; the primary key lets it be written once."""
    row = {
        "evaluation_id": evaluation_id,
        "body": body,
        "losses_file": losses_file,
        "created_at": datetime.now(UTC),
    }
    connection.execute(_INSERT, row)
