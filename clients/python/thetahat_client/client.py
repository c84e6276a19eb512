"""The clients of the service: one that blocks, and one for asyncio."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from thetahat_client.operations import Operations
from thetahat_client.runners import AsyncRunner, BlockingRunner
from thetahat_client.transport import Transport

if TYPE_CHECKING:
    from thetahat_client.connections import Connections

DEFAULT_URL: Final = "http://127.0.0.1:8000"


class Client(BlockingRunner, Operations):
    """A connection to one service, for use in a ``with`` block.

    Every request is tried again after a dropped connection, 429, 502, 503 or 504. That is safe: an
    upload gives the same data set again, and a submission has an idempotency key. After the last
    attempt an exception is raised, see ``thetahat_client.errors``.

    Parameters
    ----------
    url : str or None
        Address of the service; by default that of ``THETAHAT_URL``, or ``http://127.0.0.1:8000``.
    api_key : str or None
        Needed if the service has API keys; by default that of ``THETAHAT_API_KEY``.
    timeout : float
        Seconds without a byte from the service after which an attempt counts as failed.
    retries : int
        Further attempts after the first.
    sleep : callable
        Waits for a number of seconds.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 30.0,
        retries: int = 5,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        address = choose_address(url)
        connections = open_connections(address, api_key)
        BlockingRunner.__init__(self, connections)
        Operations.__init__(self, Transport(address, timeout, retries, connections.send, sleep))


class AsyncClient(AsyncRunner, Operations):
    """A connection to one service, for use in an ``async with`` block.

    It has the parameters and the methods of ``Client``; a method that returns a value there is
    awaited here, and one over which a program iterates is for ``async for``. Each call runs in a
    thread; functions of the caller, such as ``sleep`` and ``progress``, run in the event loop. A
    call ends at once when its task is cancelled, also by ``asyncio.timeout``.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 30.0,
        retries: int = 5,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        address = choose_address(url)
        connections = open_connections(address, api_key)
        AsyncRunner.__init__(self, connections, sleep)
        transport = Transport(address, timeout, retries, connections.send, self.pause)
        Operations.__init__(self, transport)


def choose_address(url: str | None) -> str:
    """Return the address of the service: the argument, that of the environment, or the default."""
    return (url or os.environ.get("THETAHAT_URL") or DEFAULT_URL).rstrip("/")


def choose_key(api_key: str | None) -> str | None:
    """Return the API key: the argument or that of the environment, if there is one."""
    return api_key or os.environ.get("THETAHAT_API_KEY") or None


def open_connections(address: str, api_key: str | None) -> Connections:
    """Return the connections of a client, with the API key of the argument or the environment."""
    from thetahat_client.connections import Connections  # noqa: PLC0415 - urllib3, when needed

    return Connections(address, choose_key(api_key))
