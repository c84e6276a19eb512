"""Request bodies in JSON: limited in size, with finite numbers and each key of an object once."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterator
from typing import Any, Final

import orjson
from pydantic_core import from_json
from starlette.requests import Request

from thetahat.errors import Loc
from thetahat_service.api.blocking_calls import run_in_thread
from thetahat_service.api.shortening import shorten_text
from thetahat_service.errors import (
    FieldError,
    InvalidRequest,
    MalformedRequest,
    TooLarge,
    UnsupportedMedia,
)
from thetahat_service.json_keys import find_repeated_key, has_each_key_once
from thetahat_service.schemas.validation_messages import name_place
from thetahat_service.settings import MEBIBYTE, get_settings

SMALL_BODY: Final = 16 * 1024  # bytes that are parsed on the event loop
GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS
ALWAYS_ALLOWED: Final = MEBIBYTE
"""Bytes to which a gzip body may unpack whatever its own size is."""


async def read_body(request: Request, limit: int) -> bytes:
    """Return the body; raise ``TooLarge`` as soon as it is known to be over the limit.

    A body with ``Content-Encoding: gzip`` is unpacked while it arrives, and the limit is that of
    the unpacked bytes.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" and not media_type.endswith("+json"):
        hint = f"not {media_type}" if media_type else "and say so in Content-Type"
        raise UnsupportedMedia(f"The body must be application/json, {hint}.")
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in {"identity", "gzip", "x-gzip"}:
        raise UnsupportedMedia(
            f"The Content-Encoding {shorten_text(encoding, 40)!r} is not supported. Send the body "
            "with gzip or without an encoding."
        )
    if read_declared_length(request) > limit:
        raise _build_too_large_error(limit)
    unpacker = None if encoding == "identity" else _Unpacker(limit)
    pieces, size = [], 0
    async for piece in request.stream():
        unpacked = piece
        if unpacker is not None and piece:
            unpacked = await run_in_thread(unpacker.add, piece)
        size += len(unpacked)
        if size > limit:
            raise _build_too_large_error(limit)
        pieces.append(unpacked)
    if unpacker is not None:
        unpacker.finish()
    return b"".join(pieces)


class _Unpacker:
    """Unpacks a gzip body piece by piece, and never more than the limit allows.

    Parameters
    ----------
    limit : int
        Most bytes of the unpacked body.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._member = zlib.decompressobj(wbits=GZIP_WINDOW)
        self._received = 0
        self._unpacked = 0

    def add(self, data: bytes) -> bytes:
        """Return what the next bytes unpack to; the file may have several gzip members."""
        self._received += len(data)
        if self._received > self._limit:
            raise _build_too_large_error(self._limit)
        pieces = []
        while data:
            if self._member.eof:
                self._member = zlib.decompressobj(wbits=GZIP_WINDOW)
            room = self._limit - self._unpacked + 1  # one byte more shows that it is too large
            try:
                pieces.append(self._member.decompress(data, room))
            except zlib.error as error:
                raise MalformedRequest(f"The body is not gzip: {error}.") from None
            self._unpacked += len(pieces[-1])
            self._check_size()
            data = self._member.unconsumed_tail or self._member.unused_data
        return b"".join(pieces)

    def finish(self) -> None:
        """Raise ``MalformedRequest`` if the body ends within its gzip data."""
        if not self._member.eof:
            raise MalformedRequest("The body ends before its gzip data do.")

    def _check_size(self) -> None:
        if self._unpacked > self._limit:
            raise _build_too_large_error(self._limit)
        max_expansion = get_settings().max_expansion
        if self._unpacked > max(ALWAYS_ALLOWED, max_expansion * self._received):
            raise TooLarge(
                f"The body unpacks to more than {max_expansion} times its own size "
                "(THETAHAT_MAX_EXPANSION). Send it without gzip."
            )


def _build_too_large_error(limit: int) -> TooLarge:
    return TooLarge(
        f"The body is over the limit of {limit} bytes. Upload large data to /v1/datasets, and "
        "give its id in the request."
    )


def read_declared_length(request: Request) -> int:
    """Return ``Content-Length``; 0 without this header."""
    text = request.headers.get("content-length", "0")
    if not text.isascii() or not text.isdigit():
        raise MalformedRequest(f"Content-Length is not a number: {text[:40]!r}.")
    return int(text)


def parse_json(body: bytes) -> Any:
    """Return the JSON value of a body.

    orjson refuses NaN, infinities and values that are nested too deeply. A second parser that
    accepts NaN then finds out whether that was the reason, so that the error can name the place.
    Of a key that an object has twice, orjson keeps the last value; such a body is refused. A body
    with a byte order mark, or in UTF-16 or UTF-32, is converted.
    """
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        encoding = json.detect_encoding(body)
        if encoding == "utf-8":
            raise _explain_refusal(body, error) from None
        return parse_json(_convert_to_utf_8(body, encoding))
    if not has_each_key_once(body, value):
        _check_keys(body)
    return value


def _convert_to_utf_8(body: bytes, encoding: str) -> bytes:
    try:
        return body.decode(encoding).encode()
    except UnicodeError as error:
        raise MalformedRequest(f"The body is not JSON in {encoding}: {error}.") from None


def _explain_refusal(body: bytes, error: orjson.JSONDecodeError) -> Exception:
    """Return the error of a body that orjson refuses."""
    try:
        value = from_json(body)
    except ValueError:
        return MalformedRequest(f"The body is not JSON: {error}.")
    errors = tuple(
        FieldError(loc, f"{name_place(loc)} must be a finite number, and is {number}.", number)
        for loc, number in _find_non_finite(value, ())
    )
    if errors:
        return InvalidRequest(errors[0].message, errors)
    return MalformedRequest("The body is not JSON as RFC 8259 defines it.")


def encode_canonical_json(value: Any) -> bytes:
    """Return a parsed body as JSON, the same whatever white space the body had."""
    try:
        return orjson.dumps(value)
    except TypeError:
        raise MalformedRequest("The body is nested too deeply.") from None


class _Object(list[tuple[str, Any]]):
    """The members of an object in their order, with repeated keys."""


def _check_keys(body: bytes) -> None:
    """Raise ``InvalidRequest`` with the place of each key that an object has twice."""
    if b"{" not in body:
        return
    try:
        repeated = find_repeated_key(body)
    except RecursionError:
        raise MalformedRequest("The body is nested too deeply.") from None
    if repeated is not None:
        tree = json.loads(body, object_pairs_hook=_Object, parse_int=float)
        errors = tuple(
            FieldError(loc, f"{name_place(loc)} occurs twice. Give it once.", loc[-1])
            for loc in _find_repeated_keys(tree)
        )
        raise InvalidRequest(errors[0].message, errors) from None


def _find_repeated_keys(tree: Any) -> Iterator[Loc]:
    """Yield the path of each key that an object has twice."""
    unread: list[tuple[Loc, Any]] = [((), tree)]
    while unread:
        loc, value = unread.pop()
        if isinstance(value, _Object):
            earlier_keys: set[str] = set()
            for key, inner in value:
                if key in earlier_keys:
                    yield (*loc, key)
                earlier_keys.add(key)
                unread.append(((*loc, key), inner))
        elif isinstance(value, list):
            unread += [((*loc, i), inner) for i, inner in enumerate(value)]


def _find_non_finite(value: Any, loc: Loc) -> Iterator[tuple[Loc, float]]:
    """Yield the path and the value of each number that is not finite."""
    if isinstance(value, float):
        if not math.isfinite(value):
            yield loc, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _find_non_finite(item, (*loc, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _find_non_finite(item, (*loc, i))
