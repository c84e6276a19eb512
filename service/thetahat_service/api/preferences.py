"""Request headers and parameters by which a client says how it wants to be answered."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import Final

from starlette.datastructures import Headers

from thetahat_service.errors import FieldError, InvalidRequest, MalformedRequest
from thetahat_service.schemas.batch import MAX_KEY_LENGTH
from thetahat_service.settings import get_settings

MAX_RETRY_S: Final = 30
WAIT: Final = re.compile(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,9})\"?", re.IGNORECASE)


def parse_prefer_wait(headers: Headers) -> float | None:
    """Return the seconds of ``Prefer: wait=N``, at most ``max_wait_s``; None without it."""
    match = WAIT.search(headers.get("prefer", ""))
    return None if match is None else min(float(match[1]), get_settings().max_wait_s)


def parse_wait(text: str | None) -> float | None:
    """Return the seconds of ``?wait=N``, at most ``max_wait_s``."""
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        message = (
            f"The query parameter wait must be a number of seconds, 0 or more, and is {text!r}."
        )
        raise InvalidRequest(message, (FieldError(("query", "wait"), message, text),))
    return min(seconds, get_settings().max_wait_s)


def parse_idempotency_key(headers: Headers) -> str | None:
    """Return the ``Idempotency-Key``, which may be quoted; None without it."""
    text = headers.get("idempotency-key")
    if text is None:
        return None
    key = text.strip()
    if len(key) >= 2 and key[0] == key[-1] == '"':
        key = key[1:-1]
    if not key or len(key) > MAX_KEY_LENGTH or not (key.isascii() and key.isprintable()):
        message = (
            f"The header Idempotency-Key must have 1 to {MAX_KEY_LENGTH} printable ASCII "
            "characters."
        )
        error = FieldError(("header", "Idempotency-Key"), message, text)
        raise MalformedRequest(message, (error,))
    return key


def build_etag(version: int, suffix: str = "") -> str:
    """Return the entity tag of a version, or with a suffix of a part of it."""
    return f'"{version}{suffix}"'


def parse_known_etags(headers: Headers) -> frozenset[str]:
    """Return the entity tags that the client has, ``*`` for any; weak ones count as strong."""
    tags = headers.get("if-none-match", "").split(",")
    return frozenset(tag.strip().removeprefix("W/") for tag in tags) - {""}


def compute_retry_after(created_at: datetime) -> int:
    """Return after how many seconds to ask again: a quarter of the evaluation's age."""
    age = (datetime.now(UTC) - created_at).total_seconds()
    return max(1, min(MAX_RETRY_S, int(age / 4)))
