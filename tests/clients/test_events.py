"""Streams of events that break, and what only an async client can do."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from tests.clients.scripted_server import DROP, Reply, evaluation, problem, run_stub
from thetahat_client import AsyncClient, Client, ConnectionFailed, Refused
from thetahat_client.errors import UnexpectedAnswer
from thetahat_client.events import Event, read_events
from thetahat_client.exchange import Answer, Request
from thetahat_client.transport import Transport

STREAM = {"Content-Type": "text/event-stream; charset=utf-8"}
BROKEN = {**STREAM, "Content-Length": "1000000"}
QUEUED = b'retry: 2000\n\nevent: queued\ndata: {"at": "2026"}\nid: 1\n\n: ping\n\n'
HALF = b'event: progress\ndata: {"done": 5,\ndata: "total": 10}\n\n'
CUT = b'event: succeeded\ndata: {"at"'
ENDED = b"event: succeeded\ndata: {}\nid: 7\n\nevent: progress\ndata: {}\n\n"

Opener = type[Client]


def read_all(open_client: Opener, *replies: Reply) -> tuple[list[Event], list[str | None]]:
    """Return the events, and the number after which each stream was asked to begin."""
    with (
        run_stub(*replies) as stub,
        open_client(stub.url, retries=2, sleep=lambda _: None) as client,
    ):
        events = list(client.events("x"))
    return events, [request.headers.get("last-event-id") for request in stub.requests]


def test_exact_a_stream_that_breaks_goes_on_after_its_last_event(open_client: Opener) -> None:
    cut = Reply(200, QUEUED + HALF + CUT, BROKEN)
    busy = problem(503, "unavailable")
    events, begun = read_all(open_client, cut, DROP, busy, Reply(200, ENDED, STREAM))

    assert events == [
        Event("queued", 1, {"at": "2026"}),
        Event("progress", None, {"done": 5, "total": 10}),
        Event("succeeded", 7, {}),
    ]
    assert begun == ["0", "1", "1", "1"]


def test_exact_a_stream_without_the_last_event_is_opened_until_there_are_no_more(
    open_client: Opener,
) -> None:
    events, begun = read_all(open_client, Reply(200, QUEUED, STREAM), Reply(204, None, STREAM))

    assert [event.type for event in events] == ["queued"]
    assert begun == ["0", "1"]


def test_exact_a_stream_that_always_breaks_is_given_up(open_client: Opener) -> None:
    with pytest.raises(ConnectionFailed, match="3 attempts"):
        read_all(open_client, Reply(200, CUT, BROKEN))


def test_invalid_streams_are_refused(open_client: Opener) -> None:
    with pytest.raises(Refused, match="because"):
        read_all(open_client, problem(422, "invalid_request", "because"))
    with pytest.raises(UnexpectedAnswer):
        read_all(open_client, Reply(200, b"<html>", {"Content-Type": "text/html"}))


def test_exact_a_caller_may_close_the_stream_and_continue() -> None:
    async def leave(url: str) -> tuple[str, str]:
        async with AsyncClient(url) as client:
            async with aclosing(client.events("x")) as events:
                first = await anext(events)
            return first.type, (await client.get("x")).status

    with run_stub(Reply(200, QUEUED + HALF, STREAM), evaluation("running")) as stub:
        assert asyncio.run(leave(stub.url)) == ("queued", "running")
    with (
        run_stub(Reply(200, QUEUED + HALF, STREAM), evaluation("running")) as stub,
        Client(stub.url) as client,
    ):
        for event in client.events("x"):
            assert event.type == "queued"
            break
        assert client.get("x").status == "running"


@pytest.mark.parametrize("text", ["event: queued\ndata: {}\n\n", ""])
def test_exact_every_stream_is_closed(text: str) -> None:
    closed = []

    def answer(_: Request) -> Answer:
        return Answer(
            request="GET",
            status=200 if len(closed) < 2 else 204,
            reason="",
            headers={"content-type": "text/event-stream"},
            lines=iter(text.split("\n")),
            close=lambda: closed.append(True),
        )

    events = read_events(Transport("", 1, 1, answer, lambda _: None), "x", 0)
    for _ in events:
        break
    events.close()

    assert len(closed) == (1 if text else 3)


def test_exact_operations_run_at_once_in_one_loop(service_url: str) -> None:
    request = {"kind": "losses", "blocks": "random", "losses": {"a": [[0, 1], [1, 1]]}}

    async def run() -> list[str]:
        async with AsyncClient(service_url) as client:
            sent = await asyncio.gather(*(client.submit(request) for _ in range(3)))
            ended = await asyncio.gather(*(client.wait(submitted.id, 60) for submitted in sent))
            results = await asyncio.gather(
                *(client.result(submitted.id, "losses") for submitted in ended)
            )
            return [each["summary"]["best_model"] for each in results]

    assert asyncio.run(run()) == ["a"] * 3


def test_exact_a_wait_can_be_cancelled() -> None:
    async def cancel(url: str) -> str:
        async with AsyncClient(url) as client:
            wait = asyncio.create_task(client.wait("x"))
            done, _ = await asyncio.wait([wait], timeout=0.3)
            assert not done
            wait.cancel()
            with pytest.raises(asyncio.CancelledError):
                await wait
            return (await client.get("x")).status

    with run_stub(evaluation("running")) as stub:
        assert asyncio.run(cancel(stub.url)) == "running"
