"""Calls of blocking functions in threads, which an event loop starts and can end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from threading import Lock
from typing import Final, TypeVar

T = TypeVar("T")


class CallCancelled(Exception):
    """Ends the thread of a call whose task has been cancelled; nobody receives it."""


class ThreadCall:
    """A call in a thread of its own, as seen by that thread and by the event loop.

    Parameters
    ----------
    loop : asyncio.AbstractEventLoop
        The loop whose task waits for the call.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._lock = Lock()
        self._is_cancelled = False
        self._interrupt: Callable[[], object] | None = None

    def cancel(self) -> None:
        """End what the thread waits for, and let it begin nothing more."""
        with self._lock:
            self._is_cancelled = True
            if self._interrupt is not None:
                self._interrupt()

    def on_cancel(self, interrupt: Callable[[], object]) -> None:
        """Name what ends the wait that the thread begins; raise ``CallCancelled`` if cancelled."""
        with self._lock:
            if self._is_cancelled:
                raise CallCancelled
            self._interrupt = interrupt

    def wait_in_loop(self, start: Callable[[], Awaitable[T]]) -> T:
        """Let the event loop await something, and return its value to the thread."""

        async def finish() -> T:
            CURRENT_CALL.set(None)  # what the caller starts from here is no part of this call
            return await start()

        with self._lock:
            if self._is_cancelled:
                raise CallCancelled
            future = asyncio.run_coroutine_threadsafe(finish(), self._loop)
            self._interrupt = future.cancel
        return future.result()


CURRENT_CALL: Final[ContextVar[ThreadCall | None]] = ContextVar("CURRENT_CALL", default=None)
"""The call that the present thread executes; None in a program without an event loop."""
