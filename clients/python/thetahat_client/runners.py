"""Taking the steps of operations, by blocking calls or by awaiting; methods that offer both."""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
)
from contextlib import aclosing, closing
from functools import update_wrapper
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

import httpx

from thetahat_client.steps import (
    Item,
    Items,
    OperationStep,
    Pause,
    Progression,
    ReadLine,
    Request,
    Steps,
)

P = ParamSpec("P")
T = TypeVar("T")
Blocking_co = TypeVar("Blocking_co", covariant=True)
Awaited_co = TypeVar("Awaited_co", covariant=True)


class BlockingRunner:
    """Takes the steps of operations in the thread of the caller."""

    def __init__(self, http: httpx.Client, sleep: Callable[[float], None]) -> None:
        self._http = http
        self._sleep = sleep

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
        self._http.close()

    def run(self, steps: Steps[T]) -> T:
        """Take all steps of an operation and return its value."""
        progression = Progression(steps)
        for _ in self._take(progression):
            raise AssertionError  # an operation with a value has no items
        return progression.value

    def iterate(self, steps: Items[T]) -> Iterator[T]:
        """Yield the items of an operation; its steps are taken as the items are needed."""
        return self._take(Progression(steps))

    def _take(self, progression: Progression[Any]) -> Generator[Any]:
        outcome: Any = None
        with closing(_Stream()) as stream:
            while (step := progression.advance(outcome)) is not None:
                outcome = None
                if isinstance(step, Item):
                    yield step.value
                    continue
                try:
                    outcome = self._perform(step, stream)
                except httpx.TransportError as error:
                    outcome = error

    def _perform(self, step: OperationStep, stream: _Stream) -> Any:
        if isinstance(step, Pause):
            return self._sleep(step.seconds)
        if isinstance(step, ReadLine):
            return next(stream.lines, None)
        stream.close()
        response = self._http.send(_build(self._http, step, step.content), stream=step.stream)
        if step.stream:
            stream.open(response)
        return response


class _Stream:
    """The open response of an operation, and the iterator over its lines."""

    def __init__(self) -> None:
        self._response: httpx.Response | None = None
        self.lines: Iterator[str] = iter(())

    def open(self, response: httpx.Response) -> None:
        """Keep a response of status 200 open for ``ReadLine``; read any other whole."""
        if response.status_code != httpx.codes.OK:
            response.read()
            return
        self._response = response
        self.lines = response.iter_lines()

    def close(self) -> None:
        """Close the response, if there is one."""
        if self._response is not None:
            self._response.close()
            self._response = None


class AsyncRunner:
    """Takes the steps of operations by awaiting, in an event loop of asyncio."""

    def __init__(self, http: httpx.AsyncClient, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._http = http
        self._sleep = sleep

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
        await self._http.aclose()

    async def run(self, steps: Steps[T]) -> T:
        """Take all steps of an operation and return its value."""
        progression = Progression(steps)
        async with aclosing(self._take(progression)) as items:
            async for _ in items:
                raise AssertionError  # an operation with a value has no items
        return progression.value

    def iterate(self, steps: Items[T]) -> AsyncIterator[T]:
        """Yield the items of an operation; its steps are taken as the items are needed."""
        return self._take(Progression(steps))

    async def _take(self, progression: Progression[Any]) -> AsyncGenerator[Any]:
        outcome: Any = None
        async with aclosing(_AsyncStream()) as stream:
            while (step := progression.advance(outcome)) is not None:
                outcome = None
                if isinstance(step, Item):
                    yield step.value
                    continue
                try:
                    outcome = await self._perform(step, stream)
                except httpx.TransportError as error:
                    outcome = error

    async def _perform(self, step: OperationStep, stream: _AsyncStream) -> Any:
        if isinstance(step, Pause):
            return await self._sleep(step.seconds)
        if isinstance(step, ReadLine):
            return await anext(stream.lines, None)
        await stream.aclose()
        content = step.content
        request = _build(
            self._http,
            step,
            content if content is None or isinstance(content, bytes) else _read_in_thread(content),
        )
        response = await self._http.send(request, stream=step.stream)
        if step.stream:
            await stream.open(response)
        return response


class _AsyncStream:
    """The open response of an operation, and the iterator over its lines."""

    def __init__(self) -> None:
        self._response: httpx.Response | None = None
        self.lines: AsyncIterator[str] = _iterate_no_lines()

    async def open(self, response: httpx.Response) -> None:
        """Keep a response of status 200 open for ``ReadLine``; read any other whole."""
        if response.status_code != httpx.codes.OK:
            await response.aread()
            return
        self._response = response
        self.lines = response.aiter_lines()

    async def aclose(self) -> None:
        """Close the response, if there is one."""
        if self._response is not None:
            await self._response.aclose()
            self._response = None


async def _iterate_no_lines() -> AsyncIterator[str]:
    return
    yield ""


async def _read_in_thread(pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
    """Yield the pieces; each is read from its file in a thread, so that the loop goes on."""
    iterator = iter(pieces)
    while (piece := await asyncio.to_thread(next, iterator, None)) is not None:
        yield piece


def _build(
    http: httpx.Client | httpx.AsyncClient,
    step: Request,
    content: bytes | Iterable[bytes] | AsyncIterator[bytes] | None,
) -> httpx.Request:
    return http.build_request(
        step.method,
        step.path,
        params=step.query,
        headers=step.headers,
        content=content,
        timeout=step.timeout,
    )


class ClientMethod(Generic[Blocking_co, Awaited_co]):
    """A method that blocks in a blocking client and is awaited in an async one.

    Parameters
    ----------
    steps : callable
        Returns the steps of the operation for a client and its arguments.
    runner : str
        ``run`` for an operation with a value, ``iterate`` for one with items.
    """

    def __init__(self, steps: Callable[..., Any], runner: str) -> None:
        self._steps = steps
        self._runner = runner
        update_wrapper(self, steps)  # type: ignore[arg-type]

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
            return getattr(client, self._runner)(self._steps(client, *arguments, **options))

        return update_wrapper(run, self._steps)


def operation(
    steps: Callable[Concatenate[Any, P], Steps[T]],
) -> ClientMethod[Callable[P, T], Callable[P, Coroutine[Any, Any, T]]]:
    """Make a method that returns a value: ``client.get(id)``, ``await client.get(id)``."""
    return ClientMethod(steps, "run")


def listing(
    steps: Callable[Concatenate[Any, P], Items[T]],
) -> ClientMethod[Callable[P, Iterator[T]], Callable[P, AsyncIterator[T]]]:
    """Make a method over which callers iterate, with ``for`` or with ``async for``."""
    return ClientMethod(steps, "iterate")
