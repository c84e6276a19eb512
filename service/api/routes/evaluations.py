"""Evaluations over HTTP: send, look, wait, list, cancel, delete."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import orjson
from fastapi import APIRouter, Query, Request, Response

from service.api.bodies import read_body
from service.api.calls import ask, change
from service.api.cursors import seal, unseal
from service.api.documents import (
    evaluation_document,
    evaluation_path,
    identifier,
    json_response,
    seen,
)
from service.api.filters import filters_of
from service.api.lookups import look_up
from service.api.preferences import (
    asked_wait,
    etag,
    idempotency_key,
    known_versions,
    pause_after,
    preferred_wait,
)
from service.api.submission import take
from service.jobs import read
from service.jobs.cancel import cancel
from service.jobs.delete import delete
from service.jobs.watch import wait_for_change, wait_for_end
from service.schemas.evaluation import EvaluationPage, EvaluationRead, FinishedEvaluation
from service.schemas.problem import ProblemDocument
from service.settings import settings
from service.states import EvaluationStatus
from service.storage.evaluations import EvaluationRow

VARY = "Authorization, Prefer"
WAIT_PARAMETER: dict[str, Any] = {
    "name": "wait",
    "in": "query",
    "schema": {"type": "number", "minimum": 0},
    "description": "Seconds to wait for a change; Prefer: wait=N does the same.",
}

router = APIRouter(prefix="/v1/evaluations", tags=["evaluations"])


@router.post(
    "",
    status_code=202,
    response_model=EvaluationRead,
    responses={
        200: {"model": FinishedEvaluation, "description": "It ended within Prefer: wait=N."},
        **{status: {"model": ProblemDocument} for status in (400, 409, 413, 415, 422, 429)},
    },
)
async def create_evaluation(request: Request) -> Response:
    """Take an evaluation in; with ``Prefer: wait=N`` answer with the result if it is there."""
    owner_id: UUID = request.scope["owner_id"]
    key = idempotency_key(request.headers)
    wait = preferred_wait(request.headers)
    body = await read_body(request, settings().max_json_bytes)
    taken = await take(owner_id, body, key)
    if wait:
        await wait_for_end(taken.evaluation_id, wait)
    row = taken.row
    if row is None or wait:
        row = await look_up(owner_id, taken.evaluation_id)
    headers = {"Location": evaluation_path(row.id), "ETag": etag(row.version), "Vary": VARY}
    if taken.replayed:
        headers["Idempotency-Replayed"] = "true"
    if wait is not None:
        headers["Preference-Applied"] = f"wait={wait:g}"
    if wait is not None and row.is_finished:
        return json_response(await _with_result(row), 200, headers)
    headers["Retry-After"] = str(pause_after(row.created_at))
    return json_response(await seen(row), 202, headers)


async def _with_result(row: EvaluationRow) -> dict[str, Any]:
    result = None
    if row.status == EvaluationStatus.SUCCEEDED:
        result = orjson.Fragment(await ask(read.result_of, row))
    return {**evaluation_document(row), "result": result}


@router.get("", response_model=EvaluationPage, responses={422: {"model": ProblemDocument}})
async def list_evaluations(  # noqa: PLR0913 - one argument per query parameter
    request: Request,
    status: Annotated[EvaluationStatus | None, Query()] = None,
    kind: Annotated[str | None, Query(max_length=40)] = None,
    label: Annotated[list[str] | None, Query(description="key:value; all must hold.")] = None,
    created_after: Annotated[datetime | None, Query()] = None,
    created_before: Annotated[datetime | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(max_length=500)] = None,
) -> Response:
    """List evaluations, newest first."""
    filters = filters_of(status, kind, label or [], created_after, created_before)
    mark = repr(filters)
    inner = unseal(cursor, mark)
    page = await ask(read.page, request.scope["owner_id"], filters, inner, limit)
    items = [await seen(row) for row in page.items]
    return json_response({"items": items, "next": seal(page.next, mark)})


@router.get(
    "/{evaluation_id}",
    response_model=EvaluationRead,
    openapi_extra={"parameters": [WAIT_PARAMETER]},
    responses={304: {"description": "Unchanged."}, 404: {"model": ProblemDocument}},
)
async def get_evaluation(request: Request, evaluation_id: str) -> Response:
    """Return an evaluation; with ``?wait=N``, when it has changed or N seconds are over."""
    owner_id: UUID = request.scope["owner_id"]
    wanted = identifier(evaluation_id, "evaluation")
    row = await look_up(owner_id, wanted)
    preferred = preferred_wait(request.headers)
    wait = asked_wait(request.query_params.get("wait")) or preferred
    known = known_versions(request.headers)
    is_news = bool(known) and etag(row.version) not in known
    if wait and not row.is_finished and not is_news:
        await wait_for_change(wanted, row.version, wait)
        row = await look_up(owner_id, wanted)
    tag = etag(row.version)
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": VARY}
    if preferred is not None:
        headers["Preference-Applied"] = f"wait={preferred:g}"
    if not row.is_finished:
        headers["Retry-After"] = str(pause_after(row.created_at))
    if tag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    return json_response(await seen(row), 200, headers)


@router.post(
    "/{evaluation_id}/cancel",
    status_code=202,
    response_model=EvaluationRead,
    responses={
        200: {"model": EvaluationRead, "description": "It had ended."},
        404: {"model": ProblemDocument},
    },
)
async def cancel_evaluation(request: Request, evaluation_id: str) -> Response:
    """Cancel an evaluation; one that has ended stays as it is."""
    owner_id: UUID = request.scope["owner_id"]
    wanted = identifier(evaluation_id, "evaluation")
    before = await ask(read.get, owner_id, wanted)
    row = await change(cancel, owner_id, wanted)
    headers = {"Location": evaluation_path(row.id), "ETag": etag(row.version)}
    return json_response(evaluation_document(row), 200 if before.is_finished else 202, headers)


@router.delete(
    "/{evaluation_id}",
    status_code=204,
    responses={404: {"model": ProblemDocument}, 409: {"model": ProblemDocument}},
)
async def delete_evaluation(request: Request, evaluation_id: str) -> Response:
    """Remove an evaluation that has ended, with its result."""
    wanted = identifier(evaluation_id, "evaluation")
    await change(delete, request.scope["owner_id"], wanted)
    return Response(status_code=204)
