"""Cursors: opaque, and good only for the list with the same filters."""

from __future__ import annotations

import binascii
import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from service.errors import FieldError, InvalidRequest

MARK_LENGTH: Final = 12


def seal(inner: str | None, filters: str) -> str | None:
    """Return the cursor that a client sees."""
    return None if inner is None else f"{_mark(inner, filters)}{inner}"


def unseal(cursor: str | None, filters: str) -> str | None:
    """Return what ``seal`` was given; a cursor of another list is refused."""
    if cursor is None:
        return None
    mark, inner = cursor[:MARK_LENGTH], cursor[MARK_LENGTH:]
    if mark != _mark(inner, filters):
        raise refusal(cursor)
    return inner


def place(created_at: datetime, identifier: UUID) -> str:
    """Return a place in a list as text."""
    text = f"{created_at.isoformat()} {identifier}"
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_place(text: str) -> tuple[datetime, UUID]:
    """Return the place that a text stands for."""
    try:
        padded = text + "=" * (-len(text) % 4)
        moment, identifier = urlsafe_b64decode(padded.encode()).decode().split(" ")
        return datetime.fromisoformat(moment).astimezone(UTC), UUID(identifier)
    except (ValueError, OverflowError, binascii.Error):
        raise refusal(text) from None


def refusal(cursor: str) -> InvalidRequest:
    """Return the refusal of a cursor."""
    fault = FieldError(("query", "cursor"), "is not a cursor of this list", cursor)
    return InvalidRequest("The cursor is not one that this list gave.", (fault,))


def _mark(inner: str, filters: str) -> str:
    return hashlib.sha256(f"{filters}\n{inner}".encode("utf-8", "replace")).hexdigest()[
        :MARK_LENGTH
    ]
