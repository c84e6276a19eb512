"""Limits on the size of request headers, on the time of both directions, and on connections.

uvicorn limits none. Without limits, a header without end takes the event loop's time for seconds,
before any API key is asked for, a client that sends or reads nothing keeps its connection, and
where the process has no file descriptor left, connections are refused without a word.
"""

from __future__ import annotations

import asyncio
import logging
import resource
from contextlib import suppress
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEADER_BYTES: Final = 64 * 1024
HEADER_TIMEOUT_S: Final = 10.0
"""Longest time from the connection, or a request's first byte, to the end of its headers."""
BODY_TIMEOUT_S: Final = 60.0
"""Longest pause of a client within a body."""
SEND_TIMEOUT_S: Final = 60.0
"""Longest time in which a client that reads too slowly may leave a full buffer unread."""
REFUSED_TIMEOUT_S: Final = 1.0
"""Longest time for the headers of a connection that is answered 503."""
LOG_PAUSE_S: Final = 10.0
RESERVED: Final = 4
"""One in so many file descriptors is kept for files, the database and parsers."""
TOO_LARGE: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-type: text/plain; charset=utf-8\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
)
_BUSY_BODY: Final = (
    b'{"type":"/problems/unavailable","title":"The service has too many connections",'
    b'"status":503,"detail":"Too many connections are open. Try again later.",'
    b'"code":"unavailable","errors":[]}'
)
TOO_MANY: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\n"
    b"retry-after: 5\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%s"
    % (len(_BUSY_BODY), _BUSY_BODY)
)
log = logging.getLogger(__name__)


def raise_descriptor_limit() -> None:
    """Let this process open as many files and connections as the system permits it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def compute_most_connections() -> int:
    """Return the number of connections beyond which further ones are answered 503."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft - soft // RESERVED


class _Refusals:
    """When a refused connection was last logged."""

    logged_at = float("-inf")


class LimitedHttpProtocol(HttpToolsProtocol):
    """uvicorn's protocol with limits of size and time for headers, bodies and answers."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._bytes_of_headers = 0
        self._has_advanced = False
        self._is_reading_body = False
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._send_timer: asyncio.TimerHandle | None = None
        self._is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Close the connection if no request arrives; refuse it if there are too many.

        It is refused when its request arrives: closing a connection with unread bytes would discard
        the answer.
        """
        super().connection_made(transport)
        self._is_refused = len(self.connections) > compute_most_connections()
        self._wait_at_most(REFUSED_TIMEOUT_S if self._is_refused else HEADER_TIMEOUT_S)
        now = self.loop.time()
        if self._is_refused and now - _Refusals.logged_at > LOG_PAUSE_S:
            _Refusals.logged_at = now
            log.warning("http.too_many_connections", extra={"open": len(self.connections)})

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timers."""
        super().connection_lost(exc)
        self._stop_waiting()
        self._stop_send_timer()

    def pause_writing(self) -> None:
        """Begin to wait for a client that does not read."""
        super().pause_writing()
        self._stop_send_timer()
        self._send_timer = self.loop.call_later(SEND_TIMEOUT_S, self._abort_unread)

    def resume_writing(self) -> None:
        """Go on, because the client has read most of the buffer."""
        super().resume_writing()
        self._stop_send_timer()

    def _abort_unread(self) -> None:
        log.info("http.unread", extra={"client": self.client[0] if self.client else None})
        self.transport.abort()

    def _stop_send_timer(self) -> None:
        if self._send_timer is not None:
            self._send_timer.cancel()
            self._send_timer = None

    def data_received(self, data: bytes) -> None:
        """Parse some bytes; refuse too many of them without the end of headers or a piece of body.

        Bytes that advance neither belong to a header, to the name of a path, or to what may stand
        between and after the chunks of a body.
        """
        if self._is_refused:
            if not self.transport.is_closing():
                self.transport.write(TOO_MANY)
                self.transport.close()
            return
        if self._timer is None:
            self._wait_at_most(HEADER_TIMEOUT_S)
        self._has_advanced = False
        super().data_received(data)
        self._bytes_of_headers = 0 if self._has_advanced else self._bytes_of_headers + len(data)
        if self._bytes_of_headers > MAX_HEADER_BYTES and not self.transport.is_closing():
            cycle: Any = self.cycle  # None before the first request
            if cycle is None or cycle.response_complete:
                self.transport.write(TOO_LARGE)
            self.transport.close()

    def on_headers_complete(self) -> None:
        """Begin to wait for the body."""
        self._has_advanced = self._is_reading_body = True
        self._wait_at_most(BODY_TIMEOUT_S)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Begin to wait for the next piece."""
        self._has_advanced = True
        self._deadline = self.loop.time() + BODY_TIMEOUT_S
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Stop the timer, because the answer has no time limit."""
        self._has_advanced, self._is_reading_body = True, False
        self._stop_waiting()
        super().on_message_complete()

    def _wait_at_most(self, seconds: float) -> None:
        self._stop_waiting()
        self._deadline = self.loop.time() + seconds
        self._timer = self.loop.call_at(self._deadline, self._check_deadline)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check_deadline(self) -> None:
        """Close the connection, unless a piece has arrived since or the service reads slowly."""
        if self._is_reading_body and self.flow.read_paused:
            self._wait_at_most(BODY_TIMEOUT_S)
        elif self.loop.time() < self._deadline:
            self._timer = self.loop.call_at(self._deadline, self._check_deadline)
        elif not self.transport.is_closing():
            self.transport.close()
