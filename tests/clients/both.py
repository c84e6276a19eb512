"""The async client behind the methods of the blocking one, so that tests can be the same."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Any, Self

from thetahat_client import AsyncClient


class AwaitedClient:
    """Has the methods of ``Client``; each is that of an ``AsyncClient``, run to its end."""

    def __init__(
        self, *words: Any, sleep: Callable[[float], None] | None = None, **options: Any
    ) -> None:
        async def sleep_async(seconds: float) -> None:
            assert sleep is not None
            sleep(seconds)

        if sleep is not None:
            options["sleep"] = sleep_async
        self._runner = asyncio.Runner()
        self._client = AsyncClient(*words, **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._run(self._client.close())
        self._runner.close()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        def call(*words: Any, **options: Any) -> Any:
            started = method(*words, **options)
            return self._run(started) if inspect.isawaitable(started) else self._iterate(started)

        return call

    def _run(self, started: Any) -> Any:
        async def finish() -> Any:
            return await started

        return self._runner.run(finish())

    def _iterate(self, items: AsyncGenerator[Any]) -> Iterator[Any]:
        end = object()
        try:
            while (item := self._run(anext(items, end))) is not end:
                yield item
        finally:
            self._run(items.aclose())
