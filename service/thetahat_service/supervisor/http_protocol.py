"""Limits on the size of request headers, and on the time that headers and bodies may take.

uvicorn limits neither. Without limits, a header without end takes the event loop's time for
seconds, before any API key is asked for, and a client that sends nothing keeps its connection.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEADER_BYTES: Final = 64 * 1024
HEADER_TIMEOUT_S: Final = 10.0
"""Longest time from the connection, or a request's first byte, to the end of its headers."""
BODY_TIMEOUT_S: Final = 60.0
"""Longest pause of a client within a body."""
TOO_LARGE: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-type: text/plain; charset=utf-8\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
)


class LimitedHttpProtocol(HttpToolsProtocol):
    """uvicorn's protocol with limits of size and time for headers and pauses within bodies."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._bytes_of_headers = 0
        self._has_advanced = False
        self._is_reading_body = False
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Close the connection if no request arrives."""
        super().connection_made(transport)
        self._wait_at_most(HEADER_TIMEOUT_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        super().connection_lost(exc)
        self._stop_waiting()

    def data_received(self, data: bytes) -> None:
        """Parse some bytes; refuse too many of them without the end of headers or a piece of body.

        Bytes that advance neither belong to a header, to the name of a path, or to what may stand
        between and after the chunks of a body.
        """
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
