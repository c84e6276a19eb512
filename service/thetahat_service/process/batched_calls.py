"""Helpers for work that one event loop does for many waiting callers together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


class PerEventLoop(Generic[T]):
    """One object per event loop; except in tests, a process has one loop.

    Parameters
    ----------
    make : callable
        Makes the object of a loop; called in that loop.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._objects: dict[asyncio.AbstractEventLoop, T] = {}

    def get(self) -> T:
        """Return the object of the running event loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._objects:
            for old_loop in [old_loop for old_loop in self._objects if old_loop.is_closed()]:
                del self._objects[old_loop]
            self._objects[loop] = self._make()
        return self._objects[loop]


def resolve_futures(
    futures: Sequence[asyncio.Future[T]], outcomes: Sequence[T | Exception]
) -> None:
    """Set each future's result, or its exception; skip futures that were cancelled."""
    for future, outcome in zip(futures, outcomes, strict=True):
        if future.done():
            continue
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
