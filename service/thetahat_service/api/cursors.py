"""Cursors of lists: opaque to clients, and valid only for a list with the same filters."""

from __future__ import annotations

import binascii
import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from thetahat_service.errors import FieldError, InvalidRequest
from thetahat_service.storage.newest_first import Position

CHECKSUM_LENGTH: Final = 12


def encode_cursor(position: Position | int | None, filters: str) -> str | None:
    """Return the cursor of the page after a position, or a number; None after the last page."""
    if position is None:
        return None
    text = str(position)
    if not isinstance(position, int):
        created_at, identifier = position
        text = f"{created_at.isoformat()} {identifier}"
    encoded = urlsafe_b64encode(text.encode()).decode().rstrip("=")
    return f"{_compute_checksum(encoded, filters)}{encoded}"


def decode_number_cursor(cursor: str | None, filters: str) -> int | None:
    """Return the number of a cursor; ``InvalidRequest`` for a cursor of another list."""
    return None if cursor is None else int(_decode(cursor, filters))


def decode_cursor(cursor: str | None, filters: str) -> Position | None:
    """Return the position of a cursor; ``InvalidRequest`` for a cursor of another list."""
    if cursor is None:
        return None
    try:
        moment, identifier = _decode(cursor, filters).split(" ")
        return datetime.fromisoformat(moment).astimezone(UTC), UUID(identifier)
    except (ValueError, OverflowError):
        raise _build_invalid_cursor_error(cursor) from None


def _decode(cursor: str, filters: str) -> str:
    """Return the text of a cursor, whose checksum says that this service has made it."""
    checksum, encoded = cursor[:CHECKSUM_LENGTH], cursor[CHECKSUM_LENGTH:]
    if checksum != _compute_checksum(encoded, filters):
        raise _build_invalid_cursor_error(cursor)
    try:
        padded = encoded + "=" * (-len(encoded) % 4)
        return urlsafe_b64decode(padded.encode()).decode()
    except (ValueError, binascii.Error):
        raise _build_invalid_cursor_error(cursor) from None


def _build_invalid_cursor_error(cursor: str) -> InvalidRequest:
    message = (
        "The cursor does not belong to this list with these filters. Start without a cursor, and "
        "take next from each page."
    )
    return InvalidRequest(message, (FieldError(("query", "cursor"), message, cursor),))


def _compute_checksum(encoded: str, filters: str) -> str:
    digest = hashlib.sha256(f"{filters}\n{encoded}".encode("utf-8", "replace")).hexdigest()
    return digest[:CHECKSUM_LENGTH]
