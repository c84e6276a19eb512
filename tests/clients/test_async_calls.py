"""Calls of an async client in threads: how many at once, where callbacks run, how they end."""

from __future__ import annotations

import asyncio
import io
import socket
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing

import pytest

from tests.clients.raw_server import format_answer, read_head, run_raw_server
from tests.clients.scripted_server import EVALUATION, evaluation, problem, run_stub
from thetahat_client import AsyncClient, Client, Evaluation
from thetahat_client.calls import CURRENT_CALL

SOON_S = 20.0  # less than every time-out of the client
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


class Holding:
    """Answers nothing, or only the beginning, and notices when the client closes a connection."""

    def __init__(self, beginning: bytes = b"") -> None:
        self.beginning = beginning
        self.received = threading.Semaphore(0)
        self.closed = threading.Event()

    def __call__(self, connection: socket.socket) -> None:
        read_head(connection)
        connection.sendall(self.beginning)
        self.received.release()
        assert connection.recv(1) == b""
        self.closed.set()


async def cancel_when(task: asyncio.Task[object], is_time: Callable[[], object]) -> None:
    """Cancel a task when a function of a thread returns, and check that it ends soon."""
    await asyncio.to_thread(is_time)
    task.cancel()
    begun = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - begun < SOON_S


@pytest.mark.parametrize("beginning", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"])
def test_exact_a_cancelled_call_closes_its_connection(beginning: bytes) -> None:
    holding = Holding(beginning)

    async def cancel(url: str) -> None:
        async with AsyncClient(url) as client:
            task = asyncio.create_task(client.wait("x"))
            await cancel_when(task, holding.received.acquire)
            assert await asyncio.to_thread(holding.closed.wait, SOON_S)

    with run_raw_server(holding) as url:
        asyncio.run(cancel(url))


def test_exact_a_call_ends_with_its_time() -> None:
    holding = Holding()

    async def run_out(url: str) -> None:
        async with AsyncClient(url) as client:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.2):
                    await client.get("x")
            assert await asyncio.to_thread(holding.closed.wait, SOON_S)

    with run_raw_server(holding) as url:
        asyncio.run(run_out(url))


def test_exact_a_cancelled_stream_closes_its_connection() -> None:
    holding = Holding(STREAM + b"event: queued\ndata: {}\nid: 1\n\nevent: started\nda")

    seen = threading.Event()

    async def read(url: str) -> None:
        async with AsyncClient(url) as client:
            async for event in client.events("x"):
                assert event.type == "queued"
                seen.set()

    async def cancel(url: str) -> None:
        task = asyncio.create_task(read(url))
        await cancel_when(task, seen.wait)
        assert await asyncio.to_thread(holding.closed.wait, SOON_S)

    with run_raw_server(holding) as url:
        asyncio.run(cancel(url))


def test_exact_a_stream_that_is_left_closes_its_connection() -> None:
    holding = Holding(STREAM + b"event: queued\ndata: {}\nid: 1\n\n")

    async def leave(url: str) -> None:
        async with AsyncClient(url) as client:
            async with aclosing(client.events("x")) as events:
                assert (await anext(events)).type == "queued"
            assert await asyncio.to_thread(holding.closed.wait, SOON_S)

    with run_raw_server(holding) as url:
        asyncio.run(leave(url))


def test_exact_a_cancelled_pause_is_the_last_of_a_call() -> None:
    began, ended = threading.Event(), threading.Event()

    async def sleep(seconds: float) -> None:
        began.set()
        try:
            await asyncio.sleep(seconds)
        finally:
            ended.set()

    async def cancel(url: str) -> None:
        async with AsyncClient(url, sleep=sleep) as client:
            task = asyncio.create_task(client.get("x"))
            await cancel_when(task, began.wait)
            assert await asyncio.to_thread(ended.wait, SOON_S)
            await asyncio.sleep(0.1)

    with run_stub(problem(503, "unavailable", retry_after=60)) as stub:
        asyncio.run(cancel(stub.url))

    assert len(stub.requests) == 1


class SlowFile(io.BytesIO):
    """A file whose disk answers when the test lets it."""

    def __init__(self) -> None:
        super().__init__(b"x\n1\n")
        self.asked, self.may_answer = threading.Event(), threading.Event()

    def seek(self, offset: int, whence: int = 0) -> int:
        self.asked.set()
        assert self.may_answer.wait(SOON_S)
        return super().seek(offset, whence)


def test_exact_a_call_that_is_cancelled_before_its_request_sends_none() -> None:
    file = SlowFile()

    async def cancel(url: str) -> str:
        async with AsyncClient(url) as client:
            task = asyncio.create_task(client.upload(file, media_type="text/csv"))
            await cancel_when(task, file.asked.wait)
            file.may_answer.set()
            await asyncio.sleep(0.1)
            return (await client.get("y")).status

    with run_stub(evaluation("running")) as stub:
        assert asyncio.run(cancel(stub.url)) == "running"

    assert [request.method for request in stub.requests] == ["GET"]


def test_exact_items_that_are_left_are_closed() -> None:
    numbers = (number for number in range(3))

    async def leave() -> None:
        async with AsyncClient() as client:
            async with aclosing(client.iterate(lambda _: numbers)) as items:
                assert await anext(items) == 0
            assert list(numbers) == []

    asyncio.run(leave())


def test_exact_functions_of_the_caller_run_in_the_event_loop() -> None:
    threads = []

    async def sleep(_: float) -> None:
        threads.append(threading.current_thread())

    def progress(_: Evaluation) -> None:
        threads.append(threading.current_thread())
        asyncio.get_running_loop()

    async def wait(url: str) -> None:
        async with AsyncClient(url, sleep=sleep) as client:
            await client.wait("x", progress=progress)

    states = (evaluation("queued"), evaluation("running"), evaluation("succeeded"))
    with run_stub(*states) as stub:
        asyncio.run(wait(stub.url))

    assert set(threads) == {threading.main_thread()}
    assert len(threads) == 5  # three states and two pauses


def test_exact_a_function_of_the_caller_may_use_a_client_of_its_own() -> None:
    seen = []

    def progress(_: Evaluation) -> None:
        with run_stub(evaluation("failed")) as other, Client(other.url) as client:
            seen.append(client.get("x").status)
            assert CURRENT_CALL.get() is None

    async def wait(url: str) -> None:
        async with AsyncClient(url) as client:
            await client.wait("x", progress=progress)

    with run_stub(evaluation("succeeded")) as stub:
        asyncio.run(wait(stub.url))

    assert seen == ["failed"]


def test_exact_an_error_of_the_progress_function_is_raised() -> None:
    def progress(_: Evaluation) -> None:
        message = "no display"
        raise LookupError(message)

    async def wait(url: str) -> None:
        async with AsyncClient(url) as client:
            await client.wait("x", progress=progress)

    with run_stub(evaluation("running")) as stub, pytest.raises(LookupError, match="no display"):
        asyncio.run(wait(stub.url))


def test_exact_many_calls_that_wait_do_not_hold_up_another() -> None:
    n_waiting = 60  # more than an event loop has threads
    holding = Holding()

    def talk(connection: socket.socket) -> None:
        head = read_head(connection)
        if "/ended" in head:
            connection.sendall(format_answer({**EVALUATION, "status": "succeeded"}))
            return
        holding.received.release()
        assert connection.recv(1) == b""

    async def run(url: str) -> str:
        async with AsyncClient(url) as client:
            tasks = [asyncio.create_task(wait_for(client.get, "x")) for _ in range(n_waiting)]
            for _ in tasks:
                assert await asyncio.to_thread(holding.received.acquire, timeout=SOON_S)
            async with asyncio.timeout(SOON_S):
                ended = await client.get("ended")
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            return ended.status

    with run_raw_server(talk) as url:
        assert asyncio.run(run(url)) == "succeeded"


async def wait_for(get: Callable[[str], Awaitable[Evaluation]], evaluation_id: str) -> Evaluation:
    return await get(evaluation_id)


def test_exact_the_loop_goes_on_while_a_call_waits() -> None:
    holding = Holding()

    async def run(url: str) -> int:
        turns = 0
        async with AsyncClient(url) as client:
            task = asyncio.create_task(client.get("x"))
            while not holding.received.acquire(blocking=False):
                await asyncio.sleep(0.001)
                turns += 1
            await cancel_when(task, lambda: None)
        return turns

    with run_raw_server(holding) as url:
        assert asyncio.run(run(url)) > 0
