"""How the event loop calls what blocks.

A read of SQLite takes tens of microseconds and never waits for a writer (write-ahead log), so it
runs where it stands: a thread would cost more than the read. PostgreSQL may be far or away, and a
write may wait for SQLite's lock, so these go to threads of their own: several for PostgreSQL, one
for SQLite, whose writers exclude each other anyway and whose one connection keeps its pages. What
computes or moves many bytes goes to the default pool, so that uploads do not stand before
submissions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, ParamSpec, TypeVar

from service.settings import is_sqlite

P = ParamSpec("P")
T = TypeVar("T")

_SQLITE: Final = ThreadPoolExecutor(1, thread_name_prefix="sqlite")
_POSTGRES: Final = ThreadPoolExecutor(8, thread_name_prefix="postgres")


async def ask(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that only reads the database, and little of it."""
    if is_sqlite():
        return function(*args, **kwargs)
    return await change(function, *args, **kwargs)


async def change(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that writes to the database."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(
        _SQLITE if is_sqlite() else _POSTGRES, partial(function, *args, **kwargs)
    )


async def labour(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that computes, or moves many bytes."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(None, partial(function, *args, **kwargs))
