"""Evaluations: rows in, rows out; every change a client can see also writes an event."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.lifecycle import FINISHED, UNFINISHED, EvaluationStatus
from service.storage import events
from service.storage.models import (
    Evaluation,
    EvaluationDataset,
    EvaluationLabel,
    table_of,
)


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """An evaluation as its owner sees it."""

    id: UUID
    owner_id: UUID
    kind: str
    name: str | None
    status: str
    version: int
    seed: int
    request_sha256: str
    data_sha256: str
    progress_done: int
    progress_total: int | None
    progress_unit: str
    error: Mapping[str, Any] | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_finished(self) -> bool:
        """Whether the evaluation has reached its last state."""
        return self.status in FINISHED


@dataclass(frozen=True, slots=True)
class Filters:
    """Which evaluations a list holds; a field left None does not filter."""

    status: str | None = None
    kind: str | None = None
    labels: Sequence[tuple[str, str]] = ()
    created_after: datetime | None = None
    created_before: datetime | None = None


COLUMNS = tuple(
    getattr(Evaluation, name) for name in EvaluationRow.__dataclass_fields__ if name != "labels"
)

# Built once: building a statement costs several times what running it does.
_ROWS = table_of(Evaluation).c
_LABELS = table_of(EvaluationLabel).c
_INSERT = sa.insert(table_of(Evaluation))
_INSERT_LABELS = sa.insert(table_of(EvaluationLabel))
_INSERT_DATASETS = sa.insert(table_of(EvaluationDataset))
_COUNT_UNFINISHED = sa.select(sa.func.count()).where(
    _ROWS.owner_id == sa.bindparam("owner"), _ROWS.status.in_(sorted(UNFINISHED))
)
_LOCK = (
    sa.select(_ROWS.status, _ROWS.progress_done, _ROWS.progress_total)
    .where(_ROWS.id == sa.bindparam("wanted"))
    .with_for_update()
)
_VERSIONS = sa.select(_ROWS.id, _ROWS.version, _ROWS.status).where(
    _ROWS.id.in_(sa.bindparam("wanted", expanding=True))
)
_WITH_LABELS = (
    sa.select(*(_ROWS[column.key] for column in COLUMNS), _LABELS.key, _LABELS.value)
    .outerjoin(table_of(EvaluationLabel), _LABELS.evaluation_id == _ROWS.id)
    .order_by(_LABELS.key)
)
_GET = _WITH_LABELS.where(
    _ROWS.id == sa.bindparam("wanted"), _ROWS.owner_id == sa.bindparam("owner")
)
_GET_SOME = _WITH_LABELS.where(_ROWS.id.in_(sa.bindparam("wanted", expanding=True)))


def insert_all(connection: sa.Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Store new evaluations, each with its first event."""
    connection.execute(_INSERT, [dict(row) for row in rows])
    events.add_all(connection, [(row["id"], row["version"]) for row in rows], "queued", {})


def add_links(
    connection: sa.Connection,
    labels: Sequence[tuple[UUID, Mapping[str, str]]],
    datasets: Sequence[tuple[UUID, Collection[UUID]]],
) -> None:
    """Store evaluations' labels and the data sets they read."""
    rows = [{"evaluation_id": i, "key": k, "value": v} for i, of in labels for k, v in of.items()]
    if rows:
        connection.execute(_INSERT_LABELS, rows)
    links = [{"evaluation_id": i, "dataset_id": one} for i, of in datasets for one in of]
    if links:
        connection.execute(_INSERT_DATASETS, links)


def count_unfinished(session: Session | sa.Connection, owner_id: UUID) -> int:
    """Return how many of an owner's evaluations are queued or running."""
    found: int = session.execute(_COUNT_UNFINISHED, {"owner": owner_id}).scalar_one()
    return found


def lock(session: Session, evaluation_id: UUID) -> sa.Row[str, int, int | None] | None:
    """Hold an evaluation's row until the transaction ends; None when it is gone.

    Whoever changes an evaluation together with its units takes this lock first, so that no two
    transactions wait for each other.
    """
    return session.execute(_LOCK, {"wanted": evaluation_id}).one_or_none()


@lru_cache(maxsize=64)
def _change(names: tuple[str, ...]) -> sa.Executable:
    """Return the statement that gives some columns new values and the version its next."""
    new = {name: sa.bindparam(f"new_{name}", type_=_ROWS[name].type) for name in names}
    return (
        sa.update(table_of(Evaluation))
        .where(_ROWS.id == sa.bindparam("wanted"))
        .values(version=_ROWS.version + 1, **new)
        .returning(_ROWS.version)
    )


def change(
    session: Session,
    evaluation_id: UUID,
    values: Mapping[str, Any],
    event: str | None,
    data: Mapping[str, Any] | None = None,
) -> None:
    """Change what a client sees: the version goes up, and an event tells of it."""
    new = {f"new_{name}": value for name, value in values.items()}
    version = session.execute(_change(tuple(values)), {"wanted": evaluation_id, **new}).scalar_one()
    if event is not None:
        events.add(session, evaluation_id, version, event, data or {})


def finish(
    session: Session,
    evaluation_id: UUID,
    status: EvaluationStatus,
    values: Mapping[str, Any] | None = None,
    data: Mapping[str, Any] | None = None,
) -> None:
    """Give an evaluation its last state."""
    last = {"status": status.value, "finished_at": datetime.now(UTC), **(values or {})}
    change(session, evaluation_id, last, status.value, data)


def get(
    session: Session | sa.Connection, owner_id: UUID, evaluation_id: UUID
) -> EvaluationRow | None:
    """Return an owner's evaluation; another owner's is None as if it were not there."""
    rows = session.execute(_GET, {"wanted": evaluation_id, "owner": owner_id}).all()
    return _labelled(rows) if rows else None


def get_some(
    connection: sa.Connection, evaluation_ids: Collection[UUID]
) -> dict[UUID, EvaluationRow]:
    """Return evaluations by id, whoever owns them."""
    found: dict[UUID, list[Any]] = {}
    for row in connection.execute(_GET_SOME, {"wanted": list(evaluation_ids)}):
        found.setdefault(row[0], []).append(row)
    return {identifier: _labelled(rows) for identifier, rows in found.items()}


def _labelled(rows: Sequence[Any]) -> EvaluationRow:
    """Return an evaluation from its rows, one for each label."""
    labels = {row.key: row.value for row in rows if row.key is not None}
    values = dict(
        zip(EvaluationRow.__dataclass_fields__, (*rows[0][: len(COLUMNS)], labels), strict=True)
    )
    return EvaluationRow(**values)


def status_of(session: Session, evaluation_id: UUID) -> str | None:
    """Return the status of an evaluation, whoever's it is; None when it is gone."""
    statement = sa.select(Evaluation.status).where(Evaluation.id == evaluation_id)
    return session.execute(statement).scalar_one_or_none()


def kind_of(session: Session, evaluation_id: UUID) -> str | None:
    """Return the kind of an evaluation, whoever's it is; None when it is gone."""
    statement = sa.select(Evaluation.kind).where(Evaluation.id == evaluation_id)
    return session.execute(statement).scalar_one_or_none()


def asked(
    session: Session, owner_id: UUID, evaluation_id: UUID
) -> sa.Row[str, str, str, int] | None:
    """Return kind, status, request and seed of an owner's evaluation; None as ``get`` does."""
    statement = sa.select(
        Evaluation.kind, Evaluation.status, Evaluation.request, Evaluation.seed
    ).where(Evaluation.id == evaluation_id, Evaluation.owner_id == owner_id)
    return session.execute(statement).one_or_none()


def page(
    session: Session,
    owner_id: UUID,
    filters: Filters,
    before: tuple[datetime, UUID] | None,
    limit: int,
) -> list[EvaluationRow]:
    """Return an owner's newest evaluations, those older than ``before`` when it is given."""
    statement = (
        sa.select(*COLUMNS)
        .where(Evaluation.owner_id == owner_id, *_conditions(filters))
        .order_by(Evaluation.created_at.desc(), Evaluation.id.desc())
        .limit(limit)
    )
    if before is not None:
        moment, last = before
        statement = statement.where(
            sa.or_(
                Evaluation.created_at < moment,
                sa.and_(Evaluation.created_at == moment, Evaluation.id < last),
            )
        )
    return _with_labels(session, session.execute(statement).all())


def _conditions(filters: Filters) -> list[sa.ColumnElement[bool]]:
    conditions: list[sa.ColumnElement[bool]] = []
    if filters.status is not None:
        conditions.append(Evaluation.status == filters.status)
    if filters.kind is not None:
        conditions.append(Evaluation.kind == filters.kind)
    if filters.created_after is not None:
        conditions.append(Evaluation.created_at > filters.created_after)
    if filters.created_before is not None:
        conditions.append(Evaluation.created_at < filters.created_before)
    conditions.extend(
        sa.exists().where(
            EvaluationLabel.evaluation_id == Evaluation.id,
            EvaluationLabel.key == key,
            EvaluationLabel.value == value,
        )
        for key, value in filters.labels
    )
    return conditions


def _with_labels(session: Session, rows: Sequence[sa.Row[Any]]) -> list[EvaluationRow]:
    if not rows:
        return []
    labels: dict[UUID, dict[str, str]] = {row.id: {} for row in rows}
    statement = (
        sa.select(EvaluationLabel.evaluation_id, EvaluationLabel.key, EvaluationLabel.value)
        .where(EvaluationLabel.evaluation_id.in_(labels))
        .order_by(EvaluationLabel.key)
    )
    for evaluation_id, key, value in session.execute(statement):
        labels[evaluation_id][key] = value
    return [EvaluationRow(**row._mapping, labels=labels[row.id]) for row in rows]  # noqa: SLF001 - public in spite of its name


def versions(
    session: Session | sa.Connection, evaluation_ids: Sequence[UUID]
) -> dict[UUID, tuple[int, str]]:
    """Return version and status of each evaluation that is still there."""
    found = session.execute(_VERSIONS, {"wanted": evaluation_ids})
    return {row.id: (row.version, row.status) for row in found}


def delete(session: Session, evaluation_id: UUID) -> None:
    """Remove an evaluation and, by cascade, all that belongs to it."""
    session.execute(sa.delete(Evaluation).where(Evaluation.id == evaluation_id))
