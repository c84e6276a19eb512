"""Registering webhooks, and listing the deliveries to them."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

from thetahat_service.errors import FieldError, InvalidRequest, ResourceNotFound
from thetahat_service.outbound.addresses import RefusedAddress, check_url
from thetahat_service.settings import get_settings
from thetahat_service.storage import audit, webhooks
from thetahat_service.storage.audit import Action
from thetahat_service.storage.newest_first import Position, cut_page
from thetahat_service.storage.unit_of_work import reading, unit_of_work
from thetahat_service.storage.webhooks import DeliveryRow, WebhookRow

SECRET_BYTES: Final = 32
SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - the prefix of all secrets


def create(
    owner_id: UUID,
    url: str,
    event_types: Sequence[str],
    description: str | None,
    labels: Mapping[str, str] | None = None,
) -> tuple[WebhookRow, str]:
    """Register a webhook; return it and its secret, which is not shown again.

    Raises ``InvalidRequest`` for a URL to which nothing would be sent. The name is resolved at each
    delivery, not here.
    """
    try:
        check_url(url, get_settings().webhook_hosts)
    except RefusedAddress as error:
        raise InvalidRequest(str(error), (FieldError(("url",), str(error), url),)) from None
    row = WebhookRow(
        id=uuid4(),
        owner_id=owner_id,
        url=url,
        event_types=list(dict.fromkeys(event_types)),
        description=description,
        created_at=datetime.now(UTC),
        disabled_at=None,
        labels=dict(labels) if labels else None,
        previous_secret_until=None,
    )
    secret = _make_secret()
    most = get_settings().max_webhooks
    with unit_of_work() as connection:
        webhooks.ROWS.check_quota(connection, owner_id, most, "THETAHAT_MAX_WEBHOOKS")
        webhooks.ROWS.insert(connection, row, secret=secret)
        audit.add(connection, Action.CREATE_WEBHOOK, row.id, owner_id)
    return row, secret


def list_webhooks(owner_id: UUID) -> list[WebhookRow]:
    """Return an owner's webhooks, the oldest first."""
    with reading() as connection:
        return webhooks.list_of_owner(connection, owner_id)


def rotate_secret(
    owner_id: UUID, webhook_id: UUID, keep_previous_s: float
) -> tuple[WebhookRow, str]:
    """Give a webhook a new secret; return both. The previous one signs too for some time."""
    secret = _make_secret()
    until = datetime.now(UTC) + timedelta(seconds=keep_previous_s)
    with unit_of_work() as connection:
        webhooks.ROWS.get(connection, owner_id, webhook_id)
        webhooks.rotate_secret(connection, webhook_id, secret, until)
        audit.add(connection, Action.ROTATE_WEBHOOK_SECRET, webhook_id, owner_id)
        return webhooks.ROWS.get(connection, owner_id, webhook_id), secret


def delete(owner_id: UUID, webhook_id: UUID) -> None:
    """Delete a webhook with its deliveries; nothing more is sent to it."""
    with unit_of_work() as connection:
        webhooks.ROWS.get(connection, owner_id, webhook_id)
        webhooks.ROWS.delete(connection, webhook_id)
        audit.add(connection, Action.DELETE_WEBHOOK, webhook_id, owner_id)


def list_deliveries(
    owner_id: UUID, webhook_id: UUID, state: str | None, before: Position | None, limit: int
) -> tuple[list[DeliveryRow], Position | None]:
    """Return one page of a webhook's deliveries, newest first, and the position of its end."""
    webhooks.ROWS.fetch(owner_id, webhook_id)
    with reading() as connection:
        rows = webhooks.list_deliveries(connection, webhook_id, state, before, limit + 1)
    return cut_page(rows, limit, lambda row: (row.created_at, row.id))


def send_again(owner_id: UUID, webhook_id: UUID, delivery_id: UUID) -> DeliveryRow:
    """Queue a delivery again, with its first body and id; a disabled webhook is enabled."""
    with unit_of_work() as connection:
        webhooks.ROWS.get(connection, owner_id, webhook_id)
        webhooks.ROWS.update(connection, webhook_id, disabled_at=None)
        row = webhooks.send_again(connection, webhook_id, delivery_id)
        if row is None:
            raise ResourceNotFound(f"Webhook {webhook_id} has no delivery {delivery_id}.")
        audit.add(connection, Action.SEND_WEBHOOK_AGAIN, delivery_id, owner_id)
    return row


def _make_secret() -> str:
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()
