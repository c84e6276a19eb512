"""The models of several evaluations ranked together, as JSON and as a page."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

import orjson
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from thetahat_presentation.showing import name_evaluation
from thetahat_service.api.blocking_calls import read_database, run_in_thread
from thetahat_service.api.documents import parse_id
from thetahat_service.api.page_responses import build_page_response
from thetahat_service.api.problem_responses import NO_RESULT, describe_problems
from thetahat_service.api.request_parts import OwnerId
from thetahat_service.errors import InvalidRequest, NoResult, ResultPending, Unavailable
from thetahat_service.jobs import read
from thetahat_service.jobs.leaderboards import MOST_EVALUATIONS, get_leaderboards
from thetahat_service.pages.leaderboard_page import show_boards
from thetahat_service.schemas.leaderboard import LeaderboardsRead

router = APIRouter(tags=["evaluations"])


@router.get(
    "/v1/leaderboards",
    response_model=LeaderboardsRead,
    responses={**NO_RESULT, **describe_problems(422, 503)},
)
async def rank_evaluations(
    owner_id: OwnerId,
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
    text = await run_in_thread(get_leaderboards, owner_id, of)
    headers = {"Cache-Control": "no-store"}
    return Response(text, media_type="application/json", headers=headers)


@router.get("/leaderboard", include_in_schema=False)
async def show_leaderboard(request: Request, owner_id: OwnerId) -> Response:
    """Return the page with the models of several evaluations ranked together."""
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
        titles = {
            str(row.id): name_evaluation(row.name, row.kind, row.id, row.summary) for row in rows
        }
        context |= show_boards(orjson.loads(text), titles)
    return build_page_response(request, "leaderboard.html", **context)
