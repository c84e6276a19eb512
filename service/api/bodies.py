"""JSON bodies: capped, parsed without surprises, and every number in them finite."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import orjson
from pydantic_core import from_json
from starlette.requests import Request

from service.errors import FieldError, InvalidRequest, MalformedRequest, TooLarge, UnsupportedMedia

Loc = tuple[str | int, ...]


async def read_body(request: Request, limit: int) -> bytes:
    """Return the body; ``TooLarge`` as soon as it says or shows that it is over the limit."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise UnsupportedMedia(f"Send application/json, not {kind or 'a body without a type'}.")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedMedia("Send the body without a Content-Encoding.")
    too_large = TooLarge(
        f"The body is over the limit of {limit} bytes; send large data as a file to /v1/datasets "
        "and name it by its id."
    )
    if declared_length(request) > limit:
        raise too_large
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > limit:
            raise too_large
        pieces.append(piece)
    return b"".join(pieces)


def declared_length(request: Request) -> int:
    """Return what ``Content-Length`` says; 0 where it says nothing."""
    text = request.headers.get("content-length", "0")
    if not text.isascii() or not text.isdigit():
        raise MalformedRequest(f"Content-Length is not a number: {text[:40]!r}")
    return int(text)


def parse(body: bytes) -> Any:
    """Return the JSON value of a body.

    orjson takes no NaN, no infinity and nothing too deep. Where it refuses, a second parser that
    does take NaN tells whether that was all, so that the refusal can say where it stands.
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as refused:
        try:
            value = from_json(body)
        except ValueError:
            raise MalformedRequest(f"The body is not JSON: {refused}") from None
    faults = tuple(
        FieldError(loc, "must be a finite number", number) for loc, number in _non_finite(value, ())
    )
    if faults:
        raise InvalidRequest("Every number must be finite; NaN and infinities are not.", faults)
    raise MalformedRequest("The body is not JSON as RFC 8259 defines it.")


def canonical(value: Any) -> bytes:
    """Return the bytes that stand for a parsed body, whatever its white space was."""
    try:
        return orjson.dumps(value)
    except TypeError:
        raise MalformedRequest("The body is nested too deeply.") from None


def _non_finite(value: Any, loc: Loc) -> Iterator[tuple[Loc, float]]:
    if isinstance(value, float):
        if not math.isfinite(value):
            yield loc, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _non_finite(item, (*loc, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _non_finite(item, (*loc, i))
