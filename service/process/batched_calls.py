"""Those who wait in one event loop for what is done for many of them together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


class OfLoop(Generic[T]):
    """One object for each event loop; there is one loop per process but in tests.

    Parameters
    ----------
    make : callable
        Makes the object of a loop; called in it.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: dict[asyncio.AbstractEventLoop, T] = {}

    def get(self) -> T:
        """Return the running event loop's."""
        loop = asyncio.get_running_loop()
        if loop not in self._made:
            for other in [other for other in self._made if other.is_closed()]:
                del self._made[other]
            self._made[loop] = self._make()
        return self._made[loop]


def settle(waiting: Sequence[asyncio.Future[T]], outcomes: Sequence[T | Exception]) -> None:
    """Hand each its outcome, or raise it where it waits; whoever has gone gets none."""
    for future, outcome in zip(waiting, outcomes, strict=True):
        if future.done():
            continue
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
