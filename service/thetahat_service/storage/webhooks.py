"""The tables of webhooks and of deliveries, which are an outbox.

A delivery is written in the transaction that ends its evaluation or decides its series, so it is
neither lost nor sent for what was rolled back. A claim moves its next attempt behind the time that
an attempt may take: what a killed process had claimed is due again then. Times of attempts are by
the database's clock.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID, uuid4

import orjson
import sqlalchemy as sa

from thetahat_service.states import DeliveryState, WebhookEvent
from thetahat_service.storage.engine import EpochNow, read_clock
from thetahat_service.storage.newest_first import Position, select_newest
from thetahat_service.storage.owned_rows import OwnedRows
from thetahat_service.storage.rows import StoredRows, select_distinct
from thetahat_service.storage.tables import EVALUATION_LABEL, WEBHOOK, WEBHOOK_DELIVERY

AT_ONCE_PER_WEBHOOK: Final = 2
"""Most deliveries of one webhook that a process sends at the same time."""

_HOOKS = WEBHOOK.c
_DELIVERIES = WEBHOOK_DELIVERY.c
# The lock keeps PostgreSQL from deleting a webhook before its deliveries are written.
_LISTENING = (
    sa.select(_HOOKS.id, _HOOKS.event_types, _HOOKS.labels)
    .where(_HOOKS.owner_id == sa.bindparam("owner"), _HOOKS.disabled_at.is_(None))
    .with_for_update(read=True, key_share=True)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookRow:
    """A webhook without its secrets."""

    id: UUID
    owner_id: UUID
    url: str
    event_types: Sequence[str]
    description: str | None
    created_at: datetime
    disabled_at: datetime | None
    labels: Mapping[str, str] | None
    previous_secret_until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryRow:
    """A message to a webhook."""

    id: UUID
    webhook_id: UUID
    evaluation_id: UUID
    """Id of the evaluation, or of the series."""
    event_type: str
    state: str
    attempts: int
    next_attempt_at: float
    created_at: datetime
    last_attempt_at: datetime | None
    last_status: int | None
    last_error: str | None


@dataclass(frozen=True, slots=True)
class DueDelivery:
    """A delivery that may be claimed, with its webhook and the owner of that."""

    id: UUID
    webhook_id: UUID
    owner_id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedDelivery:
    """A delivery that this process sends now, with the URL and the secrets."""

    id: UUID
    webhook_id: UUID
    owner_id: UUID
    attempts: int
    body: str
    url: str
    secrets: tuple[str, ...]
    """Each signs the delivery: the secret, and the previous one for some time."""


ROWS: Final = OwnedRows(WEBHOOK, WebhookRow, "webhook", "webhooks")
DELIVERIES: Final = StoredRows(WEBHOOK_DELIVERY, DeliveryRow)


def list_of_owner(connection: sa.Connection, owner_id: UUID) -> list[WebhookRow]:
    """Return an owner's webhooks, the oldest first."""
    statement = ROWS.select(_HOOKS.owner_id == owner_id).order_by(_HOOKS.created_at, _HOOKS.id)
    return ROWS.read(connection, statement)


def disable(connection: sa.Connection, webhook_id: UUID) -> None:
    """Send nothing more to a webhook, and mark its waiting deliveries as dead."""
    ROWS.update(connection, webhook_id, disabled_at=datetime.now(UTC))
    connection.execute(
        sa.update(WEBHOOK_DELIVERY)
        .where(
            _DELIVERIES.webhook_id == webhook_id, _DELIVERIES.state == DeliveryState.PENDING.value
        )
        .values(
            state=DeliveryState.DEAD.value,
            last_error="The receiver answered 410 (gone), so the webhook was disabled.",
        )
    )


def rotate_secret(
    connection: sa.Connection, webhook_id: UUID, secret: str, previous_until: datetime
) -> None:
    """Replace the secret of a webhook; the previous one signs too until ``previous_until``."""
    previous = {"previous_secret": _HOOKS.secret, "previous_secret_until": previous_until}
    ROWS.update(connection, webhook_id, secret=secret, **previous)


def add_evaluation_deliveries(
    connection: sa.Connection,
    owner_id: UUID,
    evaluation: Mapping[str, object],
    status: str,
    finished_at: datetime,
) -> None:
    """Write a delivery for each webhook of an owner that wants to know of this outcome.

    ``evaluation`` has ``id``, ``kind``, ``name``, ``created_at`` and ``error_code``, and in
    ``outcome`` what its result says, None without a result.
    """
    event_type = f"evaluation.{status}"
    interested = _list_interested(connection, owner_id, event_type)
    if not interested:
        return
    path = f"/v1/evaluations/{evaluation['id']}"
    read = connection.execute(
        sa.select(EVALUATION_LABEL.c.key, EVALUATION_LABEL.c.value).where(
            EVALUATION_LABEL.c.evaluation_id == evaluation["id"]
        )
    )
    labels = {row.key: row.value for row in read}
    data = {
        **evaluation,
        "status": status,
        "labels": labels,
        "finished_at": finished_at,
        "links": {"self": path, "result": f"{path}/result"},
    }
    _insert_deliveries(connection, interested, event_type, data, finished_at)


def add_series_deliveries(
    connection: sa.Connection, owner_id: UUID, data: Mapping[str, object], decided_at: datetime
) -> None:
    """Write a delivery for each webhook of an owner that wants to know of a decided series.

    ``data`` is what is told of the series, with its ``id`` and ``labels``.
    """
    event_type = WebhookEvent.DECIDED.value
    interested = _list_interested(connection, owner_id, event_type)
    _insert_deliveries(connection, interested, event_type, data, decided_at)


def _list_interested(
    connection: sa.Connection, owner_id: UUID, event_type: str
) -> list[sa.Row[UUID, Any, Any]]:
    hooks = connection.execute(_LISTENING, {"owner": owner_id}).all()
    return [hook for hook in hooks if event_type in hook.event_types]


def _insert_deliveries(
    connection: sa.Connection,
    interested: Sequence[sa.Row[UUID, Any, Any]],
    event_type: str,
    data: Mapping[str, Any],
    at: datetime,
) -> None:
    """Write a delivery for each webhook whose labels the subject of the event has."""
    labels = data["labels"]
    listening = [hook.id for hook in interested if (hook.labels or {}).items() <= labels.items()]
    if not listening:
        return
    body = {"type": event_type, "timestamp": at, "data": data}
    text = orjson.dumps(body, option=orjson.OPT_UTC_Z).decode()
    rows = [
        {
            "id": uuid4(),
            "webhook_id": webhook_id,
            "evaluation_id": data["id"],
            "event_type": event_type,
            "body": text,
            "state": DeliveryState.PENDING.value,
            "attempts": 0,
            "created_at": at,
        }
        for webhook_id in listening
    ]
    connection.execute(sa.insert(WEBHOOK_DELIVERY).values(next_attempt_at=EpochNow()), rows)


def list_deliveries(
    connection: sa.Connection,
    webhook_id: UUID,
    state: str | None,
    before: Position | None,
    limit: int,
) -> list[DeliveryRow]:
    """Return deliveries of a webhook, newest first, that are older than ``before``."""
    statement = DELIVERIES.select(_DELIVERIES.webhook_id == webhook_id)
    if state is not None:
        statement = statement.where(_DELIVERIES.state == state)
    statement = select_newest(statement, _DELIVERIES.created_at, _DELIVERIES.id, before, limit)
    return DELIVERIES.read(connection, statement)


def send_again(
    connection: sa.Connection, webhook_id: UUID, delivery_id: UUID
) -> DeliveryRow | None:
    """Make a delivery due now, as if it had never been tried; None if there is none."""
    statement = (
        sa.update(WEBHOOK_DELIVERY)
        .where(_DELIVERIES.id == delivery_id, _DELIVERIES.webhook_id == webhook_id)
        .values(state=DeliveryState.PENDING.value, attempts=0, next_attempt_at=EpochNow())
        .returning(*DELIVERIES.columns)
    )
    return DELIVERIES.read_one(connection, statement)


def list_due(connection: sa.Connection, limit: int) -> list[DueDelivery]:
    """Return deliveries that are due, the oldest of each owner first, and few of each webhook."""
    statement = select_due(read_clock(connection), limit)
    rows = connection.execute(statement)
    return [DueDelivery(row.id, row.webhook_id, row.owner_id) for row in rows]


def select_due(now: float, limit: int) -> sa.Select[tuple[UUID, UUID, UUID]]:
    """Return the query of ``list_due``, which reads few rows, however many are due."""
    pending = WEBHOOK_DELIVERY.alias("pending").c
    first = select_distinct(pending.webhook_id, pending.state == DeliveryState.PENDING.value)
    due = WEBHOOK_DELIVERY.alias("due")
    of_webhook = (
        sa.select(due.c.id)
        .where(due.c.webhook_id == first.c.webhook_id, *_is_due(due, now))
        .order_by(due.c.next_attempt_at)
        .limit(1)
        .correlate(first)
    )
    chosen = sa.union_all(
        *(
            sa.select(of_webhook.offset(turn).scalar_subquery().label("id")).select_from(first)
            for turn in range(AT_ONCE_PER_WEBHOOK)
        )
    ).subquery()
    of_owner = sa.func.row_number().over(
        partition_by=_HOOKS.owner_id, order_by=_DELIVERIES.next_attempt_at
    )
    return (
        sa.select(_DELIVERIES.id, _DELIVERIES.webhook_id, _HOOKS.owner_id)
        .join(chosen, chosen.c.id == _DELIVERIES.id)
        .join(WEBHOOK, _HOOKS.id == _DELIVERIES.webhook_id)
        .order_by(of_owner, _DELIVERIES.next_attempt_at)
        .limit(limit)
    )


def claim(
    connection: sa.Connection, ids: Collection[UUID], seconds: float
) -> list[ClaimedDelivery]:
    """Claim those of some deliveries that are still due, and count the attempt.

    They are due again after ``seconds`` if this process records no outcome.
    """
    statement = (
        sa.update(WEBHOOK_DELIVERY)
        .where(_DELIVERIES.id.in_(ids), *_is_due(WEBHOOK_DELIVERY, read_clock(connection)))
        .values(attempts=_DELIVERIES.attempts + 1, next_attempt_at=EpochNow() + seconds)
        .returning(_DELIVERIES.id)
    )
    claimed = list(connection.scalars(statement))
    rows = connection.execute(
        sa.select(
            _DELIVERIES.id,
            _DELIVERIES.webhook_id,
            _HOOKS.owner_id,
            _DELIVERIES.attempts,
            _DELIVERIES.body,
            _HOOKS.url,
            _HOOKS.secret,
            _HOOKS.previous_secret,
            _HOOKS.previous_secret_until,
        )
        .join(WEBHOOK, _HOOKS.id == _DELIVERIES.webhook_id)
        .where(_DELIVERIES.id.in_(claimed))
    )
    return [
        ClaimedDelivery(
            id=row.id,
            webhook_id=row.webhook_id,
            owner_id=row.owner_id,
            attempts=row.attempts,
            body=row.body,
            url=row.url,
            secrets=_list_secrets(row),
        )
        for row in rows
    ]


def _list_secrets(row: Any) -> tuple[str, ...]:
    """Return the secret, and the previous one while it is still valid."""
    until: datetime | None = row.previous_secret_until
    if row.previous_secret is None or until is None or until <= datetime.now(UTC):
        return (row.secret,)
    return row.secret, row.previous_secret


def record_attempt(
    connection: sa.Connection,
    claimed: ClaimedDelivery,
    values: Mapping[str, object],
    pause_s: float | None = None,
) -> None:
    """Record the outcome of an attempt, unless the delivery was claimed or reset meanwhile.

    ``pause_s`` are the seconds until the next attempt; None if there is none.
    """
    pause = {} if pause_s is None else {"next_attempt_at": EpochNow() + pause_s}
    connection.execute(
        _update_claimed(claimed).values(last_attempt_at=datetime.now(UTC), **values, **pause)
    )


def put_back(connection: sa.Connection, claimed: ClaimedDelivery) -> None:
    """Make a claimed delivery due now; the attempt, which was interrupted, does not count."""
    connection.execute(
        _update_claimed(claimed).values(
            attempts=_DELIVERIES.attempts - 1, next_attempt_at=EpochNow()
        )
    )


def _update_claimed(claimed: ClaimedDelivery) -> sa.Update:
    """Return an update of a delivery that applies only while it is claimed."""
    return sa.update(WEBHOOK_DELIVERY).where(
        _DELIVERIES.id == claimed.id,
        _DELIVERIES.attempts == claimed.attempts,
        _DELIVERIES.state == DeliveryState.PENDING.value,
    )


def remove_before(connection: sa.Connection, moment: datetime, limit: int) -> int:
    """Delete delivered and dead deliveries from before a moment, and return how many."""
    old = (
        sa.select(_DELIVERIES.id)
        .where(_DELIVERIES.created_at < moment, _DELIVERIES.state != DeliveryState.PENDING.value)
        .limit(limit)
    )
    return connection.execute(sa.delete(WEBHOOK_DELIVERY).where(_DELIVERIES.id.in_(old))).rowcount


def _is_due(table: sa.FromClause, now: float) -> tuple[sa.ColumnElement[bool], ...]:
    return (table.c.state == DeliveryState.PENDING.value, table.c.next_attempt_at <= now)
