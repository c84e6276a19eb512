"""Methods that block in ``Client`` and are awaited in ``AsyncClient``; how each runs them.

An operation is written once, as a function that blocks. ``Client`` calls it. ``AsyncClient`` calls
it in a thread, so both have the same requests, further attempts, waiting and exceptions.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial, update_wrapper
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Final,
    Generic,
    ParamSpec,
    Self,
    TypeAlias,
    TypeVar,
    overload,
)

from thetahat_client.calls import CURRENT_CALL, ThreadCall

if TYPE_CHECKING:
    from thetahat_client.connections import Connections

P = ParamSpec("P")
T = TypeVar("T")
Blocking_co = TypeVar("Blocking_co", covariant=True)
Awaited_co = TypeVar("Awaited_co", covariant=True)

MOST_THREADS: Final = 1000
"""Calls of one ``AsyncClient`` at once. Each waits in a thread of its own, for as long as an
evaluation takes; the event loop's own few threads would be used up, also for other work."""

Items: TypeAlias = Generator[T, None, None]
"""The items of an operation, whose requests are sent as the items are needed."""


class BlockingRunner:
    """Calls operations in the thread of the caller."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()

    def run(self, function: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Return the value of an operation."""
        return function(self, *arguments, **options)

    def iterate(
        self, function: Callable[..., Items[T]], *arguments: Any, **options: Any
    ) -> Items[T]:
        """Return the items of an operation."""
        return function(self, *arguments, **options)

    def call_back(self, function: Callable[[T], object], value: T) -> None:
        """Call a function of the caller."""
        function(value)


class AsyncRunner:
    """Calls operations in threads, and awaits them in an event loop of asyncio.

    When a task is cancelled, its call ends at once: the connection that it uses is closed, a pause
    is ended, and no further request is sent.
    """

    def __init__(self, connections: Connections, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._connections = connections
        self._sleep = sleep
        self._threads = ThreadPoolExecutor(MOST_THREADS, "thetahat-client")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        self._threads.shutdown(wait=False)
        self._connections.close()

    async def run(self, function: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Return the value of an operation."""
        call = ThreadCall(asyncio.get_running_loop())
        future = self._start(call, partial(function, self, *arguments, **options))
        try:
            return await asyncio.wrap_future(future)
        finally:
            if not future.done():
                call.cancel()

    async def iterate(
        self, function: Callable[..., Items[T]], *arguments: Any, **options: Any
    ) -> AsyncGenerator[T, None]:
        """Yield the items of an operation."""
        items = function(self, *arguments, **options)
        call = ThreadCall(asyncio.get_running_loop())
        end = object()
        while True:
            future = self._start(call, partial(next, items, end))
            try:
                item = await asyncio.wrap_future(future)
                if item is end:
                    return
                yield item
            except BaseException:
                if not future.done():
                    call.cancel()
                future.add_done_callback(lambda _: items.close())
                raise

    def pause(self, seconds: float) -> None:
        """Let the thread of a call wait while the event loop awaits ``sleep``."""
        self._wait_in_loop(partial(self._sleep, seconds))

    def call_back(self, function: Callable[[T], object], value: T) -> None:
        """Call a function of the caller in the event loop, as callers expect."""

        async def call_function() -> None:
            function(value)

        self._wait_in_loop(call_function)

    def _start(self, call: ThreadCall, function: Callable[[], T]) -> Future[T]:
        """Start a function in a thread, which can find its call."""
        context = copy_context()
        context.run(CURRENT_CALL.set, call)
        return self._threads.submit(context.run, function)

    def _wait_in_loop(self, start: Callable[[], Awaitable[None]]) -> None:
        call = CURRENT_CALL.get()
        assert call is not None  # noqa: S101 - operations run in the threads of _start
        call.wait_in_loop(start)


class ClientMethod(Generic[Blocking_co, Awaited_co]):
    """A method that blocks in a blocking client and is awaited in an async one.

    Parameters
    ----------
    function : callable
        The operation, for a client and its arguments.
    runner : str
        ``run`` for an operation with a value, ``iterate`` for one with items.
    """

    def __init__(self, function: Callable[..., Any], runner: str) -> None:
        self._function = function
        self._runner = runner
        update_wrapper(self, function)  # type: ignore[arg-type]

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...
    @overload
    def __get__(self, client: BlockingRunner, owner: type) -> Blocking_co: ...
    @overload
    def __get__(self, client: AsyncRunner, owner: type) -> Awaited_co: ...

    def __get__(self, client: Any, owner: type) -> Any:
        """Return the method bound to a client, which blocks or is awaited as the client does."""
        if client is None:
            return self

        def run(*arguments: Any, **options: Any) -> Any:
            return getattr(client, self._runner)(self._function, *arguments, **options)

        return update_wrapper(run, self._function)


def operation(
    function: Callable[Concatenate[Any, P], T],
) -> ClientMethod[Callable[P, T], Callable[P, Coroutine[Any, Any, T]]]:
    """Make a method that returns a value: ``client.get(id)``, ``await client.get(id)``."""
    return ClientMethod(function, "run")


def listing(
    function: Callable[Concatenate[Any, P], Items[T]],
) -> ClientMethod[Callable[P, Items[T]], Callable[P, AsyncGenerator[T, None]]]:
    """Make a method over which callers iterate, with ``for`` or with ``async for``."""
    return ClientMethod(function, "iterate")
