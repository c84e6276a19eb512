"""Pages with a list of an owner's rows that no filter chooses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from thetahat_service.api.blocking_calls import read_database
from thetahat_service.api.cursors import decode_cursor, encode_cursor
from thetahat_service.api.page_responses import build_page_response
from thetahat_service.storage.newest_first import Position

PAGE_LENGTH: Final = 50

Row = TypeVar("Row")


async def show_paged_list(
    request: Request,
    template: str,
    list_rows: Callable[[UUID, Position | None, int], tuple[list[Row], Position | None]],
    build: Callable[[Row], dict[str, Any]],
) -> Response:
    """Return a page of the list; the path of the request is that of its next page, too."""
    path = request.url.path
    owner_id: UUID = request.scope["owner_id"]
    before = decode_cursor(request.query_params.get("cursor"), path)
    rows, end = await read_database(list_rows, owner_id, before, PAGE_LENGTH)
    cursor = encode_cursor(end, path)
    return build_page_response(
        request,
        template,
        items=[build(row) for row in rows],
        next=None if cursor is None else f"{path}?cursor={cursor}",
    )
