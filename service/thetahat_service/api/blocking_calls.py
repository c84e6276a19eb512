"""How the event loop calls functions that block.

A read of SQLite takes tens of microseconds and never waits for a writer (write-ahead log), so it
runs on the event loop: handing it to a thread would take longer than the read. PostgreSQL may be
slow to answer, and a write may wait for SQLite's lock, so these run in threads of their own:
several for PostgreSQL, one for SQLite, whose writers exclude each other anyway. Computations and
large files use the default thread pool, so that uploads do not delay submissions.

A call for the database ends within ``ANSWER_S`` seconds, and the wait for a thread counts. So a
request is answered with 503, and does not hang, while PostgreSQL does not answer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Final, ParamSpec, TypeVar

from thetahat_service.settings import is_sqlite
from thetahat_service.storage.time_limits import answer_by, limit_statements

P = ParamSpec("P")
T = TypeVar("T")

ANSWER_S: Final = 4.0
"""Longest time of a call for the database."""

_SQLITE: Final = ThreadPoolExecutor(1, thread_name_prefix="sqlite")
_POSTGRES: Final = ThreadPoolExecutor(8, thread_name_prefix="postgres")


async def read_database(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that only reads from the database, and reads little."""
    if is_sqlite():
        return function(*args, **kwargs)
    return await write_database(function, *args, **kwargs)


async def write_database(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that writes to the database."""
    loop, deadline = asyncio.get_running_loop(), time.monotonic() + ANSWER_S

    def call() -> T:
        with answer_by(deadline):
            return function(*args, **kwargs)

    return await loop.run_in_executor(
        _SQLITE if is_sqlite() else _POSTGRES, copy_context().run, call
    )


async def run_in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that computes, or reads or writes large files."""

    def call() -> T:
        with limit_statements(ANSWER_S):
            return function(*args, **kwargs)

    return await asyncio.get_running_loop().run_in_executor(None, copy_context().run, call)
