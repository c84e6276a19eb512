"""How long a call may wait for the database.

The limit is kept by the client. A server that is frozen, or whose machine has gone, neither answers
nor closes the connection, so no setting of the server and no time-out of TCP ends the wait.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

STATEMENT_S: Final = 20.0
"""Longest wait for one statement where no other limit is set; more than ``lock_timeout``."""

_STATEMENT_S: ContextVar[float] = ContextVar("database_statement_s", default=STATEMENT_S)
_DEADLINE: ContextVar[float | None] = ContextVar("database_deadline", default=None)


@contextmanager
def answer_by(deadline: float) -> Iterator[None]:
    """Let all database calls inside the block fail after an instant of the monotonic clock."""
    token = _DEADLINE.set(deadline)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


@contextmanager
def answer_within(seconds: float) -> Iterator[None]:
    """Limit the time of all database calls inside the block together."""
    with answer_by(time.monotonic() + seconds):
        yield


@contextmanager
def limit_statements(seconds: float) -> Iterator[None]:
    """Limit the time of each single database call inside the block."""
    token = _STATEMENT_S.set(seconds)
    try:
        yield
    finally:
        _STATEMENT_S.reset(token)


def compute_remaining_s() -> float:
    """Return how many seconds the next database call may take; at most 0 if none are left."""
    deadline = _DEADLINE.get()
    return _STATEMENT_S.get() if deadline is None else deadline - time.monotonic()
