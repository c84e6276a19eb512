"""Signing the result of an evaluation, and reading who has signed it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final
from uuid import UUID

from fastapi import APIRouter, Request, Response

from thetahat.values.json_values import JsonValue
from thetahat_service.api.blocking_calls import read_database, write_database
from thetahat_service.api.cursors import decode_cursor, encode_cursor
from thetahat_service.api.documents import build_json_response
from thetahat_service.api.problem_responses import NO_RESULT, describe_problems
from thetahat_service.api.query_parameters import Cursor, Limit
from thetahat_service.api.request_parts import EvaluationId, OwnerId
from thetahat_service.api.validation import read_valid_body
from thetahat_service.errors import NoResult, ResultPending
from thetahat_service.jobs import read, sign_offs
from thetahat_service.jobs.sign_offs import Signature
from thetahat_service.schemas.base import Schema
from thetahat_service.schemas.sign_off import SignOffPage, SignOffRead, SignOffRequest
from thetahat_service.storage.sign_offs import SignOffRow

router = APIRouter(prefix="/v1/evaluations/{evaluation_id}/sign-offs", tags=["evaluations"])

BODIES: Final[dict[str, type[Schema]]] = {
    "/v1/evaluations/{evaluation_id}/sign-offs": SignOffRequest
}
"""The bodies of POST requests, for the OpenAPI document."""
SHOWN: Final = tuple(name for name in SignOffRead.model_fields if name != "matches_result")


@router.post(
    "",
    status_code=201,
    response_model=SignOffRead,
    responses={
        200: {"model": SignOffRead, "description": "It is the newest sign-off already."},
        **NO_RESULT,
        **describe_problems(422),
    },
)
async def sign_evaluation(
    request: Request, owner_id: OwnerId, evaluation_id: EvaluationId
) -> Response:
    """Sign the recorded result; a later sign-off supersedes this one, and all are kept."""
    body = await read_valid_body(request, SignOffRequest)
    signature = Signature(**body.model_dump())
    row, is_new = await write_database(sign_offs.sign_result, owner_id, evaluation_id, signature)
    return build_json_response(_describe(row, row.result_sha256), 201 if is_new else 200)


@router.get("", response_model=SignOffPage, responses=describe_problems(404, 422))
async def list_sign_offs(
    owner_id: OwnerId, evaluation_id: EvaluationId, limit: Limit = 50, cursor: Cursor = None
) -> Response:
    """List the sign-offs of an evaluation, newest first; the newest one counts."""
    filters = f"sign-offs of {evaluation_id}"
    before = decode_cursor(cursor, filters)
    rows, end = await read_database(
        sign_offs.list_sign_offs, owner_id, evaluation_id, before, limit
    )
    digest = await read_database(_find_digest, owner_id, evaluation_id) if rows else ""
    items = [_describe(row, digest) for row in rows]
    return build_json_response({"items": items, "next": encode_cursor(end, filters)})


def _find_digest(owner_id: UUID, evaluation_id: UUID) -> str:
    """Return the digest of the result as it is recorded; empty if it is gone."""
    try:
        return sign_offs.compute_digest(read.get_result(owner_id, evaluation_id))
    except (ResultPending, NoResult):
        return ""


def _describe(row: SignOffRow, digest: str) -> dict[str, JsonValue]:
    shown = {name: value for name, value in asdict(row).items() if name in SHOWN}
    return {**shown, "matches_result": row.result_sha256 == digest}
