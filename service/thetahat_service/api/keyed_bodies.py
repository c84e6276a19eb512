"""Bodies of requests that create something once for an Idempotency-Key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

from starlette.requests import Request

from thetahat.errors import EvaluationError
from thetahat_service.api.blocking_calls import write_database
from thetahat_service.api.bodies import parse_json, read_body
from thetahat_service.api.preferences import parse_idempotency_key
from thetahat_service.api.submission import compute_fingerprint
from thetahat_service.api.validation import fill_in_value, validate
from thetahat_service.schemas.base import Schema
from thetahat_service.settings import get_settings

Body = TypeVar("Body", bound=Schema)
Row = TypeVar("Row")
REPLAYED: Final = {"Idempotency-Replayed": "true"}
"""The header of an answer to a request that was sent before."""


@dataclass(frozen=True, slots=True)
class Created(Generic[Row]):
    """What a request has made, or an earlier one with its key; and the headers that say so."""

    row: Row
    headers: dict[str, str]


async def create_from_body(
    request: Request,
    schema: type[Body],
    create: Callable[[UUID, Body, str | None, str], tuple[Row, bool]],
) -> Created[Row]:
    """Read and check a body, and call ``create`` with owner, body, key and fingerprint.

    Errors of the library get the value at their place in the body.
    """
    owner_id: UUID = request.scope["owner_id"]
    key = parse_idempotency_key(request.headers)
    value: Any = parse_json(await read_body(request, get_settings().max_json_bytes))
    body, fingerprint = validate(value, schema), compute_fingerprint(value)
    try:
        row, is_new = await write_database(create, owner_id, body, key, fingerprint)
    except EvaluationError as error:
        raise fill_in_value(error, value) from None
    return Created(row, {} if is_new else REPLAYED)
