"""Waiting until requests are answered, and until a worker can compute them."""

from __future__ import annotations

import http.client
import logging
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError

from thetahat_service.storage import workers
from thetahat_service.storage.unit_of_work import reading
from thetahat_service.supervisor.child_process import ChildProcess
from thetahat_service.supervisor.stop_signal import StopSignal

log = logging.getLogger(__name__)

TIMEOUT_S = 60.0
ANSWER_S = 2.0  # longest wait for one answer; a process that ended is started again after it
POLL_S = 0.03
WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared with, not listened on


def wait_until_answering(
    listener: socket.socket, node: UUID, children: Sequence[ChildProcess], stop: StopSignal
) -> bool:
    """Wait for the API and a worker process, which need not be prepared to compute yet.

    Returns False if the service is stopped or the wait times out.
    """
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        if stop.wait(POLL_S):
            return False
        for child in children:
            child.restart_if_ended()
        if _has_worker(node) and _does_answer(listener):
            return True
    log.error("serve.not_ready", extra={"seconds": TIMEOUT_S})
    return False


@dataclass(eq=False)
class ReadyNotice:
    """Calls a function once, when a worker of this command can compute."""

    node: UUID
    """The command."""
    say_ready: Callable[[], None]
    """What is called."""
    is_done: bool = False
    """Whether the function was called."""

    def check(self) -> None:
        """Check whether a worker is prepared; while the database is unreachable, none is."""
        if self.is_done:
            return
        with suppress(SQLAlchemyError), reading() as connection:
            self.is_done = workers.has_prepared(connection, self.node)
        if self.is_done:
            self.say_ready()


def format_address(listener: socket.socket) -> str:
    """Return the URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _has_worker(node: UUID) -> bool:
    with suppress(SQLAlchemyError), reading() as connection:
        return bool(workers.list_process_ids(connection, node))
    return False


def _does_answer(listener: socket.socket) -> bool:
    """Return whether the API answers on a socket.

    The system accepts the connection even if the API has ended, because this process listens too.
    """
    host, port = listener.getsockname()[:2]
    connection = http.client.HTTPConnection(WILDCARDS.get(host, host), port, timeout=ANSWER_S)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status < http.HTTPStatus.INTERNAL_SERVER_ERROR
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
