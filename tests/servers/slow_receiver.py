"""A server on loopback that takes requests and never finishes an answer."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

DRIP_S = 0.05
HEAD = b"HTTP/1.1 200 OK\r\nX-Slow: "


@dataclass(slots=True)
class SlowReceiver:
    """A running server: its port, the requests that are open and how many have come."""

    port: int = 0
    opened: int = 0
    open_now: set[int] = field(default_factory=set)
    most_open: int = 0


@contextmanager
def run_slow_receiver(*, drips: bool) -> Iterator[SlowReceiver]:
    """Run a server until the block ends.

    Parameters
    ----------
    drips : bool
        Whether a byte of the head of the answer comes every 50 ms; otherwise nothing comes.
    """
    receiver, ended, lock = SlowReceiver(), threading.Event(), threading.Lock()

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with lock:
                receiver.opened += 1
                receiver.open_now.add(id(self))
                receiver.most_open = max(receiver.most_open, len(receiver.open_now))
            try:
                with suppress(OSError):
                    self._answer()
            finally:
                with lock:
                    receiver.open_now.discard(id(self))

        def _answer(self) -> None:
            self.request.settimeout(DRIP_S)
            if drips:
                self.request.sendall(HEAD)
            while not ended.is_set():
                with suppress(TimeoutError):
                    if not self.request.recv(65536):
                        return
                if drips:
                    self.request.sendall(b"x")

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, *_: object) -> None:
            """A client that goes away is part of the tests."""

    server = Server(("127.0.0.1", 0), Handler)
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield receiver
    finally:
        ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
