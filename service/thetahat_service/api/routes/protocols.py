"""Protocols: plans that are fixed before the data."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request, Response

from thetahat_service.api.blocking_calls import read_database, write_database
from thetahat_service.api.cursors import decode_cursor, encode_cursor
from thetahat_service.api.documents import build_json_response
from thetahat_service.api.keyed_bodies import create_from_body
from thetahat_service.api.problem_responses import LIMITED_BODY, describe_problems
from thetahat_service.api.query_parameters import Cursor, Limit
from thetahat_service.api.request_parts import OwnerId, ProtocolId
from thetahat_service.api.validation import read_valid_body
from thetahat_service.protocols import keeping
from thetahat_service.protocols.documents import build_protocol_document, build_protocol_path
from thetahat_service.protocols.request import ProtocolRequest
from thetahat_service.schemas.base import Schema
from thetahat_service.schemas.protocol import ProtocolPage, ProtocolRead, WithdrawRequest
from thetahat_service.storage.protocols import ROWS

router = APIRouter(prefix="/v1/protocols", tags=["protocols"])

BODIES: Final[dict[str, type[Schema]]] = {
    "/v1/protocols": ProtocolRequest,
    "/v1/protocols/{protocol_id}/withdraw": WithdrawRequest,
}
"""The bodies of POST requests, for the OpenAPI document."""
FILTERS: Final = "protocols"


@router.post(
    "",
    status_code=201,
    response_model=ProtocolRead,
    responses=describe_problems(409) | LIMITED_BODY,
)
async def create_protocol(request: Request) -> Response:
    """Fix a plan before the data; nothing of it changes later."""
    created = await create_from_body(request, ProtocolRequest, keeping.create)
    headers = {"Location": build_protocol_path(created.row.id), **created.headers}
    return build_json_response(build_protocol_document(created.row), 201, headers)


@router.get("", response_model=ProtocolPage, responses=describe_problems(422))
async def list_protocols(owner_id: OwnerId, limit: Limit = 50, cursor: Cursor = None) -> Response:
    """List protocols, newest first."""
    before = decode_cursor(cursor, FILTERS)
    rows, end = await read_database(ROWS.list_page, owner_id, before, limit)
    items = [build_protocol_document(row) for row in rows]
    return build_json_response({"items": items, "next": encode_cursor(end, FILTERS)})


@router.get("/{protocol_id}", response_model=ProtocolRead, responses=describe_problems(404))
async def get_protocol(owner_id: OwnerId, protocol_id: ProtocolId) -> Response:
    """Return a protocol: what is fixed, since when, and what names it."""
    row = await read_database(ROWS.fetch, owner_id, protocol_id)
    return build_json_response(build_protocol_document(row))


@router.post(
    "/{protocol_id}/withdraw",
    response_model=ProtocolRead,
    responses={**describe_problems(404), **LIMITED_BODY},
)
async def withdraw_protocol(
    request: Request, owner_id: OwnerId, protocol_id: ProtocolId
) -> Response:
    """Record that a protocol is withdrawn, and why; one that is withdrawn is not changed."""
    body = await read_valid_body(request, WithdrawRequest)
    row = await write_database(keeping.withdraw, owner_id, protocol_id, body.reason)
    return build_json_response(build_protocol_document(row))


@router.delete("/{protocol_id}", status_code=204, responses=describe_problems(404, 409))
async def delete_protocol(owner_id: OwnerId, protocol_id: ProtocolId) -> Response:
    """Delete a protocol that no evaluation and no series names."""
    await write_database(keeping.delete, owner_id, protocol_id)
    return Response(status_code=204)
