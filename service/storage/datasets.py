"""Data sets: rows in, rows out; the bytes lie in the file store, once for all owners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid5

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.lifecycle import UNFINISHED
from service.storage.models import Dataset, Evaluation, EvaluationDataset

NAMESPACE: Final = UUID("6f1d6a0e-5b1c-4f4e-9a35-1f0a4f6f2f11")
LOCK_BITS: Final = 63  # PostgreSQL's advisory locks are named by a signed 64-bit number


@dataclass(frozen=True, slots=True)
class DatasetRow:
    """A data set as its owner sees it."""

    id: UUID
    sha256: str
    media_type: str
    bytes: int
    rows: int
    columns: Sequence[Mapping[str, Any]]
    details: Mapping[str, Any]
    name: str | None
    created_at: datetime


COLUMNS = tuple(getattr(Dataset, name) for name in DatasetRow.__dataclass_fields__)


def dataset_id(owner_id: UUID, media_type: str, sha256: str) -> UUID:
    """Return the id of some bytes read as some type: the same each time they are sent."""
    return uuid5(NAMESPACE, f"{owner_id} {media_type} {sha256}")


def lock_bytes(session: Session, sha256: str) -> None:
    """Hold the bytes of that digest until the transaction ends, so that none delete what is kept.

    SQLite's writing transactions exclude each other anyway.
    """
    if session.get_bind().dialect.name == "postgresql":
        key = int(sha256[:16], 16) >> (64 - LOCK_BITS)
        session.execute(sa.select(sa.func.pg_advisory_xact_lock(key)))


def insert(session: Session, owner_id: UUID, row: DatasetRow) -> None:
    """Store a new data set."""
    values = {name: getattr(row, name) for name in DatasetRow.__dataclass_fields__}
    session.execute(sa.insert(Dataset).values(owner_id=owner_id, **values))


def get(session: Session, owner_id: UUID, identifier: UUID) -> DatasetRow | None:
    """Return an owner's data set; another owner's is None as if it were not there."""
    return next(iter(get_some(session, owner_id, [identifier])), None)


def get_some(session: Session, owner_id: UUID, identifiers: Sequence[UUID]) -> list[DatasetRow]:
    """Return those of an owner's data sets that are there."""
    statement = sa.select(*COLUMNS).where(Dataset.id.in_(identifiers), Dataset.owner_id == owner_id)
    return [DatasetRow(*row) for row in session.execute(statement)]


def page(
    session: Session, owner_id: UUID, before: tuple[datetime, UUID] | None, limit: int
) -> list[DatasetRow]:
    """Return an owner's newest data sets, those older than ``before`` when it is given."""
    statement = (
        sa.select(*COLUMNS)
        .where(Dataset.owner_id == owner_id)
        .order_by(Dataset.created_at.desc(), Dataset.id.desc())
        .limit(limit)
    )
    if before is not None:
        statement = statement.where(
            sa.tuple_(Dataset.created_at, Dataset.id) < sa.tuple_(*map(sa.literal, before))
        )
    return [DatasetRow(*row) for row in session.execute(statement)]


def is_in_use(session: Session, identifier: UUID) -> bool:
    """Say whether a queued or running evaluation reads the data set."""
    statement = sa.select(
        sa.exists().where(
            EvaluationDataset.dataset_id == identifier,
            EvaluationDataset.evaluation_id == Evaluation.id,
            Evaluation.status.in_(UNFINISHED),
        )
    )
    return bool(session.execute(statement).scalar_one())


def delete(session: Session, identifier: UUID) -> None:
    """Remove a data set; finished evaluations keep its digest in their provenance."""
    session.execute(sa.delete(EvaluationDataset).where(EvaluationDataset.dataset_id == identifier))
    session.execute(sa.delete(Dataset).where(Dataset.id == identifier))


def are_bytes_needed(session: Session, sha256: str) -> bool:
    """Say whether any owner's data set has these bytes."""
    statement = sa.select(sa.exists().where(Dataset.sha256 == sha256))
    return bool(session.execute(statement).scalar_one())
