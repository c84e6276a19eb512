"""Pages of series: the list, and one series with its figure."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter, Request, Response

from thetahat_presentation.series import FIGURE_SECTION, ask_series, show_series
from thetahat_service.api.blocking_calls import run_in_thread
from thetahat_service.api.forms import act_from_page
from thetahat_service.api.page_responses import build_page_response
from thetahat_service.api.paged_lists import show_paged_list
from thetahat_service.api.request_parts import OwnerId, SeriesId
from thetahat_service.series import keeping
from thetahat_service.series.documents import (
    build_listed_document,
    build_look_document,
    build_series_document,
    read_figure,
)
from thetahat_service.storage.series import ROWS

router = APIRouter(include_in_schema=False)

SHOWN_LOOKS: Final = 200
"""Looks that the page of a series lists; the JSON of its looks has all."""


@router.get("/series")
async def show_list(request: Request) -> Response:
    """Return the page with the list of series."""
    return await show_paged_list(request, "series_list.html", ROWS.list_page, build_listed_document)


@router.get("/series/{series_id}")
async def show_one(request: Request, owner_id: OwnerId, series_id: SeriesId) -> Response:
    """Return the page of a series."""
    context = await run_in_thread(build_context, owner_id, series_id)
    return build_page_response(request, "series.html", **context)


def build_context(owner_id: UUID, series_id: UUID) -> dict[str, Any]:
    """Return what the page of a series shows."""
    row, latest = keeping.get_with_latest(owner_id, series_id)
    looks, _ = keeping.list_looks(owner_id, series_id, row.batches + 1, SHOWN_LOOKS)
    series = build_series_document(row, latest)
    return {
        "item": series,
        "question": ask_series(series),
        "document": show_series(series, [build_look_document(look) for look in looks]),
        "figure": read_figure(owner_id, series_id) if looks else None,
        "figure_section": FIGURE_SECTION,
    }


@router.post("/series/{series_id}/close")
async def close_from_page(request: Request, owner_id: OwnerId, series_id: SeriesId) -> Response:
    """Close a series, and return to its page."""
    path = f"/series/{series_id}"
    return await act_from_page(request, path, keeping.close, owner_id, series_id)


@router.post("/series/{series_id}/delete")
async def delete_from_page(request: Request, owner_id: OwnerId, series_id: SeriesId) -> Response:
    """Delete a series, and return to the list."""
    return await act_from_page(request, "/series", keeping.delete, owner_id, series_id)
