"""Ladders: the scores that were published of the submissions to one holdout."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response

from thetahat_service.api.blocking_calls import read_database, run_in_thread
from thetahat_service.api.cursors import decode_cursor, decode_number_cursor, encode_cursor
from thetahat_service.api.documents import build_json_response
from thetahat_service.api.problem_responses import describe_problems
from thetahat_service.api.query_parameters import Cursor, Limit
from thetahat_service.api.request_parts import LadderId, OwnerId
from thetahat_service.api.routes.figures import (
    FIGURE_RESPONSES,
    StyleQuery,
    build_figure_response,
    split_file_name,
)
from thetahat_service.errors import ResourceNotFound
from thetahat_service.figures import ladder_scores
from thetahat_service.jobs import ladders
from thetahat_service.schemas.ladder import LadderPage, LadderRead, LadderScorePage

router = APIRouter(prefix="/v1/ladders", tags=["ladders"])


@router.get("", response_model=LadderPage, responses=describe_problems(404, 422))
async def list_ladders(
    owner_id: OwnerId,
    dataset: Annotated[
        UUID | None, Query(description="Only Ladders on the content of this data set.")
    ] = None,
    target: Annotated[
        str | None,
        Query(description="Only Ladders on this column.", max_length=1000, pattern=r"^[^\x00]*$"),
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """List Ladders, newest first; a submission makes one."""
    filters = f"ladders {dataset} {target!r}"
    before = decode_cursor(cursor, filters)
    items, end = await read_database(ladders.list_ladders, owner_id, dataset, target, before, limit)
    return build_json_response({"items": items, "next": encode_cursor(end, filters)})


@router.get("/{ladder_id}", response_model=LadderRead, responses=describe_problems(404))
async def get_ladder(owner_id: OwnerId, ladder_id: LadderId) -> Response:
    """Return a Ladder: what its first submission has fixed, and what is published."""
    document = await read_database(ladders.get, owner_id, ladder_id)
    return build_json_response(document)


@router.get(
    "/{ladder_id}/scores", response_model=LadderScorePage, responses=describe_problems(404, 422)
)
async def list_ladder_scores(
    owner_id: OwnerId, ladder_id: LadderId, limit: Limit = 50, cursor: Cursor = None
) -> Response:
    """List the scores that a Ladder has published, newest first."""
    filters = f"scores of {ladder_id}"
    before = decode_number_cursor(cursor, filters)
    items, end = await read_database(ladders.list_scores, owner_id, ladder_id, before, limit)
    return build_json_response({"items": items, "next": encode_cursor(end, filters)})


@router.get(
    "/{ladder_id}/figures/{file_name}",
    responses={**FIGURE_RESPONSES, **describe_problems(404)},
)
async def get_ladder_figure(
    request: Request,
    owner_id: OwnerId,
    ladder_id: LadderId,
    file_name: str,
    style: StyleQuery,
) -> Response:
    """Return the figure of a Ladder: ``scores.svg``, ``.png``, ``.pdf`` or ``.json``."""
    name, form = split_file_name(file_name, request.headers.get("accept"))
    if name != ladder_scores.NAME:
        raise ResourceNotFound(
            f"A Ladder has no figure {name[:80]!r}; its figure is {ladder_scores.NAME}."
        )
    figure = await run_in_thread(ladders.read_figure, owner_id, ladder_id)
    return await build_figure_response(figure.build_spec(style), form)
