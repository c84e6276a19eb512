"""Series: losses that arrive in batches, looked at after each."""

from __future__ import annotations

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response

from thetahat.errors import EvaluationError
from thetahat_service.api.blocking_calls import read_database, run_in_thread, write_database
from thetahat_service.api.bodies import SMALL_BODY, parse_json, read_body
from thetahat_service.api.cursors import decode_cursor, decode_number_cursor, encode_cursor
from thetahat_service.api.documents import build_json_response
from thetahat_service.api.keyed_bodies import REPLAYED, create_from_body
from thetahat_service.api.preferences import build_etag, parse_idempotency_key, parse_known_etags
from thetahat_service.api.problem_responses import LIMITED_BODY, describe_problems
from thetahat_service.api.query_parameters import Cursor, Limit
from thetahat_service.api.request_parts import OwnerId, SeriesId
from thetahat_service.api.routes.figures import (
    FIGURE_RESPONSES,
    StyleQuery,
    build_figure_response,
    split_file_name,
)
from thetahat_service.api.submission import compute_fingerprint
from thetahat_service.api.validation import fill_in_value, validate
from thetahat_service.errors import FieldError, MalformedRequest, ResourceNotFound
from thetahat_service.figures import sequence
from thetahat_service.schemas.base import Schema
from thetahat_service.schemas.series import LookPage, LookRead, SeriesPage, SeriesRead
from thetahat_service.series import adding, keeping
from thetahat_service.series.adding import SentBatch
from thetahat_service.series.documents import (
    build_listed_document,
    build_look_document,
    build_series_document,
    build_series_path,
    read_figure,
)
from thetahat_service.series.request import SeriesBatch, SeriesRequest
from thetahat_service.settings import get_settings
from thetahat_service.states import SeriesStatus
from thetahat_service.storage.series import ROWS, SeriesRow

router = APIRouter(prefix="/v1/series", tags=["series"])

BODIES: Final[dict[str, type[Schema]]] = {
    "/v1/series": SeriesRequest,
    "/v1/series/{series_id}/batches": SeriesBatch,
}
"""The bodies of POST requests, for the OpenAPI document."""


@router.post(
    "",
    status_code=201,
    response_model=SeriesRead,
    responses=describe_problems(409) | LIMITED_BODY,
)
async def create_series(request: Request, owner_id: OwnerId) -> Response:
    """Create a series; models, question, margin, level, method and stop rule are fixed with it."""
    created = await create_from_body(request, SeriesRequest, keeping.create)
    return await _respond(owner_id, created.row.id, 201, created.headers)


@router.get("", response_model=SeriesPage, responses=describe_problems(422))
async def list_series(
    owner_id: OwnerId,
    status: Annotated[SeriesStatus | None, Query(description="Only series in this status.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """List series, newest first."""
    filters = f"series {status}"
    before = decode_cursor(cursor, filters)
    rows, end = await read_database(keeping.list_series, owner_id, status, before, limit)
    items = [build_listed_document(row) for row in rows]
    return build_json_response({"items": items, "next": encode_cursor(end, filters)})


@router.get(
    "/{series_id}",
    response_model=SeriesRead,
    responses={304: {"description": "Unchanged."}, **describe_problems(404)},
)
async def get_series(request: Request, owner_id: OwnerId, series_id: SeriesId) -> Response:
    """Return a series: what is fixed, its newest look, its decision and its plan."""
    row = await read_database(ROWS.fetch, owner_id, series_id)
    known = parse_known_etags(request.headers)
    if _build_etag(row) in known or "*" in known:
        return Response(status_code=304, headers={"ETag": _build_etag(row)})
    return await _respond(owner_id, series_id)


@router.post(
    "/{series_id}/batches",
    status_code=201,
    response_model=LookRead,
    responses={
        **describe_problems(404, (409, "The series is closed, or its last planned look was made.")),
        **LIMITED_BODY,
    },
)
async def add_batch(request: Request, owner_id: OwnerId, series_id: SeriesId) -> Response:
    """Add a batch and look once; a batch with the key of an earlier one is not counted again."""
    key = parse_idempotency_key(request.headers)
    if key is None:
        message = (
            "A batch needs the header Idempotency-Key, so that one that is sent again after a lost "
            "answer is counted once. Give each batch a key of its own, such as its date."
        )
        raise MalformedRequest(message, (FieldError(("header", "Idempotency-Key"), message),))
    body = await read_body(request, get_settings().max_json_bytes)

    def add() -> Response:
        value = parse_json(body)
        sent = validate(value, SeriesBatch)
        try:
            batch = SentBatch(
                batch=sent.build_batch(),
                at=sent.at,
                key=key,
                fingerprint=compute_fingerprint(value),
            )
            look, is_new = adding.add(owner_id, series_id, batch)
        except EvaluationError as error:
            raise fill_in_value(error, value) from None
        headers = {"Location": f"{build_series_path(series_id)}/looks"}
        headers |= {} if is_new else REPLAYED
        return build_json_response(build_look_document(look), 201, headers)

    # a small batch must not wait behind large ones, nor keep other writers of SQLite waiting
    return await (write_database if len(body) <= SMALL_BODY else run_in_thread)(add)


@router.get("/{series_id}/looks", response_model=LookPage, responses=describe_problems(404, 422))
async def list_looks(
    owner_id: OwnerId, series_id: SeriesId, limit: Limit = 50, cursor: Cursor = None
) -> Response:
    """List what each look has shown, newest first."""
    filters = f"looks of {series_id}"
    before = decode_number_cursor(cursor, filters)
    rows, end = await read_database(keeping.list_looks, owner_id, series_id, before, limit)
    items = [build_look_document(row) for row in rows]
    return build_json_response({"items": items, "next": encode_cursor(end, filters)})


@router.get(
    "/{series_id}/figures/{file_name}",
    responses={**FIGURE_RESPONSES, **describe_problems(404)},
)
async def get_series_figure(
    request: Request,
    owner_id: OwnerId,
    series_id: SeriesId,
    file_name: str,
    style: StyleQuery,
) -> Response:
    """Return the figure of a series: ``sequence.svg``, ``.png``, ``.pdf`` or ``.json``."""
    name, form = split_file_name(file_name, request.headers.get("accept"))
    if name != sequence.NAME:
        raise ResourceNotFound(
            f"A series has no figure {name[:80]!r}; its figure is {sequence.NAME}."
        )
    figure = await run_in_thread(read_figure, owner_id, series_id)
    return await build_figure_response(figure.build_spec(style), form)


@router.post("/{series_id}/close", response_model=SeriesRead, responses=describe_problems(404))
async def close_series(owner_id: OwnerId, series_id: SeriesId) -> Response:
    """Let a series take no more batches; one that is closed is not changed."""
    await write_database(keeping.close, owner_id, series_id)
    return await _respond(owner_id, series_id)


@router.delete("/{series_id}", status_code=204, responses=describe_problems(404))
async def delete_series(owner_id: OwnerId, series_id: SeriesId) -> Response:
    """Delete a series with all its looks."""
    await write_database(keeping.delete, owner_id, series_id)
    return Response(status_code=204)


async def _respond(
    owner_id: UUID, series_id: UUID, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    """Return a series as it is now."""
    row, latest = await read_database(keeping.get_with_latest, owner_id, series_id)
    headers = {"ETag": _build_etag(row), "Cache-Control": "private, no-cache", **(headers or {})}
    if status == 201:
        headers["Location"] = build_series_path(row.id)
    # in a thread, because the plan follows the interval of the method to a decision
    document = await run_in_thread(build_series_document, row, latest)
    return build_json_response(document, status, headers)


def _build_etag(row: SeriesRow) -> str:
    return build_etag(row.batches, f"-{row.status}")
