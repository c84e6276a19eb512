"""Pages of protocols: the list, and one protocol with the evaluations that name it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from thetahat_presentation.protocol import show_protocol
from thetahat_service.api.blocking_calls import run_in_thread, write_database
from thetahat_service.api.forms import SEE_OTHER, read_form
from thetahat_service.api.page_responses import build_page_response
from thetahat_service.api.paged_lists import PAGE_LENGTH, show_paged_list
from thetahat_service.api.request_parts import OwnerId, ProtocolId
from thetahat_service.api.validation import validate
from thetahat_service.jobs import read
from thetahat_service.protocols import keeping
from thetahat_service.protocols.documents import build_protocol_document
from thetahat_service.schemas.protocol import WithdrawRequest
from thetahat_service.storage.evaluations import Filters
from thetahat_service.storage.protocols import ROWS

router = APIRouter(include_in_schema=False)


@router.get("/protocols")
async def show_list(request: Request) -> Response:
    """Return the page with the list of protocols."""
    return await show_paged_list(request, "protocols.html", ROWS.list_page, build_protocol_document)


@router.get("/protocols/{protocol_id}")
async def show_one(request: Request, owner_id: OwnerId, protocol_id: ProtocolId) -> Response:
    """Return the page of a protocol."""
    context = await run_in_thread(build_context, owner_id, protocol_id)
    return build_page_response(request, "protocol.html", **context)


def build_context(owner_id: UUID, protocol_id: UUID) -> dict[str, Any]:
    """Return what the page of a protocol shows."""
    protocol = build_protocol_document(ROWS.fetch(owner_id, protocol_id))
    named = Filters(protocol=protocol_id)
    evaluations, end = read.list_evaluations(owner_id, named, None, PAGE_LENGTH)
    return {
        "item": protocol,
        "document": show_protocol(protocol),
        "evaluations": evaluations,
        "has_more": end is not None,
    }


@router.post("/protocols/{protocol_id}/withdraw")
async def withdraw_from_page(
    request: Request, owner_id: OwnerId, protocol_id: ProtocolId
) -> Response:
    """Withdraw a protocol, and return to its page."""
    form = await read_form(request)
    body = validate({"reason": form.get("reason", [""])[-1]}, WithdrawRequest)
    await write_database(keeping.withdraw, owner_id, protocol_id, body.reason)
    return RedirectResponse(f"/protocols/{protocol_id}", SEE_OTHER)
