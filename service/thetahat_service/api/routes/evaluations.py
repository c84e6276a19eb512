"""Submitting, reading, listing, cancelling and deleting evaluations."""

from __future__ import annotations

from typing import Annotated, Final, Literal
from uuid import UUID

import orjson
from fastapi import APIRouter, Query, Request, Response

from thetahat.analyses.losses.result import GateOutcome
from thetahat_service.api.blocking_calls import read_database, run_in_thread, write_database
from thetahat_service.api.bodies import read_body
from thetahat_service.api.cursors import decode_cursor, encode_cursor
from thetahat_service.api.documents import (
    build_document,
    build_evaluation_path,
    build_json_response,
    read_document,
)
from thetahat_service.api.field_selection import (
    RESULT,
    FieldSelection,
    check_selection,
    compute_selection_digest,
    parse_fields,
    select_fields,
)
from thetahat_service.api.filters import parse_filters
from thetahat_service.api.preferences import (
    build_etag,
    compute_retry_after,
    parse_idempotency_key,
    parse_known_etags,
    parse_prefer_wait,
    parse_wait,
)
from thetahat_service.api.problem_responses import describe_problems
from thetahat_service.api.query_parameters import MAX_LABELS, NO_NUL, Cursor, Label, Limit, Moment
from thetahat_service.api.request_parts import EvaluationId, OwnerId
from thetahat_service.api.submission import accept_request
from thetahat_service.jobs import read
from thetahat_service.jobs.cancel import cancel
from thetahat_service.jobs.change_watcher import wait_for_change, wait_for_end
from thetahat_service.jobs.delete import delete
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.schemas.evaluation import (
    EvaluationPage,
    EvaluationPart,
    EvaluationRead,
    FinishedEvaluation,
)
from thetahat_service.settings import get_settings
from thetahat_service.states import EvaluationStatus, OverallVerdict
from thetahat_service.storage.evaluations import EvaluationRow, Filters

MAX_FIELDS_LENGTH: Final = 4000
VARY = "Authorization, Prefer"
WAIT_PARAMETER: dict[str, object] = {
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
        **describe_problems(400, 409, 413, 415, 422, 429),
    },
)
async def submit_evaluation(request: Request, owner_id: OwnerId) -> Response:
    """Submit an evaluation; with ``Prefer: wait=N`` get the result if it is there in time."""
    key = parse_idempotency_key(request.headers)
    wait = parse_prefer_wait(request.headers)
    body = await read_body(request, get_settings().max_json_bytes)
    submitted = await accept_request(owner_id, body, key, is_awaited=bool(wait))
    if wait:
        await wait_for_end(submitted.evaluation_id, wait)
    row = submitted.row
    if row is None or wait:
        row = await read_database(read.get, owner_id, submitted.evaluation_id)
    headers = {
        "Location": build_evaluation_path(row.id),
        "ETag": build_etag(row.version),
        "Vary": VARY,
    }
    if submitted.replayed:
        headers["Idempotency-Replayed"] = "true"
    if wait is not None:
        headers["Preference-Applied"] = f"wait={wait:g}"
    if wait is not None and row.is_finished:
        return build_json_response(await _build_finished_document(row), 200, headers)
    headers["Retry-After"] = str(compute_retry_after(row.created_at))
    return build_json_response(await read_document(row), 202, headers)


async def _build_finished_document(row: EvaluationRow) -> dict[str, object]:
    result = None
    if row.status == EvaluationStatus.SUCCEEDED:
        result = orjson.Fragment(await read_database(read.read_result, row))
    return {**build_document(row), "result": result}


@router.get("", response_model=EvaluationPage, responses=describe_problems(422))
async def list_evaluations(  # noqa: PLR0913 - one argument per query parameter
    owner_id: OwnerId,
    status: Annotated[
        EvaluationStatus | None, Query(description="Only evaluations in this status.")
    ] = None,
    kind: Annotated[
        str | None,
        Query(
            max_length=40,
            description="Only evaluations of this kind.",
            json_schema_extra={"enum": [*JOB_KINDS]},
        ),
    ] = None,
    name: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=200,
            description="Only evaluations whose name has this text, in capitals or not.",
            json_schema_extra=NO_NUL,
        ),
    ] = None,
    verdict: Annotated[
        OverallVerdict | None,
        Query(
            description="Only evaluations with this decision on the best model and those that it "
            "is compared with; mixed: not the same for all."
        ),
    ] = None,
    gate: Annotated[
        GateOutcome | None, Query(description="Only evaluations whose gate has this outcome.")
    ] = None,
    sign_off: Annotated[
        Literal["approved", "rejected", "needs_changes", "none"] | None,
        Query(
            description="Only evaluations whose newest sign-off has this decision; none: those "
            "with a result that nobody has signed."
        ),
    ] = None,
    protocol: Annotated[
        UUID | None, Query(description="Only evaluations that name this protocol.")
    ] = None,
    label: Annotated[
        list[Label] | None,
        Query(
            description="Only evaluations with this label, as key:value; may be repeated.",
            json_schema_extra={"maxItems": MAX_LABELS},
        ),
    ] = None,
    created_after: Annotated[
        Moment | None, Query(description="Only evaluations submitted after this time.")
    ] = None,
    created_before: Annotated[
        Moment | None, Query(description="Only evaluations submitted before this time.")
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """List evaluations, newest first."""
    filters = parse_filters(
        Filters(
            status=status,
            kind=kind,
            name=name,
            verdict=verdict,
            gate=gate,
            sign_off=sign_off,
            protocol=protocol,
        ),
        label or [],
        created_after,
        created_before,
    )
    before = decode_cursor(cursor, repr(filters))
    rows, end = await read_database(read.list_evaluations, owner_id, filters, before, limit)
    items = [await read_document(row) for row in rows]
    return build_json_response({"items": items, "next": encode_cursor(end, repr(filters))})


@router.get(
    "/{evaluation_id}",
    response_model=EvaluationRead | EvaluationPart,
    openapi_extra={"parameters": [WAIT_PARAMETER]},
    responses={
        304: {"description": "Unchanged."},
        **describe_problems(404, 422),
    },
)
async def get_evaluation(
    request: Request,
    owner_id: OwnerId,
    evaluation_id: EvaluationId,
    fields: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=MAX_FIELDS_LENGTH,
            description="Only these fields of the evaluation and, below `result`, of its result: "
            "paths with commas between, such as status,result.summary. A name with a dot or a "
            "space stands in double quotes. `result` is null until the evaluation has succeeded.",
            examples=["status,result.summary", 'result.models."my model".recommended'],
        ),
    ] = None,
) -> Response:
    """Return an evaluation; with ``?wait=N``, when it has changed or N seconds are over."""
    selection = None if fields is None else parse_fields(fields)
    suffix = "" if fields is None else f"-{compute_selection_digest(fields)}"
    row = await read_database(read.get, owner_id, evaluation_id)
    if selection is not None:
        check_selection(selection, row.kind)
    preferred = parse_prefer_wait(request.headers)
    wait = parse_wait(request.query_params.get("wait")) or preferred
    known_etags = parse_known_etags(request.headers)
    has_changed = bool(known_etags) and build_etag(row.version, suffix) not in known_etags
    if wait and not row.is_finished and not has_changed:
        await wait_for_change(row, wait)
        row = await read_database(read.get, owner_id, evaluation_id)
    etag = build_etag(row.version, suffix)
    headers = {"ETag": etag, "Cache-Control": "private, no-cache", "Vary": VARY}
    if preferred is not None:
        headers["Preference-Applied"] = f"wait={preferred:g}"
    if not row.is_finished:
        headers["Retry-After"] = str(compute_retry_after(row.created_at))
    if etag in known_etags or "*" in known_etags:
        return Response(status_code=304, headers=headers)
    if selection is not None:
        return await _respond_part(row, selection, headers)
    return build_json_response(await read_document(row), 200, headers)


async def _respond_part(
    row: EvaluationRow, selection: FieldSelection, headers: dict[str, str]
) -> Response:
    """Return the selected fields; a result is parsed in a thread, because it may be large."""
    document = await read_document(row)
    document[RESULT] = None
    text = None
    if RESULT in selection and row.status == EvaluationStatus.SUCCEEDED:
        text = await read_database(read.read_result, row)

    def build() -> Response:
        if text is not None:
            document[RESULT] = orjson.loads(text)
        return build_json_response(select_fields(document, selection, row.kind), 200, headers)

    return build() if text is None else await run_in_thread(build)


@router.post(
    "/{evaluation_id}/cancel",
    status_code=202,
    response_model=EvaluationRead,
    responses={
        200: {"model": EvaluationRead, "description": "It had already ended."},
        **describe_problems(404),
    },
)
async def cancel_evaluation(owner_id: OwnerId, evaluation_id: EvaluationId) -> Response:
    """Cancel an evaluation; one that has ended is not changed."""
    before = await read_database(read.get, owner_id, evaluation_id)
    row = await write_database(cancel, owner_id, evaluation_id)
    headers = {"Location": build_evaluation_path(row.id), "ETag": build_etag(row.version)}
    return build_json_response(build_document(row), 200 if before.is_finished else 202, headers)


@router.delete(
    "/{evaluation_id}",
    status_code=204,
    responses=describe_problems(404, 409),
)
async def delete_evaluation(owner_id: OwnerId, evaluation_id: EvaluationId) -> Response:
    """Delete an evaluation that has ended, with its result."""
    await write_database(delete, owner_id, evaluation_id)
    return Response(status_code=204)
