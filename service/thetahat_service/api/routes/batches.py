"""Submitting several evaluations with one request."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter, Request, Response
from pydantic import ValidationError

from thetahat_service.api.blocking_calls import read_database, run_in_thread
from thetahat_service.api.bodies import SMALL_BODY, parse_json, read_body
from thetahat_service.api.documents import build_json_response, read_document
from thetahat_service.api.errors import build_problem, explain_error
from thetahat_service.api.preferences import parse_idempotency_key
from thetahat_service.api.problem_responses import BODY
from thetahat_service.api.request_parts import OwnerId
from thetahat_service.api.submission import check_part
from thetahat_service.api.submission_batches import store_submission
from thetahat_service.api.validation import convert_validation_error
from thetahat_service.errors import FieldError, InvalidRequest
from thetahat_service.jobs import read
from thetahat_service.jobs.submit import Submission, Submitted
from thetahat_service.process.garbage_collection import pause_garbage_collection
from thetahat_service.schemas.batch import BatchItem, BatchOutcomes, BatchRequest
from thetahat_service.settings import get_settings

CHECKS_AT_ONCE: Final = 8
"""Items of one batch that are checked at the same time, so that other requests have threads."""

router = APIRouter(prefix="/v1/evaluations", tags=["evaluations"])


@router.post(
    "/batch",
    response_model=BatchOutcomes,
    responses=BODY,
)
async def submit_batch(request: Request, owner_id: OwnerId) -> Response:
    """Submit several evaluations; each is accepted or refused by itself, in one answer.

    What is accepted is stored before the answer. A batch that is sent again with the same
    Idempotency-Key gives the evaluations that were accepted, and tries the others again.
    """
    key = parse_idempotency_key(request.headers)
    body = await read_body(request, get_settings().max_json_bytes)
    with pause_garbage_collection() if len(body) > SMALL_BODY else nullcontext():
        checked = await _check_items(owner_id, body, key)
    # Stored in their order, so that the first ones are accepted if not all of them may be.
    outcomes = await asyncio.gather(*map(_store, checked))
    described = [await _describe(request, index, outcome) for index, outcome in enumerate(outcomes)]
    accepted = sum(outcome["problem"] is None for outcome in described)
    return build_json_response(
        {"accepted": accepted, "refused": len(described) - accepted, "items": described}
    )


async def _check_items(
    owner_id: UUID, body: bytes, key: str | None
) -> Sequence[Submitted | Submission | Exception]:
    """Return what is to be stored for each item, an earlier evaluation, or why it is refused."""
    items = await run_in_thread(_parse_batch, body)
    turns = asyncio.Semaphore(CHECKS_AT_ONCE)

    async def check(index: int, item: BatchItem) -> Submitted | Submission | Exception:
        async with turns:
            try:
                return await check_part(owner_id, item.request, _choose_key(key, index, item))
            except Exception as error:  # noqa: BLE001 - the outcome of this item alone
                return error

    return await asyncio.gather(*(check(index, item) for index, item in enumerate(items)))


async def _store(checked: Submitted | Submission | Exception) -> Submitted | Exception:
    if not isinstance(checked, Submission):
        return checked
    try:
        return await store_submission(checked)
    except Exception as error:  # noqa: BLE001 - the outcome of this item alone
        return error


def _parse_batch(body: bytes) -> Sequence[BatchItem]:
    value = parse_json(body)
    if not isinstance(value, dict):
        message = "The body must be a JSON object with a field items."
        raise InvalidRequest(message, (FieldError((), message, value),))
    try:
        items = BatchRequest.model_validate(value).items
    except ValidationError as error:
        raise convert_validation_error(error, value, BatchRequest) from None
    max_items = get_settings().max_batch
    if len(items) > max_items:
        message = (
            f"A batch has at most {max_items} items (THETAHAT_MAX_BATCH), and this one has "
            f"{len(items)}."
        )
        raise InvalidRequest(message, (FieldError(("items",), message),))
    return items


def _choose_key(batch_key: str | None, index: int, item: BatchItem) -> str | None:
    """Return an item's own idempotency key, or one made of the key of the batch and the index."""
    if item.idempotency_key is not None or batch_key is None:
        return item.idempotency_key
    digest = hashlib.sha256(batch_key.encode()).hexdigest()[:40]
    return f"batch {digest} item {index}"


async def _describe(request: Request, index: int, outcome: Submitted | Exception) -> dict[str, Any]:
    """Return the entry of one item in the answer: the evaluation or the problem."""
    if isinstance(outcome, Submitted):
        owner_id: UUID = request.scope["owner_id"]
        try:
            row = outcome.row
            if row is None:
                row = await read_database(read.get, owner_id, outcome.evaluation_id)
            document = await read_document(row)
        except Exception as error:  # noqa: BLE001 - deleted meanwhile, or the database is away
            outcome = error
        else:
            return {
                "index": index,
                "status": 202,
                "replayed": outcome.replayed,
                "evaluation": document,
                "problem": None,
            }
    problem = build_problem(request, explain_error(outcome))
    for fault in problem["errors"]:
        fault["loc"] = ["items", index, "request", *fault["loc"]]
    return {
        "index": index,
        "status": problem["status"],
        "replayed": False,
        "evaluation": None,
        "problem": problem,
    }
