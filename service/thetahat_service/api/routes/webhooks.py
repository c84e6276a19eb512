"""Webhooks: addresses that are told when evaluations end and series are decided."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response

from thetahat.values.json_values import JsonValue
from thetahat_service.api.blocking_calls import read_database, write_database
from thetahat_service.api.cursors import decode_cursor, encode_cursor
from thetahat_service.api.documents import build_json_response
from thetahat_service.api.problem_responses import describe_problems
from thetahat_service.api.query_parameters import Cursor, Limit
from thetahat_service.api.request_parts import DeliveryId, OwnerId, WebhookId
from thetahat_service.api.validation import read_valid_body
from thetahat_service.jobs import webhooks
from thetahat_service.schemas.base import Schema
from thetahat_service.schemas.webhooks import (
    DeliveryPage,
    DeliveryRead,
    NewWebhook,
    WebhookList,
    WebhookRead,
    WebhookRequest,
)
from thetahat_service.settings import DAY_S
from thetahat_service.states import DeliveryState, WebhookEvent
from thetahat_service.storage.webhooks import ROWS, DeliveryRow, WebhookRow

router = APIRouter(prefix="/v1/webhooks", tags=["webhooks"])

BODIES: Final[dict[str, type[Schema]]] = {"/v1/webhooks": WebhookRequest}
"""The bodies of POST requests, for the OpenAPI document."""
LONGEST_KEPT_S: Final = 30 * DAY_S
WEBHOOK_FIELDS: Final = tuple(WebhookRead.model_fields)
DELIVERY_FIELDS: Final = tuple(DeliveryRead.model_fields)


@router.post(
    "",
    status_code=201,
    response_model=NewWebhook,
    responses=describe_problems(422, (429, "The owner has too many webhooks.")),
)
async def create_webhook(request: Request, owner_id: OwnerId) -> Response:
    """Register a webhook; the response is the only place that shows its secret."""
    body = await read_valid_body(request, WebhookRequest)
    types = [event_type.value for event_type in body.event_types]
    row, secret = await write_database(
        webhooks.create,
        owner_id,
        body.url,
        types,
        body.description,
        body.labels,
    )
    headers = {"Location": f"/v1/webhooks/{row.id}", "Cache-Control": "no-store"}
    return build_json_response({**_describe(row), "secret": secret}, 201, headers)


@router.get("", response_model=WebhookList)
async def list_webhooks(owner_id: OwnerId) -> Response:
    """List the webhooks, without their secrets."""
    rows = await read_database(webhooks.list_webhooks, owner_id)
    return build_json_response({"items": [_describe(row) for row in rows]})


@router.get("/{webhook_id}", response_model=WebhookRead, responses=describe_problems(404))
async def get_webhook(owner_id: OwnerId, webhook_id: WebhookId) -> Response:
    """Return a webhook, without its secret."""
    row = await read_database(ROWS.fetch, owner_id, webhook_id)
    return build_json_response(_describe(row))


@router.delete("/{webhook_id}", status_code=204, responses=describe_problems(404))
async def delete_webhook(owner_id: OwnerId, webhook_id: WebhookId) -> Response:
    """Delete a webhook with its deliveries; nothing more is sent to it."""
    await write_database(webhooks.delete, owner_id, webhook_id)
    return Response(status_code=204)


@router.post(
    "/{webhook_id}/rotate",
    response_model=NewWebhook,
    responses=describe_problems(404, 422),
)
async def rotate_webhook_secret(
    owner_id: OwnerId,
    webhook_id: WebhookId,
    keep_previous_s: Annotated[
        int,
        Query(
            ge=0,
            le=LONGEST_KEPT_S,
            description="Seconds for which deliveries are signed with the previous secret, too.",
        ),
    ] = DAY_S,
) -> Response:
    """Give a webhook a new secret; the response is the only place that shows it.

    Until receivers know the new secret, deliveries have two signatures in one header.
    """
    row, secret = await write_database(
        webhooks.rotate_secret,
        owner_id,
        webhook_id,
        keep_previous_s,
    )
    headers = {"Cache-Control": "no-store"}
    return build_json_response({**_describe(row), "secret": secret}, 200, headers)


@router.get(
    "/{webhook_id}/deliveries",
    response_model=DeliveryPage,
    responses=describe_problems(404, 422),
)
async def list_deliveries(
    owner_id: OwnerId,
    webhook_id: WebhookId,
    state: Annotated[
        DeliveryState | None, Query(description="Only deliveries in this state.")
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """List what was sent to a webhook, or waits to be, newest first."""
    filters = f"deliveries of {webhook_id} {state}"
    before = decode_cursor(cursor, filters)
    rows, end = await read_database(
        webhooks.list_deliveries, owner_id, webhook_id, state, before, limit
    )
    items = [_describe_delivery(row) for row in rows]
    return build_json_response({"items": items, "next": encode_cursor(end, filters)})


@router.post(
    "/{webhook_id}/deliveries/{delivery_id}/send",
    status_code=202,
    response_model=DeliveryRead,
    responses=describe_problems(404),
)
async def send_delivery_again(
    owner_id: OwnerId, webhook_id: WebhookId, delivery_id: DeliveryId
) -> Response:
    """Send a delivery again, with its first body and id; a disabled webhook is enabled."""
    row = await write_database(
        webhooks.send_again,
        owner_id,
        webhook_id,
        delivery_id,
    )
    return build_json_response(_describe_delivery(row), 202)


def _describe(row: WebhookRow) -> dict[str, JsonValue]:
    values = {name: value for name, value in asdict(row).items() if name in WEBHOOK_FIELDS}
    return {**values, "labels": row.labels or {}}


def _describe_delivery(row: DeliveryRow) -> dict[str, object]:
    values = {name: value for name, value in asdict(row).items() if name in DELIVERY_FIELDS}
    due = datetime.fromtimestamp(row.next_attempt_at, UTC)
    is_series = row.event_type == WebhookEvent.DECIDED
    return {
        **values,
        "evaluation_id": None if is_series else row.evaluation_id,
        "series_id": row.evaluation_id if is_series else None,
        "next_attempt_at": due if row.state == DeliveryState.PENDING else None,
    }
