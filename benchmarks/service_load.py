"""The load of the service's figures: one asyncio client over bare sockets."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable

CONNECTIONS = 32
Send = Callable[[int], bytes]


def build_request(method: str, path: str, body: bytes = b"", head: str = "") -> bytes:
    lines = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n{head}"
    return lines.encode() + b"Content-Type: application/json\r\n\r\n" + body


class Connection:
    """One kept-alive connection that sends and takes one request at a time."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def open(self) -> Connection:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        return self

    async def ask(self, data: bytes) -> tuple[int, bytes]:
        self._writer.write(data)
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head)
        return int(head[9:12]), await self._reader.readexactly(int(length[1]) if length else 0)

    def close(self) -> None:
        self._writer.close()


async def send_requests(port: int, send: Send, count: int) -> tuple[float, list[float]]:
    """Send ``count`` requests over all connections; returns the rate, and each one's seconds."""
    numbers, times = iter(range(count)), []

    async def send_from(connection: Connection) -> None:
        for number in numbers:
            began = time.perf_counter()
            answers, body = await connection.ask(send(number))
            times.append(time.perf_counter() - began)
            assert answers < 300, (answers, body)

    connections = [await Connection(port).open() for _ in range(CONNECTIONS)]
    began = time.perf_counter()
    await asyncio.gather(*map(send_from, connections))
    rate = count / (time.perf_counter() - began)
    for connection in connections:
        connection.close()
    return rate, sorted(times)
