"""The table of evaluations; every change that a client can see also writes an event."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, TypeAlias, TypedDict
from uuid import UUID

import orjson
import sqlalchemy as sa

from thetahat_service.json_types import JsonObject, StoredProblem
from thetahat_service.process import counters
from thetahat_service.states import FINISHED, UNFINISHED, EvaluationStatus
from thetahat_service.storage import events, webhooks
from thetahat_service.storage.newest_first import Position, select_newest
from thetahat_service.storage.tables import (
    EVALUATION,
    EVALUATION_DATASET,
    EVALUATION_LABEL,
    SIGN_OFF,
)
from thetahat_service.storage.unit_of_work import call_after_commit


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
    error: StoredProblem | None
    summary: JsonObject | None
    verdict: str | None
    gate: str | None
    headline: str | None
    sign_off: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    protocol: JsonObject | None
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_finished(self) -> bool:
        """Whether the evaluation has reached its last state."""
        return self.status in FINISHED


class NewEvaluation(TypedDict):
    """The columns of an evaluation that is stored for the first time."""

    id: UUID
    owner_id: UUID
    kind: str
    name: str | None
    status: str
    version: int
    request: str
    request_sha256: str
    data_sha256: str
    seed: int
    progress_done: int
    progress_total: int | None
    progress_unit: str
    created_at: datetime
    protocol_id: UUID | None
    protocol: JsonObject | None


class SortColumn(StrEnum):
    """What a list of evaluations may be sorted by."""

    NAME = "name"
    KIND = "kind"
    VERDICT = "verdict"
    GATE = "gate"
    SIGN_OFF = "sign_off"
    CREATED_AT = "created_at"


@dataclass(frozen=True, slots=True)
class Order:
    """The order of a list; evaluations that lack the column come last, newer ones first."""

    column: SortColumn
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters of a list of evaluations; None does not filter."""

    status: str | None = None
    kind: str | None = None
    labels: Sequence[tuple[str, str]] = ()
    created_after: datetime | None = None
    created_before: datetime | None = None
    name: str | None = None  # part of the name
    verdict: str | None = None
    gate: str | None = None
    sign_off: str | None = None  # decision of the newest sign-off, or UNSIGNED
    protocol: UUID | None = None
    search: str | None = None  # part of the name or of a label, or the id


_NEWEST_DECISION = (
    sa.select(SIGN_OFF.c.decision)
    .where(SIGN_OFF.c.evaluation_id == EVALUATION.c.id)
    .order_by(SIGN_OFF.c.at.desc(), SIGN_OFF.c.id.desc())
    .limit(1)
    .correlate(EVALUATION)
    .scalar_subquery()
    .label("sign_off")
)
COLUMNS = tuple(
    _NEWEST_DECISION if name == "sign_off" else EVALUATION.c[name]
    for name in EvaluationRow.__dataclass_fields__
    if name != "labels"
)

UNSIGNED: Final = "none"
"""The filter for results that nobody has signed."""

MANY_WITH_LABEL: Final = 5000
"""Evaluations with a label from which a list looks for it at the newest evaluations.

A page on SQLite with a million evaluations, found by the label and at the newest evaluations: a
label of 50 evaluations 0.7 and 140 ms, of 2000 11 and 110, of 10 000 46 and 18. On PostgreSQL both
take the same time, unless nearly all evaluations have the label.
"""

LockedEvaluation: TypeAlias = "sa.Row[str, int, int | None]"
"""The status and the progress of an evaluation whose row a transaction has locked."""

# These statements are built once: building one takes several times as long as running it.
_ROWS = EVALUATION.c
_LABELS = EVALUATION_LABEL.c
_INSERT = sa.insert(EVALUATION)
_INSERT_LABELS = sa.insert(EVALUATION_LABEL)
_INSERT_DATASETS = sa.insert(EVALUATION_DATASET)
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
    sa.select(*COLUMNS, _LABELS.key, _LABELS.value)
    .outerjoin(EVALUATION_LABEL, _LABELS.evaluation_id == _ROWS.id)
    .order_by(_LABELS.key)
)
_GET = _WITH_LABELS.where(
    _ROWS.id == sa.bindparam("wanted"), _ROWS.owner_id == sa.bindparam("owner")
)
_GET_SOME = _WITH_LABELS.where(_ROWS.id.in_(sa.bindparam("wanted", expanding=True)))


def insert_all(connection: sa.Connection, rows: Sequence[NewEvaluation]) -> None:
    """Store new evaluations, each with its first event."""
    connection.execute(_INSERT, [dict(row) for row in rows])
    events.add_all(connection, [(row["id"], row["version"]) for row in rows], "queued", {})


def add_links(
    connection: sa.Connection,
    labels: Sequence[tuple[UUID, Mapping[str, str]]],
    datasets: Sequence[tuple[UUID, Collection[UUID]]],
) -> None:
    """Store evaluations' labels and the data sets they read."""
    rows = [
        {"evaluation_id": identifier, "key": key, "value": value}
        for identifier, labels_by_key in labels
        for key, value in labels_by_key.items()
    ]
    if rows:
        connection.execute(_INSERT_LABELS, rows)
    links = [
        {"evaluation_id": i, "dataset_id": dataset_id} for i, ids in datasets for dataset_id in ids
    ]
    if links:
        connection.execute(_INSERT_DATASETS, links)


def count_unfinished(connection: sa.Connection, owner_id: UUID) -> int:
    """Return how many of an owner's evaluations are queued or running."""
    count: int = connection.execute(_COUNT_UNFINISHED, {"owner": owner_id}).scalar_one()
    return count


def lock(connection: sa.Connection, evaluation_id: UUID) -> LockedEvaluation | None:
    """Lock an evaluation's row until the transaction ends; None if it was deleted.

    A transaction that changes an evaluation together with its units takes this lock first, so that
    no two transactions wait for each other.
    """
    return connection.execute(_LOCK, {"wanted": evaluation_id}).one_or_none()


def lock_unfinished(connection: sa.Connection, evaluation_id: UUID) -> LockedEvaluation | None:
    """Lock an evaluation's row as ``lock`` does; None also if the evaluation has ended."""
    locked = lock(connection, evaluation_id)
    return None if locked is None or locked.status in FINISHED else locked


@lru_cache(maxsize=64)
def _change(names: tuple[str, ...]) -> sa.Executable:
    """Return the statement that sets some columns and increments the version."""
    new = {name: sa.bindparam(f"new_{name}", type_=_ROWS[name].type) for name in names}
    return (
        sa.update(EVALUATION)
        .where(_ROWS.id == sa.bindparam("wanted"))
        .values(version=_ROWS.version + 1, **new)
        .returning(_ROWS.version, _ROWS.kind, _ROWS.created_at, _ROWS.owner_id, _ROWS.name)
    )


def change(
    connection: sa.Connection,
    evaluation_id: UUID,
    values: Mapping[str, object],
    event: str | None,
    data: Mapping[str, object] | None = None,
) -> sa.Row[int, str, datetime, UUID, str | None]:
    """Change columns that a client can see, increment the version, and write an event.

    Returns version, kind, submission, owner and name.
    """
    new = {f"new_{name}": value for name, value in values.items()}
    row = connection.execute(_change(tuple(values)), {"wanted": evaluation_id, **new}).one()
    if event is not None:
        events.add(connection, evaluation_id, row.version, event, data or {})
    return row


def finish(  # noqa: PLR0913 - what is written at the end of an evaluation
    connection: sa.Connection,
    evaluation_id: UUID,
    status: EvaluationStatus,
    values: Mapping[str, object] | None = None,
    data: Mapping[str, object] | None = None,
    told: Mapping[str, object] | None = None,
) -> None:
    """Set the final status of an evaluation, and write the deliveries to webhooks.

    ``told`` is what deliveries have of the result, whose text is not in them.
    """
    now = datetime.now(UTC)
    last = {"status": status.value, "finished_at": now, **(values or {})}
    row = change(connection, evaluation_id, last, status.value, data)
    error = (values or {}).get("error")
    described = {
        "id": evaluation_id,
        "kind": row.kind,
        "name": row.name,
        "created_at": row.created_at,
        "error_code": error.get("code") if isinstance(error, dict) else None,
        "outcome": told,
    }
    webhooks.add_evaluation_deliveries(connection, row.owner_id, described, status.value, now)
    seconds = (now - row.created_at).total_seconds()
    call_after_commit(
        connection,
        lambda: counters.observe_seconds(
            "evaluation_seconds", max(0.0, seconds), kind=row.kind, status=status.value
        ),
    )


def get(connection: sa.Connection, owner_id: UUID, evaluation_id: UUID) -> EvaluationRow | None:
    """Return an owner's evaluation; None if there is none, or it has another owner."""
    rows = connection.execute(_GET, {"wanted": evaluation_id, "owner": owner_id}).all()
    return _build_row(rows) if rows else None


def get_some(
    connection: sa.Connection, evaluation_ids: Collection[UUID]
) -> dict[UUID, EvaluationRow]:
    """Return evaluations by id, of any owner."""
    rows_by_id: dict[UUID, list[Any]] = {}
    for row in connection.execute(_GET_SOME, {"wanted": list(evaluation_ids)}):
        rows_by_id.setdefault(row[0], []).append(row)
    return {identifier: _build_row(rows) for identifier, rows in rows_by_id.items()}


def _build_row(rows: Sequence[Any]) -> EvaluationRow:
    """Return an evaluation from its rows, one for each label."""
    labels = {row.key: row.value for row in rows if row.key is not None}
    values = dict(
        zip(EvaluationRow.__dataclass_fields__, (*rows[0][: len(COLUMNS)], labels), strict=True)
    )
    return EvaluationRow(**values)


def get_status(connection: sa.Connection, evaluation_id: UUID) -> str | None:
    """Return the status of an evaluation of any owner; None if it was deleted."""
    statement = sa.select(EVALUATION.c.status).where(EVALUATION.c.id == evaluation_id)
    return connection.execute(statement).scalar_one_or_none()


def get_kind(connection: sa.Connection, evaluation_id: UUID) -> str | None:
    """Return the kind of an evaluation of any owner; None if it was deleted."""
    statement = sa.select(EVALUATION.c.kind).where(EVALUATION.c.id == evaluation_id)
    return connection.execute(statement).scalar_one_or_none()


def get_request_of_owner(
    connection: sa.Connection, owner_id: UUID, evaluation_id: UUID
) -> sa.Row[str, str, str, int] | None:
    """Return kind, status, request and seed of an owner's evaluation; None as ``get`` does."""
    statement = sa.select(
        EVALUATION.c.kind, EVALUATION.c.status, EVALUATION.c.request, EVALUATION.c.seed
    ).where(EVALUATION.c.id == evaluation_id, EVALUATION.c.owner_id == owner_id)
    return connection.execute(statement).one_or_none()


def list_page(
    connection: sa.Connection,
    owner_id: UUID,
    filters: Filters,
    before: Position | None,
    limit: int,
) -> list[EvaluationRow]:
    """Return an owner's newest evaluations, older than ``before`` unless it is None."""
    return _read_in_order(connection, select_page(connection, owner_id, filters, before, limit))


def list_sorted(
    connection: sa.Connection,
    owner_id: UUID,
    filters: Filters,
    order: Order,
    part: slice,
) -> list[EvaluationRow]:
    """Return a part of an owner's evaluations in an order."""
    wanted = _build_sort_key(order.column)
    statement = (
        sa.select(EVALUATION.c.id)
        .where(EVALUATION.c.owner_id == owner_id, *_build_all_conditions(connection, filters))
        .order_by(
            wanted.is_(None),
            wanted.desc() if order.descending else wanted,
            EVALUATION.c.created_at.desc(),
            EVALUATION.c.id.desc(),
        )
        .offset(part.start)
        .limit(part.stop - part.start)
    )
    return _read_in_order(connection, statement)


def _read_in_order(connection: sa.Connection, statement: sa.Select[Any]) -> list[EvaluationRow]:
    """Return the evaluations whose ids a query returns."""
    ids = list(connection.scalars(statement))
    rows = get_some(connection, ids) if ids else {}
    return [rows[identifier] for identifier in ids if identifier in rows]


def _build_sort_key(column: SortColumn) -> sa.ColumnElement[Any]:
    if column is SortColumn.SIGN_OFF:
        return _NEWEST_DECISION.element
    if column is SortColumn.NAME:
        return sa.func.lower(EVALUATION.c.name)
    return EVALUATION.c[column.value]


def select_page(
    connection: sa.Connection,
    owner_id: UUID,
    filters: Filters,
    before: Position | None,
    limit: int,
) -> sa.Select[Any]:
    """Return the query of the ids of ``list_page``.

    It depends on how many evaluations have a label.
    """
    statement = sa.select(EVALUATION.c.id).where(
        EVALUATION.c.owner_id == owner_id, *_build_all_conditions(connection, filters)
    )
    return select_newest(statement, EVALUATION.c.created_at, EVALUATION.c.id, before, limit)


def _build_all_conditions(
    connection: sa.Connection, filters: Filters
) -> list[sa.ColumnElement[bool]]:
    """Return the SQL conditions of the filters, which depend on how many evaluations they find."""
    return [
        *_build_conditions(filters),
        *(_build_label_condition(connection, *label) for label in filters.labels),
        *_build_sign_off_conditions(connection, filters.sign_off),
    ]


def _build_conditions(filters: Filters) -> list[sa.ColumnElement[bool]]:
    """Return the SQL conditions of the filters, except those of the labels."""
    equal = {
        _ROWS.status: filters.status,
        _ROWS.kind: filters.kind,
        _ROWS.verdict: filters.verdict,
        _ROWS.gate: filters.gate,
        _ROWS.protocol_id: filters.protocol,
    }
    conditions = [column == value for column, value in equal.items() if value is not None]
    if filters.name is not None:
        conditions.append(EVALUATION.c.name.icontains(filters.name, autoescape=True))
    if filters.created_after is not None:
        conditions.append(EVALUATION.c.created_at > filters.created_after)
    if filters.created_before is not None:
        conditions.append(EVALUATION.c.created_at < filters.created_before)
    if filters.search is not None:
        conditions.append(_build_search_condition(filters.search))
    return conditions


def _build_label_condition(
    connection: sa.Connection, key: str, value: str
) -> sa.ColumnElement[bool]:
    """Return the condition that an evaluation has a label."""
    with_label = sa.select(_LABELS.evaluation_id).where(_LABELS.key == key, _LABELS.value == value)
    return _build_condition_of_other_table(connection, with_label, _LABELS.evaluation_id)


def _build_sign_off_conditions(
    connection: sa.Connection, decision: str | None
) -> list[sa.ColumnElement[bool]]:
    """Return the condition that the newest sign-off of a result has a decision."""
    if decision is None:
        return []
    if decision == UNSIGNED:
        signed = sa.exists().where(SIGN_OFF.c.evaluation_id == EVALUATION.c.id)
        return [EVALUATION.c.status == EvaluationStatus.SUCCEEDED.value, ~signed]
    later = SIGN_OFF.alias("later")
    is_superseded = sa.exists().where(
        later.c.evaluation_id == SIGN_OFF.c.evaluation_id,
        sa.or_(
            later.c.at > SIGN_OFF.c.at,
            sa.and_(later.c.at == SIGN_OFF.c.at, later.c.id > SIGN_OFF.c.id),
        ),
    )
    decided = sa.select(SIGN_OFF.c.evaluation_id).where(
        SIGN_OFF.c.decision == decision, ~is_superseded
    )
    return [_build_condition_of_other_table(connection, decided, SIGN_OFF.c.evaluation_id)]


def _build_condition_of_other_table(
    connection: sa.Connection, found: sa.Select[UUID], identifier: sa.ColumnElement[UUID]
) -> sa.ColumnElement[bool]:
    """Return the condition that another table has an evaluation among the rows that are found.

    If few evaluations are found, the database is to begin with these; otherwise it is to look for
    the other table's row of one evaluation after another, and soon has a page.
    """
    counted = sa.select(sa.func.count()).select_from(found.limit(MANY_WITH_LABEL).subquery("found"))
    if connection.execute(counted).scalar_one() < MANY_WITH_LABEL:
        return EVALUATION.c.id.in_(found)
    return found.where(identifier == EVALUATION.c.id).exists()


def _build_search_condition(text: str) -> sa.ColumnElement[bool]:
    """Return the condition that a name or a label contains a text, or that it is the id."""
    either: list[sa.ColumnElement[bool]] = [
        EVALUATION.c.name.icontains(text, autoescape=True),
        sa.exists().where(
            EVALUATION_LABEL.c.evaluation_id == EVALUATION.c.id,
            sa.or_(
                EVALUATION_LABEL.c.key.icontains(text, autoescape=True),
                EVALUATION_LABEL.c.value.icontains(text, autoescape=True),
            ),
        ),
    ]
    with suppress(ValueError):
        either.append(EVALUATION.c.id == UUID(text))
    return sa.or_(*either)


def list_versions(
    connection: sa.Connection, evaluation_ids: Sequence[UUID]
) -> dict[UUID, tuple[int, str]]:
    """Return the version and the status of each of these evaluations that exists."""
    rows = connection.execute(_VERSIONS, {"wanted": evaluation_ids})
    return {row.id: (row.version, row.status) for row in rows}


def list_finished_before(connection: sa.Connection, moment: datetime, limit: int) -> list[UUID]:
    """Return evaluations that ended before a moment, the oldest first.

    Those that an unfinished evaluation extends are left out, and those that somebody has signed.
    """
    statement = (
        sa.select(EVALUATION.c.id)
        .where(
            EVALUATION.c.finished_at < moment,
            EVALUATION.c.id.not_in(list_extended(connection)),
            ~sa.exists().where(SIGN_OFF.c.evaluation_id == EVALUATION.c.id),
        )
        .order_by(EVALUATION.c.finished_at)
        .limit(limit)
    )
    return list(connection.scalars(statement))


def list_extended(connection: sa.Connection) -> list[UUID]:
    """Return the evaluations that queued or running evaluations extend."""
    statement = sa.select(EVALUATION.c.request).where(
        EVALUATION.c.status.in_(UNFINISHED), EVALUATION.c.request.contains('"extends":"')
    )
    named = (orjson.loads(text).get("extends") for text in connection.scalars(statement))
    return [UUID(identifier) for identifier in named if identifier is not None]


def delete(connection: sa.Connection, evaluation_id: UUID) -> None:
    """Delete an evaluation and, by cascade, all that belongs to it."""
    connection.execute(sa.delete(EVALUATION).where(EVALUATION.c.id == evaluation_id))
