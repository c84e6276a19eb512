"""A real HTTP server on loopback that remembers what it is sent."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True)
class Received:
    """One request."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server answers."""

    status: int = 204
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | Callable[[], Iterator[bytes]] = b""


@dataclass(slots=True)
class Receiver:
    """A running server: its port, what it has received, and what it answers next."""

    port: int
    received: list[Received] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    server_names: list[str | None] = field(default_factory=list)
    is_answering: threading.Event = field(default_factory=threading.Event)
    """Cleared by a test, requests wait until it is set again."""

    def __post_init__(self) -> None:
        self.is_answering.set()

    def wait_for(self, count: int, seconds: float = 20.0) -> list[Received]:
        """Wait until so many requests have come."""
        deadline = time.monotonic() + seconds
        while len(self.received) < count:
            assert time.monotonic() < deadline, self.received
            time.sleep(0.01)
        return self.received


@contextmanager
def run_receiver(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """Run a server until the block ends; it answers 204 unless ``replies`` has something else."""
    receiver = Receiver(0)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            receiver.is_answering.wait()
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.received.append(Received(self.command, self.path, headers, body))
            reply = receiver.replies.pop(0) if receiver.replies else Reply()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if callable(reply.body):
                self.close_connection = True
                self.end_headers()
                for piece in reply.body():
                    self.wfile.write(piece)
                return
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        do_GET = do_POST  # noqa: N815 - the name that http.server calls

        def log_message(self, *_: Any) -> None:
            """Write nothing to the standard error."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """A client that goes away is part of the tests."""

    server = Server(("127.0.0.1", 0), Handler)
    if tls is not None:
        tls.sni_callback = lambda _socket, name, _context: receiver.server_names.append(name)
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield receiver
    finally:
        receiver.is_answering.set()
        server.shutdown()
        server.server_close()
        thread.join()
