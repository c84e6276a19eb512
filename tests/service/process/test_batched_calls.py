"""Waiting callers: one object per event loop, and an outcome for each future."""

from __future__ import annotations

import asyncio

import pytest

from thetahat_service.process.batched_calls import PerEventLoop, resolve_futures


def test_exact_each_event_loop_has_its_own_and_closed_ones_are_forgotten() -> None:
    made = PerEventLoop(list[int])

    async def twice() -> tuple[list[int], list[int]]:
        return made.get(), made.get()

    first, again = asyncio.run(twice())
    assert first is again
    other, _ = asyncio.run(twice())
    assert other is not first
    assert len(made._objects) == 1


def test_exact_each_waiting_caller_gets_its_outcome() -> None:
    async def scene() -> None:
        loop = asyncio.get_running_loop()
        value, error, gone = (loop.create_future() for _ in range(3))
        gone.cancel()
        resolve_futures([value, error, gone], [1, ValueError("no"), 2])
        assert await value == 1
        with pytest.raises(ValueError, match="no"):
            await error
        assert gone.cancelled()

    asyncio.run(scene())
