"""The tables. The database is the truth; the broker is a hint."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from service.storage.instants import Instant

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """All tables share one metadata and its constraint names."""

    metadata = sa.MetaData(naming_convention=NAMING)
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads it as a class attribute
        datetime: Instant(),
        dict[str, Any]: sa.JSON,
        list[dict[str, Any]]: sa.JSON,
    }


def table_of(model: type[Base]) -> sa.Table:
    """Return the table of a model, for statements that are built once and run without the ORM."""
    table = model.__table__
    assert isinstance(table, sa.Table)  # noqa: S101 - every model here has one
    return table


class Owner(Base):
    """Whom data sets and evaluations belong to; ``local`` is the one without keys."""

    __tablename__ = "owner"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(sa.String(120), unique=True)
    created_at: Mapped[datetime]


class ApiKey(Base):
    """A key's digest and its visible beginning; the key itself is shown once and not kept."""

    __tablename__ = "api_key"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    owner_id: Mapped[UUID] = mapped_column(sa.ForeignKey("owner.id"), index=True)
    name: Mapped[str] = mapped_column(sa.String(120))
    prefix: Mapped[str] = mapped_column(sa.String(24), unique=True)
    digest: Mapped[str] = mapped_column(sa.String(64))
    created_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class Dataset(Base):
    """An uploaded file; the bytes lie in the file store under their SHA-256."""

    __tablename__ = "dataset"
    __table_args__ = (sa.UniqueConstraint("owner_id", "sha256", "media_type"),)

    id: Mapped[UUID] = mapped_column(primary_key=True)
    owner_id: Mapped[UUID] = mapped_column(sa.ForeignKey("owner.id"), index=True)
    sha256: Mapped[str] = mapped_column(sa.String(64), index=True)
    media_type: Mapped[str] = mapped_column(sa.String(80))
    bytes: Mapped[int] = mapped_column(sa.BigInteger)
    rows: Mapped[int] = mapped_column(sa.BigInteger)
    columns: Mapped[list[dict[str, Any]]]
    details: Mapped[dict[str, Any]]
    name: Mapped[str | None] = mapped_column(sa.String(200))
    created_at: Mapped[datetime]


class Evaluation(Base):
    """A job as its client sees it."""

    __tablename__ = "evaluation"
    __table_args__ = (
        sa.Index("ix_evaluation_owner_id_created_at_id", "owner_id", "created_at", "id"),
        sa.Index("ix_evaluation_owner_id_status", "owner_id", "status"),
        sa.Index("ix_evaluation_status", "status"),
        sa.CheckConstraint(
            "status IN ('queued','running','succeeded','failed','cancelled')", name="status"
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    owner_id: Mapped[UUID] = mapped_column(sa.ForeignKey("owner.id"))
    kind: Mapped[str] = mapped_column(sa.String(40))
    name: Mapped[str | None] = mapped_column(sa.String(200))
    status: Mapped[str] = mapped_column(sa.String(16))
    version: Mapped[int]  # counts every change a client can see; the ETag
    request: Mapped[str] = mapped_column(sa.Text)  # canonical JSON
    request_sha256: Mapped[str] = mapped_column(sa.String(64))
    data_sha256: Mapped[str] = mapped_column(sa.String(64))
    seed: Mapped[int] = mapped_column(sa.BigInteger)
    progress_done: Mapped[int] = mapped_column(sa.BigInteger)
    progress_total: Mapped[int | None] = mapped_column(sa.BigInteger)
    progress_unit: Mapped[str] = mapped_column(sa.String(24))
    error: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON)
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    cancel_requested_at: Mapped[datetime | None]


class EvaluationLabel(Base):
    """One label of an evaluation; a table of its own so that lists can filter by it."""

    __tablename__ = "evaluation_label"
    __table_args__ = (sa.Index("ix_evaluation_label_key_value", "key", "value"),)

    evaluation_id: Mapped[UUID] = mapped_column(
        sa.ForeignKey("evaluation.id", ondelete="CASCADE"), primary_key=True
    )
    key: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    value: Mapped[str] = mapped_column(sa.String(512))


class EvaluationDataset(Base):
    """Which data sets an evaluation reads."""

    __tablename__ = "evaluation_dataset"

    evaluation_id: Mapped[UUID] = mapped_column(
        sa.ForeignKey("evaluation.id", ondelete="CASCADE"), primary_key=True
    )
    dataset_id: Mapped[UUID] = mapped_column(
        sa.ForeignKey("dataset.id"), primary_key=True, index=True
    )


class EvaluationResult(Base):
    """The result, written once."""

    __tablename__ = "evaluation_result"

    evaluation_id: Mapped[UUID] = mapped_column(
        sa.ForeignKey("evaluation.id", ondelete="CASCADE"), primary_key=True
    )
    body: Mapped[str] = mapped_column(sa.Text)  # JSON, as it is sent
    losses_file: Mapped[str | None] = mapped_column(sa.String(200))  # name in the file store
    created_at: Mapped[datetime]


class Unit(Base):
    """One unit of work: claimed with a lease and an attempt number, recorded once."""

    __tablename__ = "unit"
    __table_args__ = (
        sa.Index("ix_unit_state_lease_until", "state", "lease_until"),
        sa.Index("ix_unit_state_place", "state", "place"),
        sa.Index("ix_unit_worker_id", "worker_id"),
        sa.CheckConstraint(
            "state IN ('queued','running','done','failed','cancelled')", name="state"
        ),
        sa.CheckConstraint("stage IN ('start','chunk','gather')", name="stage"),
    )

    evaluation_id: Mapped[UUID] = mapped_column(
        sa.ForeignKey("evaluation.id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(primary_key=True)  # 0 start, 1.. chunks, last gather
    stage: Mapped[str] = mapped_column(sa.String(8))
    payload: Mapped[dict[str, Any]]
    size: Mapped[int] = mapped_column(sa.BigInteger)  # what it adds to the progress
    state: Mapped[str] = mapped_column(sa.String(16))
    place: Mapped[float]  # in the queue; see service.storage.units
    attempt: Mapped[int]  # counts claims; an older attempt's outcome is not recorded
    lost: Mapped[int]  # counts claims whose worker was lost
    worker_id: Mapped[UUID | None]
    claimed_at: Mapped[float | None]  # epoch seconds by the database's clock
    lease_until: Mapped[float | None]  # likewise
    not_before: Mapped[float]  # epoch seconds; back-off after a lost worker
    nudged_at: Mapped[float]  # epoch seconds of the last message to the broker
    output_file: Mapped[str | None] = mapped_column(sa.String(200))
    part: Mapped[str | None] = mapped_column(sa.String(200))  # a learner, that may fail alone
    seconds: Mapped[float | None]  # that the attempt took which recorded the outcome


class Event(Base):
    """What happened to an evaluation, in order; replayed to clients that come back."""

    __tablename__ = "event"

    evaluation_id: Mapped[UUID] = mapped_column(
        sa.ForeignKey("evaluation.id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    type: Mapped[str] = mapped_column(sa.String(32))
    data: Mapped[dict[str, Any]]


class IdempotencyKey(Base):
    """The first answer to a request that may come twice."""

    __tablename__ = "idempotency_key"

    owner_id: Mapped[UUID] = mapped_column(sa.ForeignKey("owner.id"), primary_key=True)
    key: Mapped[str] = mapped_column(sa.String(255), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(sa.String(64))
    evaluation_id: Mapped[UUID] = mapped_column(
        sa.ForeignKey("evaluation.id", ondelete="CASCADE"), index=True
    )
    created_at: Mapped[datetime]


class Worker(Base):
    """A worker process and when it was last heard of."""

    __tablename__ = "worker"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    node: Mapped[UUID] = mapped_column(index=True)  # the command that started it
    host: Mapped[str] = mapped_column(sa.String(255))
    pid: Mapped[int]
    version: Mapped[str] = mapped_column(sa.String(24))
    started_at: Mapped[datetime]
    heartbeat_at: Mapped[float]  # epoch seconds by the database's clock


class Lease(Base):
    """A duty that one process at a time has, such as sweeping."""

    __tablename__ = "lease"

    name: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    holder: Mapped[UUID | None]
    until: Mapped[float]  # epoch seconds by the database's clock
