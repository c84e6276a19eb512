"""API keys and the audit log; for keys with the scope admin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response

from thetahat_service.api.blocking_calls import read_database, write_database
from thetahat_service.api.cursors import decode_cursor, encode_cursor
from thetahat_service.api.documents import build_json_response
from thetahat_service.api.problem_responses import describe_problems
from thetahat_service.api.query_parameters import Cursor, Limit
from thetahat_service.api.validation import read_valid_body
from thetahat_service.errors import FieldError, InvalidRequest, ResourceNotFound
from thetahat_service.schemas.access import (
    AuditPage,
    KeyList,
    KeyRead,
    KeyRequest,
    KeyRotation,
    NewKey,
)
from thetahat_service.schemas.base import Schema
from thetahat_service.storage import api_keys, audit
from thetahat_service.storage.api_keys import KeyRow
from thetahat_service.storage.audit import AuditRow
from thetahat_service.storage.newest_first import Position, cut_page
from thetahat_service.storage.unit_of_work import reading, unit_of_work

router = APIRouter(tags=["access"])
REFUSALS: Final = describe_problems(403, 422)
NOT_FOUND: Final = describe_problems(404)

BODIES: Final[dict[str, type[Schema]]] = {
    "/v1/keys": KeyRequest,
    "/v1/keys/{prefix}/rotate": KeyRotation,
}
"""The bodies of POST requests, for the OpenAPI document."""
KEY_FIELDS: Final = tuple(KeyRead.model_fields)


@router.get("/v1/keys", response_model=KeyList, responses=REFUSALS)
async def list_keys() -> Response:
    """List all API keys, without their secret parts."""
    rows = await read_database(_read_keys)
    return build_json_response({"items": [_describe_key(row) for row in rows]})


@router.post(
    "/v1/keys",
    status_code=201,
    response_model=NewKey,
    responses=REFUSALS,
)
async def create_key(request: Request) -> Response:
    """Create an API key; the response is the only place that shows it."""
    key_request = await read_valid_body(request, KeyRequest)
    _check_expiry(key_request.expires_at)
    key, row = await write_database(_create_key, key_request)
    return build_json_response({**_describe_key(row), "key": key}, 201)


@router.post(
    "/v1/keys/{prefix}/rotate",
    status_code=201,
    response_model=NewKey,
    responses=REFUSALS | NOT_FOUND,
)
async def rotate_key(request: Request, prefix: str) -> Response:
    """Replace a key by a new one; the old one works for some more hours."""
    rotation = await read_valid_body(request, KeyRotation)
    key, row = await write_database(_rotate_key, prefix, timedelta(hours=rotation.grace_hours))
    return build_json_response({**_describe_key(row), "key": key}, 201)


@router.delete("/v1/keys/{prefix}", status_code=204, responses=REFUSALS | NOT_FOUND)
async def revoke_key(prefix: str) -> Response:
    """Revoke a key; requests with it are refused within seconds."""
    await write_database(_revoke_key, prefix)
    return Response(status_code=204)


@router.get("/v1/audit", response_model=AuditPage, responses=REFUSALS)
async def list_audit(
    subject: Annotated[
        str | None,
        Query(max_length=200, description="Only entries about this id or prefix of a key."),
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """List who did what, newest first."""
    filters = f"audit {subject!r}"
    before = decode_cursor(cursor, filters)
    rows, end = await read_database(_read_audit, before, limit, subject)
    items = [
        {key: value for key, value in asdict(row).items() if key != "owner_id"} for row in rows
    ]
    return build_json_response({"items": items, "next": encode_cursor(end, filters)})


def _read_keys() -> Sequence[KeyRow]:
    with reading() as connection:
        return api_keys.list_all(connection)


def _create_key(key_request: KeyRequest) -> tuple[str, KeyRow]:
    """Create a key; return it and its row."""
    with unit_of_work() as connection:
        key = api_keys.create(
            connection,
            key_request.name,
            key_request.owner,
            key_request.scope,
            key_request.expires_at,
        )
        return key, api_keys.get(connection, key[: api_keys.PREFIX_LENGTH])


def _rotate_key(prefix: str, grace: timedelta) -> tuple[str, KeyRow]:
    with unit_of_work() as connection:
        key = api_keys.rotate(connection, prefix, grace)
        if key is None:
            raise _build_not_found_error(prefix)
        return key, api_keys.get(connection, key[: api_keys.PREFIX_LENGTH])


def _revoke_key(prefix: str) -> None:
    with unit_of_work() as connection:
        if not api_keys.revoke(connection, prefix):
            raise _build_not_found_error(prefix)


def _read_audit(
    before: Position | None, limit: int, subject: str | None
) -> tuple[list[AuditRow], Position | None]:
    with reading() as connection:
        rows = audit.list_page(connection, before, limit + 1, subject)
    return cut_page(rows, limit, lambda row: (row.at, row.id))


def _check_expiry(expires_at: datetime | None) -> None:
    if expires_at is None:
        return
    if expires_at.tzinfo is None:
        message = "The time expires_at needs a time zone, such as Z at its end."
    elif expires_at <= datetime.now(UTC):
        message = f"The time expires_at, {expires_at.isoformat()}, is in the past."
    else:
        return
    raise InvalidRequest(message, (FieldError(("expires_at",), message, expires_at.isoformat()),))


def _describe_key(row: KeyRow) -> dict[str, object]:
    body = {name: getattr(row, name) for name in KEY_FIELDS}
    return body | {"scope": row.scope.value}


def _build_not_found_error(prefix: str) -> ResourceNotFound:
    return ResourceNotFound(f"There is no key in force that begins with {prefix[:40]!r}.")
