"""The table of data sets; the bytes are in the file store, once for all owners."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID, uuid5

import sqlalchemy as sa

from thetahat_service.json_types import ColumnDescription, JsonObject
from thetahat_service.states import UNFINISHED
from thetahat_service.storage.newest_first import Position, select_newest
from thetahat_service.storage.owned_rows import OwnedRows
from thetahat_service.storage.tables import DATASET, EVALUATION, EVALUATION_DATASET

NAMESPACE: Final = UUID("6f1d6a0e-5b1c-4f4e-9a35-1f0a4f6f2f11")
MAX_COLUMNS_PER_PAGE: Final = 200_000
LOCK_BITS: Final = 63  # PostgreSQL's advisory locks are named by a signed 64-bit number


@dataclass(frozen=True, slots=True)
class DatasetRow:
    """A data set as its owner sees it."""

    id: UUID
    sha256: str
    media_type: str
    bytes: int
    rows: int
    columns: Sequence[ColumnDescription]
    details: JsonObject
    name: str | None
    created_at: datetime


ROWS: Final = OwnedRows(DATASET, DatasetRow, "data set", "data sets")


def derive_id(owner_id: UUID, media_type: str, sha256: str) -> UUID:
    """Return the id of a file and type, which is the same at each upload."""
    return uuid5(NAMESPACE, f"{owner_id} {media_type} {sha256}")


def lock_bytes(connection: sa.Connection, sha256: str) -> None:
    """Lock a file until the transaction ends, so that no other transaction deletes it.

    SQLite's writing transactions exclude each other anyway.
    """
    if connection.dialect.name == "postgresql":
        key = int(sha256[:16], 16) >> (64 - LOCK_BITS)
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(key)))


def replace_content(connection: sa.Connection, row: DatasetRow) -> None:
    """Store what an upload found in a file that an earlier release read in another way."""
    ROWS.update(connection, row.id, rows=row.rows, columns=row.columns, details=row.details)


def sum_bytes(connection: sa.Connection, owner_id: UUID) -> int:
    """Return the bytes of all data sets of an owner."""
    statement = sa.select(sa.func.coalesce(sa.func.sum(DATASET.c.bytes), 0))
    return int(connection.execute(statement.where(DATASET.c.owner_id == owner_id)).scalar_one())


def get_some(
    connection: sa.Connection, owner_id: UUID, identifiers: Sequence[UUID]
) -> list[DatasetRow]:
    """Return those of an owner's data sets with these ids that exist."""
    statement = ROWS.select(DATASET.c.id.in_(identifiers), DATASET.c.owner_id == owner_id)
    return ROWS.read(connection, statement)


def list_page(
    connection: sa.Connection, owner_id: UUID, before: Position | None, limit: int
) -> tuple[list[DatasetRow], bool]:
    """Return an owner's newest data sets, older than ``before`` unless it is None.

    The second value says whether there are more. A page has fewer data sets than ``limit`` if they
    have very many columns, whose descriptions would fill the memory.
    """
    owned = ROWS.select(DATASET.c.owner_id == owner_id)
    statement = select_newest(owned, DATASET.c.created_at, DATASET.c.id, before, limit + 1)
    rows: list[DatasetRow] = []
    n_columns = 0
    for values in connection.execute(statement):
        row = DatasetRow(*values)
        n_columns += len(row.columns)
        if len(rows) == limit or (rows and n_columns > MAX_COLUMNS_PER_PAGE):
            return rows, True
        rows.append(row)
    return rows, False


def list_of_evaluation(connection: sa.Connection, evaluation_id: UUID) -> list[DatasetRow]:
    """Return the data sets that an evaluation reads, in an order that stays the same."""
    statement = (
        ROWS.select(EVALUATION_DATASET.c.evaluation_id == evaluation_id)
        .join(EVALUATION_DATASET, EVALUATION_DATASET.c.dataset_id == DATASET.c.id)
        .order_by(DATASET.c.created_at, DATASET.c.id)
    )
    return ROWS.read(connection, statement)


def is_in_use(connection: sa.Connection, identifier: UUID) -> bool:
    """Return whether a queued or running evaluation reads the data set."""
    statement = sa.select(
        sa.exists().where(
            EVALUATION_DATASET.c.dataset_id == identifier,
            EVALUATION_DATASET.c.evaluation_id == EVALUATION.c.id,
            EVALUATION.c.status.in_(UNFINISHED),
        )
    )
    return bool(connection.execute(statement).scalar_one())


def delete(connection: sa.Connection, identifier: UUID) -> None:
    """Remove a data set; finished evaluations keep its digest in their provenance."""
    connection.execute(
        sa.delete(EVALUATION_DATASET).where(EVALUATION_DATASET.c.dataset_id == identifier)
    )
    connection.execute(sa.delete(DATASET).where(DATASET.c.id == identifier))


def note_upload(connection: sa.Connection, identifier: UUID) -> bool:
    """Store that a data set was uploaded again now; False if it has been deleted."""
    statement = (
        sa.update(DATASET)
        .where(DATASET.c.id == identifier)
        .values(last_uploaded_at=datetime.now(UTC))
        .returning(DATASET.c.id)
    )
    return connection.execute(statement).one_or_none() is not None


def list_unused(connection: sa.Connection, before: datetime, limit: int) -> list[UUID]:
    """Return data sets that were last uploaded before a moment and that no evaluation names."""
    statement = (
        sa.select(DATASET.c.id)
        .where(*_select_unused_since(before))
        .order_by(DATASET.c.created_at)
        .limit(limit)
    )
    return list(connection.scalars(statement))


def delete_unused(
    connection: sa.Connection, identifier: UUID, before: datetime
) -> tuple[UUID, str] | None:
    """Delete a data set of ``list_unused``, and return its owner and digest.

    None if it was uploaded or named by an evaluation meanwhile; it stays then.
    """
    statement = (
        sa.delete(DATASET)
        .where(DATASET.c.id == identifier, *_select_unused_since(before))
        .returning(DATASET.c.owner_id, DATASET.c.sha256)
    )
    row = connection.execute(statement).one_or_none()
    return None if row is None else (row.owner_id, row.sha256)


def _select_unused_since(moment: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    is_named = sa.exists().where(EVALUATION_DATASET.c.dataset_id == DATASET.c.id)
    uploaded = DATASET.c.last_uploaded_at
    return DATASET.c.created_at < moment, sa.or_(uploaded.is_(None), uploaded < moment), ~is_named


def are_bytes_needed(connection: sa.Connection, sha256: str) -> bool:
    """Return whether any owner has a data set with these bytes."""
    statement = sa.select(sa.exists().where(DATASET.c.sha256 == sha256))
    return bool(connection.execute(statement).scalar_one())


def find_newest_of_content(
    connection: sa.Connection, owner_id: UUID, digests: Collection[str]
) -> dict[str, tuple[UUID, int]]:
    """Return id and rows of an owner's newest data set of each content."""
    columns = DATASET.c
    statement = (
        sa.select(columns.sha256, columns.id, columns.rows)
        .where(columns.owner_id == owner_id, columns.sha256.in_(digests))
        .order_by(columns.created_at, columns.id)
    )
    return {row.sha256: (row.id, row.rows) for row in connection.execute(statement)}
