"""How the event loop calls what blocks.

A read of SQLite takes tens of microseconds and never waits for a writer (write-ahead log), so it
runs where it stands: a thread would cost more than the read. PostgreSQL may be far or away, and a
write may wait for SQLite's lock, so these go to threads of their own; what computes or moves many
bytes goes to the default pool, so that uploads do not stand before submissions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, ParamSpec, TypeVar

from service.settings import settings

P = ParamSpec("P")
T = TypeVar("T")

DATABASE_THREADS: Final = 8
_DATABASE: Final = ThreadPoolExecutor(DATABASE_THREADS, thread_name_prefix="database")


async def ask(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that only reads the database, and little of it."""
    url = settings().database_url
    if not url or url.startswith("sqlite"):
        return function(*args, **kwargs)
    return await change(function, *args, **kwargs)


async def change(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that writes to the database."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_DATABASE, partial(function, *args, **kwargs))


async def labour(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that computes, or moves many bytes."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(None, partial(function, *args, **kwargs))
