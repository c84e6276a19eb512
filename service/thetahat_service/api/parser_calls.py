"""How the event loop calls functions that wait for the process that parses a file.

Their threads have a pool of their own, so that a file that takes long delays no computation. An
owner uses all parsers but one, so that it delays no file of another owner either.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from contextvars import copy_context
from functools import lru_cache
from typing import Final, ParamSpec, TypeVar
from uuid import UUID

from thetahat_service.api.blocking_calls import ANSWER_S
from thetahat_service.process.batched_calls import PerEventLoop
from thetahat_service.settings import get_settings
from thetahat_service.storage.time_limits import limit_statements

P = ParamSpec("P")
T = TypeVar("T")


class _ParserTurns:
    """Limits how many parsers one owner uses at once."""

    def __init__(self) -> None:
        self._running: Counter[UUID] = Counter()
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def wait_for_turn(self, owner_id: UUID) -> AsyncIterator[None]:
        """Wait until the owner may use a parser, and count it until the block ends."""
        max_running = max(1, get_settings().parsers - 1)
        async with self._changed:
            await self._changed.wait_for(lambda: self._running[owner_id] < max_running)
            self._running[owner_id] += 1
        try:
            yield
        finally:
            async with self._changed:
                self._running -= Counter([owner_id])
                self._changed.notify_all()


_TURNS: Final = PerEventLoop(_ParserTurns)


@lru_cache(maxsize=1)
def _make_parser_threads(parsers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(parsers, thread_name_prefix="parser")


async def run_parser(
    owner_id: UUID, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Call a function that waits for a process that parses a file of the owner."""

    def call() -> T:
        with limit_statements(ANSWER_S):
            return function(*args, **kwargs)

    loop = asyncio.get_running_loop()
    async with _TURNS.get().wait_for_turn(owner_id):
        return await loop.run_in_executor(
            _make_parser_threads(get_settings().parsers), copy_context().run, call
        )
