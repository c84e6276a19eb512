"""Pages of Ladders: the list, and one Ladder with its figure."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter, Request, Response

from thetahat_presentation.ladder import show_ladder
from thetahat_service.api.blocking_calls import run_in_thread
from thetahat_service.api.page_responses import build_page_response
from thetahat_service.api.paged_lists import show_paged_list
from thetahat_service.api.request_parts import LadderId, OwnerId
from thetahat_service.jobs import ladders
from thetahat_service.storage.newest_first import Position

router = APIRouter(include_in_schema=False)

SHOWN_SCORES: Final = 200
"""Scores that the page of a Ladder lists; the JSON of its scores has all."""


@router.get("/ladders")
async def show_list(request: Request) -> Response:
    """Return the page with the list of Ladders."""
    return await show_paged_list(request, "ladders.html", list_all, dict)


def list_all(
    owner_id: UUID, before: Position | None, limit: int
) -> tuple[list[dict[str, Any]], Position | None]:
    """Return one page of an owner's Ladders on any data set."""
    return ladders.list_ladders(owner_id, None, None, before, limit)


@router.get("/ladders/{ladder_id}")
async def show_one(request: Request, owner_id: OwnerId, ladder_id: LadderId) -> Response:
    """Return the page of a Ladder."""
    context = await run_in_thread(build_context, owner_id, ladder_id)
    return build_page_response(request, "ladder.html", **context)


def build_context(owner_id: UUID, ladder_id: UUID) -> dict[str, Any]:
    """Return what the page of a Ladder shows."""
    ladder = ladders.get(owner_id, ladder_id)
    scores, end = ladders.list_scores(owner_id, ladder_id, None, SHOWN_SCORES)
    return {
        "item": ladder,
        "document": show_ladder(ladder, scores, has_more=end is not None),
        "figure": ladders.read_figure(owner_id, ladder_id),
    }
