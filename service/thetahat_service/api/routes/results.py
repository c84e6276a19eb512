"""The request, the result and the losses of an evaluation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from typing import Annotated
from uuid import UUID

import orjson
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from thetahat_service.api.blocking_calls import read_database, run_in_thread
from thetahat_service.api.documents import build_json_response
from thetahat_service.api.loss_responses import (
    AVAILABLE,
    CSV,
    JSON,
    PARQUET,
    CountedResponse,
    OpenFileResponse,
    begin_csv,
    begin_json,
    open_losses,
    open_parquet,
)
from thetahat_service.api.media_types import choose_media_type
from thetahat_service.api.problem_responses import NO_RESULT, UNREADABLE, describe_problems
from thetahat_service.api.query_parameters import NO_NUL, Include, Limit
from thetahat_service.api.request_parts import EvaluationId, OwnerId
from thetahat_service.api.simultaneous_requests import SimultaneousRequests
from thetahat_service.errors import NoResult
from thetahat_service.jobs import read, result_parts
from thetahat_service.jobs.differences import InstanceQuery, read_differences
from thetahat_service.jobs.partial import get_result as get_partial_result
from thetahat_service.schemas.evaluation import InstanceDifferencesRead, LossTableRead
from thetahat_service.schemas.openapi_examples import EXAMPLES
from thetahat_service.settings import get_settings

router = APIRouter(prefix="/v1/evaluations/{evaluation_id}", tags=["evaluations"])

CACHED = {"Cache-Control": "private, max-age=60", "Vary": "Authorization, Accept"}
UNCACHED = {"Cache-Control": "no-store"}
DOWNLOADS = SimultaneousRequests("downloads of losses", "sent")


@router.get(
    "/request",
    responses={
        200: {"description": "The request with the seed that it had."},
        **describe_problems(404),
    },
)
async def get_request(owner_id: OwnerId, evaluation_id: EvaluationId) -> Response:
    """Return the request; sent again, it gives the same numbers."""
    row = await read_database(read.get, owner_id, evaluation_id)
    body = orjson.dumps(await run_in_thread(read.get_request, row))
    return Response(body, media_type=JSON, headers=CACHED)


@router.get("/result", responses={200: {"description": "The result."}, **NO_RESULT})
async def get_result(
    owner_id: OwnerId,
    evaluation_id: EvaluationId,
    *,
    partial: Annotated[
        bool,
        Query(
            description="While the evaluation runs, return the result of the learners that are "
            "complete; its field partial names them."
        ),
    ] = False,
    include: Include = None,
) -> Response:
    """Return the result; 409 while there is none, or with ``partial`` no complete learner.

    Parts that the request did not include are computed from the losses that are kept.
    """
    async with _adding_reason(owner_id, evaluation_id):
        if partial:
            text = await run_in_thread(get_partial_result, owner_id, evaluation_id)
            return Response(text, media_type=JSON, headers=UNCACHED)
        if include is not None:
            parts = include.split(",")
            text = await run_in_thread(result_parts.get_result, owner_id, evaluation_id, parts)
        else:
            text = await read_database(read.get_result, owner_id, evaluation_id)
    return Response(text, media_type=JSON, headers=CACHED)


@router.get(
    "/losses",
    responses={
        200: {
            "model": LossTableRead,
            "description": "One row per instance, one column per model.",
            "content": {
                CSV: {"schema": {"type": "string"}},
                PARQUET: {"schema": {"type": "string", "format": "binary"}},
            },
        },
        **describe_problems(406),
        **UNREADABLE,
        **NO_RESULT,
    },
)
async def get_losses(request: Request, owner_id: OwnerId, evaluation_id: EvaluationId) -> Response:
    """Return the losses in the media type of the Accept header."""
    media_type = choose_media_type(request.headers.get("accept"), AVAILABLE)
    with ExitStack() as stack:
        stack.enter_context(DOWNLOADS.count(owner_id, get_settings().max_downloads))
        async with _adding_reason(owner_id, evaluation_id):
            response = await _open_losses(owner_id, evaluation_id, media_type)
        return CountedResponse(response, stack.pop_all())


@router.get(
    "/differences",
    responses={
        200: {
            "model": InstanceDifferencesRead,
            "content": {JSON: {"example": EXAMPLES["differences"]}},
        },
        **describe_problems(422),
        **UNREADABLE,
        **NO_RESULT,
    },
)
async def list_differences(  # noqa: PLR0913 - the parameters of the query
    owner_id: OwnerId,
    evaluation_id: EvaluationId,
    a: Annotated[
        str | None, Query(max_length=200, description="The first model; else one of the others.")
    ] = None,
    b: Annotated[
        str | None, Query(max_length=200, description="The second model; else one of the others.")
    ] = None,
    search: Annotated[
        str,
        Query(
            max_length=200,
            description="What the label of an instance, its block or its cluster contains.",
            json_schema_extra=NO_NUL,
        ),
    ] = "",
    offset: Annotated[
        int, Query(ge=0, le=10**9, description="Instances to leave out at the beginning.")
    ] = 0,
    limit: Limit = 50,
) -> Response:
    """List the instances on which two models differ, the largest difference first."""
    query = InstanceQuery(a=a, b=b, search=search, offset=offset, limit=limit)
    find = partial(read.find_losses_file, owner_id, evaluation_id)
    async with _adding_reason(owner_id, evaluation_id):
        found = await run_in_thread(open_losses, find, lambda path: read_differences(path, query))
    return build_json_response(found.model_dump(), headers=CACHED)


async def _open_losses(owner_id: UUID, evaluation_id: UUID, media_type: str) -> Response:
    """Return the response of the losses, whose file is open."""
    find = partial(read.find_losses_file, owner_id, evaluation_id)
    if media_type == PARQUET:
        file = await run_in_thread(open_losses, find, open_parquet)
        name = f"{evaluation_id}.parquet"
        return OpenFileResponse(file, media_type=PARQUET, headers=CACHED, filename=name)
    rows = await run_in_thread(open_losses, find, begin_csv if media_type == CSV else begin_json)
    return StreamingResponse(rows, media_type=media_type, headers=CACHED)


@asynccontextmanager
async def _adding_reason(owner_id: UUID, evaluation_id: UUID) -> AsyncIterator[None]:
    """Add the evaluation's status and its own error to the document of an error ``NoResult``."""
    try:
        yield
    except NoResult as error:
        row = await read_database(read.get, owner_id, evaluation_id)
        error.extra = {"evaluation_status": row.status, "evaluation_error": row.error}
        raise
