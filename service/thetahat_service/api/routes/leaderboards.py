"""The models of several evaluations ranked together, as JSON and as a page."""

from __future__ import annotations

from typing import Annotated, Any, Final
from uuid import UUID

import orjson
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from thetahat_service.api.blocking_calls import read_database, run_in_thread
from thetahat_service.api.documents import parse_id
from thetahat_service.api.page_responses import build_page_response
from thetahat_service.errors import InvalidRequest, NoResult, ResultPending, Unavailable
from thetahat_service.jobs import read
from thetahat_service.jobs.leaderboards import MOST_EVALUATIONS, get_leaderboards
from thetahat_service.pages.leaderboard_page import show_boards
from thetahat_service.schemas.leaderboard import LeaderboardsRead
from thetahat_service.schemas.problem import ProblemDocument

router = APIRouter(tags=["evaluations"])

PROBLEM: Final[dict[str, object]] = {"model": ProblemDocument}


@router.get(
    "/v1/leaderboards",
    response_model=LeaderboardsRead,
    responses={
        404: PROBLEM,
        409: {**PROBLEM, "description": "result_not_ready, or no_result if there will be none."},
        422: PROBLEM,
        503: PROBLEM,
    },
)
async def rank_evaluations(
    request: Request,
    of: Annotated[
        list[UUID],
        Query(
            description=f"The ids of the evaluations, from 1 to {MOST_EVALUATIONS}; of is given "
            "once for each.",
        ),
    ],
) -> Response:
    """Rank the models of several evaluations together, where they were tested on the same rows.

    Models are paired row by row by their kept losses. Evaluations of other rows, measures or blocks
    are on boards of their own.
    """
    owner_id: UUID = request.scope["owner_id"]
    text = await run_in_thread(get_leaderboards, owner_id, of)
    headers = {"Cache-Control": "no-store"}
    return Response(text, media_type="application/json", headers=headers)


@router.get("/leaderboard", include_in_schema=False)
async def show_leaderboard(request: Request) -> Response:
    """Return the page with the models of several evaluations ranked together."""
    owner_id: UUID = request.scope["owner_id"]
    named = [parse_id(each, "evaluation") for each in request.query_params.getlist("of")]
    if not named:
        return RedirectResponse("/", status_code=303)
    rows = [await read_database(read.get, owner_id, each) for each in named]
    context: dict[str, Any] = {"boards": [], "left_out": [], "problem": ""}
    try:
        text = await run_in_thread(get_leaderboards, owner_id, named)
    except (InvalidRequest, NoResult, ResultPending, Unavailable) as error:
        context["problem"] = str(error)
    else:
        titles = {str(row.id): row.name or row.kind for row in rows}
        context |= show_boards(orjson.loads(text), titles)
    return build_page_response(request, "leaderboard.html", **context)
