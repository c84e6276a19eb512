"""A server of bytes: a function talks over each connection."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

JSON = "Content-Type: application/json"


@contextmanager
def run_raw_server(talk: Callable[[socket.socket], None], receive_buffer: int = 0) -> Iterator[str]:
    """Call ``talk`` in a thread for each connection, and yield the address.

    ``receive_buffer`` is a number of bytes; 0 leaves it to the system.
    """

    def serve(connection: socket.socket) -> None:
        with connection, contextlib.suppress(ConnectionError):
            connection.settimeout(20)
            talk(connection)

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return  # the listener is closed
            thread = threading.Thread(target=serve, args=[connection])
            threads.append(thread)
            thread.start()

    threads: list[threading.Thread] = []
    with socket.socket() as listener:
        if receive_buffer:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        listener.bind(("127.0.0.1", 0))
        listener.listen(100)
        accepting = threading.Thread(target=accept)
        accepting.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            accepting.join()
            for thread in threads:
                thread.join()


def read_head(connection: socket.socket) -> str:
    """Return the first line and the headers of a request without a body; empty at the end."""
    received = b""
    while not received.endswith(b"\r\n\r\n"):
        byte = connection.recv(1)
        if not byte:
            return ""
        received += byte
    return received.decode()


def format_answer(value: object, *headers: str, length: int | None = None) -> bytes:
    """Return an answer of status 200 with JSON; ``length`` replaces the true length."""
    body = json.dumps(value).encode()
    lines = ["HTTP/1.1 200 OK", JSON, f"Content-Length: {length or len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body
