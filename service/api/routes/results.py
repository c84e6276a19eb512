"""What came out of an evaluation: the result and the losses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse, StreamingResponse

from service.api.calls import ask, labour
from service.api.documents import identifier
from service.api.loss_tables import CSV, JSON, OFFERED, PARQUET, as_csv, as_json
from service.api.negotiation import chosen_type
from service.errors import NoResult
from service.jobs import read
from service.jobs.partial import result as partial_result
from service.schemas.problem import ProblemDocument

router = APIRouter(prefix="/v1/evaluations/{evaluation_id}", tags=["evaluations"])

CACHED = {"Cache-Control": "private, max-age=60", "Vary": "Authorization, Accept"}
UNCACHED = {"Cache-Control": "no-store"}
MISSING: dict[int | str, dict[str, Any]] = {
    404: {"model": ProblemDocument},
    409: {"model": ProblemDocument, "description": "result_not_ready, or no_result for ever."},
}


@router.get("/result", responses={200: {"description": "The result."}, **MISSING})
async def get_result(
    request: Request,
    evaluation_id: str,
    *,
    partial: Annotated[
        bool,
        Query(
            description="Before the end, return the evaluation of the learners that are complete; "
            "it has a member partial that names them."
        ),
    ] = False,
) -> Response:
    """Return the result; 409 until there is one, or with partial until a learner is complete."""
    owner_id: UUID = request.scope["owner_id"]
    wanted = identifier(evaluation_id, "evaluation")
    try:
        if partial:
            text = await labour(partial_result, owner_id, wanted)
            return Response(text, media_type=JSON, headers=UNCACHED)
        text = await ask(read.result, owner_id, wanted)
    except NoResult as error:
        raise await _with_reason(error, owner_id, wanted) from None
    return Response(text, media_type=JSON, headers=CACHED)


@router.get(
    "/losses",
    responses={
        200: {
            "description": "One row per instance, one column per model.",
            "content": {PARQUET: {}, CSV: {}},
        },
        406: {"model": ProblemDocument},
        **MISSING,
    },
)
async def get_losses(request: Request, evaluation_id: str) -> Response:
    """Return the losses, in the type that ``Accept`` names."""
    owner_id: UUID = request.scope["owner_id"]
    wanted = identifier(evaluation_id, "evaluation")
    kind = chosen_type(request.headers.get("accept"), OFFERED)
    try:
        path: Path = await ask(read.losses_path, owner_id, wanted)
    except NoResult as error:
        raise await _with_reason(error, owner_id, wanted) from None
    if kind == PARQUET:
        name = f"{wanted}.parquet"
        return FileResponse(path, media_type=PARQUET, headers=CACHED, filename=name)
    return StreamingResponse(
        as_csv(path) if kind == CSV else as_json(path), media_type=kind, headers=CACHED
    )


async def _with_reason(error: NoResult, owner_id: UUID, evaluation_id: UUID) -> NoResult:
    """Put the evaluation's status and its own error into the refusal."""
    row = await ask(read.get, owner_id, evaluation_id)
    error.extra = {"evaluation_status": row.status, "evaluation_error": row.error}
    return error
