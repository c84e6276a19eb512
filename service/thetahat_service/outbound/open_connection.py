"""The connection of a request, which another thread can close."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any


class OpenConnection:
    """The connection of one request.

    httpx limits each read; a server that sends one byte before each of these limits would hold the
    request for ever. A closed connection ends the read that is under way.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self.is_closed = False
        """Whether the connection was closed from outside."""

    def close(self) -> None:
        """Close the connection, or the one that is made later."""
        with self._lock:
            self.is_closed = True
            self._shut_down()

    def take(self, event: str, info: Mapping[str, Any]) -> None:
        """Remember the socket of the connection; httpx calls this for each of its steps."""
        if event in {"connection.connect_tcp.complete", "connection.start_tls.complete"}:
            with self._lock:
                self._socket = info["return_value"].get_extra_info("socket")
                if self.is_closed:
                    self._shut_down()

    def _shut_down(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                # Not the method of SSLSocket, which would take the TLS state from the reader.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
