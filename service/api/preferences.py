"""Headers by which a client says how it wants to be answered."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import Final

from starlette.datastructures import Headers

from service.errors import FieldError, InvalidRequest, MalformedRequest
from service.settings import settings

LONGEST_KEY: Final = 255
LONGEST_PAUSE_S: Final = 30
WAIT: Final = re.compile(r"(?:^|[,;\s])wait\s*=\s*\"?(\d{1,9})\"?", re.IGNORECASE)


def preferred_wait(headers: Headers) -> float | None:
    """Return the seconds of ``Prefer: wait=N``, capped; what cannot be read is ignored."""
    found = WAIT.search(headers.get("prefer", ""))
    return None if found is None else min(float(found[1]), settings().max_wait_s)


def asked_wait(text: str | None) -> float | None:
    """Return the seconds of ``?wait=N``, capped."""
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        fault = FieldError(("query", "wait"), "must be a number of seconds, 0 or more", text)
        raise InvalidRequest("wait must be a number of seconds.", (fault,))
    return min(seconds, settings().max_wait_s)


def idempotency_key(headers: Headers) -> str | None:
    """Return the ``Idempotency-Key``, with or without quotes."""
    text = headers.get("idempotency-key")
    if text is None:
        return None
    key = text.strip()
    if len(key) >= 2 and key[0] == key[-1] == '"':
        key = key[1:-1]
    if not key or len(key) > LONGEST_KEY or not (key.isascii() and key.isprintable()):
        raise MalformedRequest(
            f"Idempotency-Key must be 1 to {LONGEST_KEY} printable ASCII characters.",
            (FieldError(("header", "Idempotency-Key"), "not a usable key", text),),
        )
    return key


def etag(version: int) -> str:
    """Return the entity tag of a version."""
    return f'"{version}"'


def known_versions(headers: Headers) -> frozenset[str]:
    """Return the entity tags that the client has, ``*`` for any; weak ones count as strong."""
    tags = headers.get("if-none-match", "").split(",")
    return frozenset(tag.strip().removeprefix("W/") for tag in tags) - {""}


def pause_after(created_at: datetime) -> int:
    """Return after how many seconds to ask again: the longer it has taken, the later."""
    age = (datetime.now(UTC) - created_at).total_seconds()
    return max(1, min(LONGEST_PAUSE_S, int(age / 4)))
