"""Waiting until a request would be answered and done."""

from __future__ import annotations

import http.client
import logging
import socket
import time
from collections.abc import Sequence
from uuid import UUID

from service.storage import workers
from service.storage.unit_of_work import reading
from service.supervisor.children import Child
from service.supervisor.stop import Stop

log = logging.getLogger(__name__)

LONGEST_S = 60.0
LOOK_S = 0.03
ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared with, not listened on


def wait_until_ready(
    listener: socket.socket, node: UUID, children: Sequence[Child], stop: Stop
) -> bool:
    """Wait for a worker and the API; False when told to stop, or after a long time in vain."""
    deadline = time.monotonic() + LONGEST_S
    while time.monotonic() < deadline:
        if stop.wait(LOOK_S):
            return False
        for child in children:
            child.keep_alive()
        if _has_worker(node) and _answers(listener):
            return True
    log.error("serve.not_ready", extra={"seconds": LONGEST_S})
    return False


def address(listener: socket.socket) -> str:
    """Return the URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _has_worker(node: UUID) -> bool:
    with reading() as connection:
        return bool(workers.of_node(connection, node))


def _answers(listener: socket.socket) -> bool:
    host, port = listener.getsockname()[:2]
    connection = http.client.HTTPConnection(ANY.get(host, host), port, timeout=LONGEST_S)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status < http.HTTPStatus.INTERNAL_SERVER_ERROR
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
