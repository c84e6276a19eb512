"""A connection to PostgreSQL that does not wait longer than ``time_limits`` allows."""

from __future__ import annotations

import math
import time
from collections.abc import Generator
from typing import Any, TypeVar

import psycopg
from psycopg.waiting import Ready

from thetahat_service.storage.time_limits import compute_remaining_s

R = TypeVar("R")


class LimitedConnection(psycopg.Connection[Any]):
    """A connection that is closed, with ``OperationalError``, when an answer takes too long.

    It has to be closed because the late answer of one statement would be taken for that of the
    next. The pool replaces it.
    """

    def wait(self, gen: Generator[Any, Any, R], *args: Any, **kwargs: Any) -> R:
        """Return the value of a psycopg generator, or raise ``OperationalError``."""
        limit = compute_remaining_s()
        return super().wait(self._close_after(gen, limit), *args, **kwargs)

    def _close_after(self, gen: Generator[Any, Any, R], limit_s: float) -> Generator[Any, Any, R]:
        """Pass on what a generator yields and receives; close the connection after the limit.

        psycopg sends ``Ready.NONE`` ten times a second while it waits.
        """
        deadline = time.monotonic() + limit_s
        try:
            request = next(gen)
            while True:
                ready = yield request
                if ready == Ready.NONE and time.monotonic() >= deadline:
                    self.pgconn.finish()
                    message = f"The database did not answer within {max(limit_s, 0):.1f} seconds."
                    raise psycopg.OperationalError(message)
                request = gen.send(ready)
        except StopIteration as end:
            value: R = end.value
            return value


def connect(*args: Any, **parameters: Any) -> LimitedConnection:
    """Return a new connection; ``OperationalError`` if no time is left or the server is silent."""
    limit_s = compute_remaining_s()
    if limit_s <= 0:
        raise psycopg.OperationalError("No time was left to connect to the database.")
    timeout = min(int(parameters.get("connect_timeout", 5)), math.ceil(limit_s))
    return LimitedConnection.connect(*args, **{**parameters, "connect_timeout": timeout})
