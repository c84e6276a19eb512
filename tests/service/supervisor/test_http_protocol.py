"""Connections that send headers without end, or nothing, against a real server on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from tests.service.supervisor.processes import wait_until
from thetahat_service.supervisor import http_protocol
from thetahat_service.supervisor.http_protocol import MAX_HEADER_BYTES, LimitedHttpProtocol

DEADLINE_S = 30.0
PIECE = bytes(64 * 1024)
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
LARGE = 32 * 1024 * 1024
"""More than the buffers of the system hold."""


async def application(scope: Any, receive: Any, send: Any) -> None:
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    if scope["path"] == "/large":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(LARGE // len(PIECE)):
            await send({"type": "http.response.body", "body": PIECE, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        return
    if scope["path"] == "/slow":
        await asyncio.sleep(2 * http_protocol.HEADER_TIMEOUT_S)
    body = str(size).encode()
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": 200, "headers": [length]})
    await send({"type": "http.response.body", "body": body})


@contextlib.contextmanager
def served(servers: list[uvicorn.Server] | None = None) -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        config = uvicorn.Config(
            application, http=LimitedHttpProtocol, log_config=None, lifespan="off", access_log=False
        )
        server = uvicorn.Server(config)
        if servers is not None:
            servers.append(server)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with served() as number:
        yield number


@contextlib.contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), DEADLINE_S) as client:
        yield client


def read_all(client: socket.socket) -> bytes:
    """Return what comes until the server closes the connection."""
    received = b""
    with contextlib.suppress(ConnectionError):
        while piece := client.recv(65536):
            received += piece
    return received


def ask(client: socket.socket, request: bytes) -> bytes:
    client.sendall(request)
    received = b""
    while b"\r\n\r\n" not in received:
        piece = client.recv(65536)
        assert piece, received
        received += piece
    return received


def send_while_open(client: socket.socket, piece: bytes, most: int) -> int:
    """Send pieces until the server closes the connection; return how many bytes were sent."""
    sent = 0
    with contextlib.suppress(OSError):
        while sent < most:
            client.sendall(piece)
            sent += len(piece)
    return sent


@pytest.mark.parametrize(
    "start",
    [
        b"GET / HTTP/1.1\r\nX: ",
        b"GET /",
        b"GET / HTTP/1.1\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: ",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;x=",
    ],
    ids=["header", "path", "headers", "trailer", "chunk extension"],
)
def test_limit_bytes_without_end_are_refused(port: int, start: bytes) -> None:
    most = 64 * MAX_HEADER_BYTES
    with connected(port) as client:
        client.sendall(start)
        piece = b"a: b\r\n" * 1000 if start.endswith(b"1.1\r\n") else b"x" * 8192
        sent = send_while_open(client, piece, most)
        assert sent < most
        with connected(port) as other:
            assert b"200 OK" in ask(other, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")


def test_exact_a_header_that_is_too_long_is_answered(port: int) -> None:
    with connected(port) as client:
        client.sendall(b"GET / HTTP/1.1\r\nX: " + b"x" * MAX_HEADER_BYTES)
        assert read_all(client).startswith(b"HTTP/1.1 431 ")


def test_exact_long_bodies_and_many_requests_are_taken(port: int) -> None:
    body = b"x" * (20 * MAX_HEADER_BYTES)
    request = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    chunk = b"%x\r\n%s\r\n" % (len(body), body)
    chunked = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + b"0\r\n\r\n"
    with connected(port) as client:
        for _ in range(3):
            assert ask(client, request).endswith(str(len(body)).encode())
            assert ask(client, chunked).endswith(str(len(body)).encode())


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"GET / HTTP/1.1\r\nX",
        b"POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc",
    ],
    ids=["nothing", "a part of the headers", "a part of the body"],
)
def test_limit_a_client_that_stops_sending_is_disconnected(
    monkeypatch: pytest.MonkeyPatch, start: bytes
) -> None:
    monkeypatch.setattr(http_protocol, "HEADER_TIMEOUT_S", 0.1)
    monkeypatch.setattr(http_protocol, "BODY_TIMEOUT_S", 0.1)
    with served() as port, connected(port) as client:
        client.sendall(start)
        assert read_all(client) == b""


def test_limit_a_trickle_of_headers_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "HEADER_TIMEOUT_S", 0.2)
    with served() as port, connected(port) as client:
        deadline = time.monotonic() + DEADLINE_S
        client.sendall(b"GET / HTTP/1.1\r\n")
        with contextlib.suppress(OSError):
            while time.monotonic() < deadline:
                client.sendall(b"a: b\r\n")
                time.sleep(0.01)
        assert time.monotonic() < deadline


def test_exact_an_answer_may_take_longer_than_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "HEADER_TIMEOUT_S", 0.6)
    monkeypatch.setattr(http_protocol, "BODY_TIMEOUT_S", 0.6)
    with served() as port, connected(port) as client:
        assert b"200 OK" in ask(client, b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")


def test_invalid_an_answer_that_is_not_read_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "SEND_TIMEOUT_S", 0.2)
    servers: list[uvicorn.Server] = []
    with served(servers) as port, connected(port) as client:
        client.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        connections = servers[0].server_state.connections
        wait_until(lambda: bool(connections))
        wait_until(lambda: not connections)
        assert len(read_all(client)) < LARGE


def test_exact_an_answer_that_is_read_slowly_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time limit is for one full buffer and not for the whole answer."""
    monkeypatch.setattr(http_protocol, "SEND_TIMEOUT_S", 1.0)
    received = 0
    with served() as port, connected(port) as client:
        client.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        while piece := client.recv(1024 * 1024):
            received += len(piece)
            time.sleep(0.02)
    assert received > LARGE


def test_invalid_more_connections_than_descriptors_are_answered(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(http_protocol, "compute_most_connections", lambda: 2)
    monkeypatch.setattr(http_protocol._Refusals, "logged_at", float("-inf"))
    with served() as port, connected(port) as first:
        assert ask(first, GET).startswith(b"HTTP/1.1 200")
        with connected(port) as second, connected(port) as third, connected(port) as fourth:
            assert ask(second, GET).startswith(b"HTTP/1.1 200")
            for refused in (third, fourth):
                refused.sendall(GET)
                answer = read_all(refused)
                assert answer.startswith(b"HTTP/1.1 503")
                assert b"retry-after: 5" in answer
                assert json.loads(answer.partition(b"\r\n\r\n")[2])["code"] == "unavailable"
        deadline = time.monotonic() + DEADLINE_S
        while True:  # until the server has seen that the others have gone
            with connected(port) as later:
                later.sendall(GET)
                if later.recv(12) == b"HTTP/1.1 200":
                    break
            assert time.monotonic() < deadline
        assert ask(first, GET).startswith(b"HTTP/1.1 200")
    assert caplog.text.count("http.too_many_connections") == 1


def test_exact_a_process_may_open_as_many_files_as_the_system_permits() -> None:
    code = (
        "import resource; from thetahat_service.supervisor import http_protocol as h; "
        "r = resource.RLIMIT_NOFILE; hard = resource.getrlimit(r)[1]; "
        "resource.setrlimit(r, (128, hard)); print(h.compute_most_connections()); "
        "h.raise_descriptor_limit(); print(resource.getrlimit(r)[0] == hard)"
    )
    words = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    assert words == ["96", "True"]
