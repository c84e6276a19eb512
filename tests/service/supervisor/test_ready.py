"""What the supervisor does while it waits for the first answer."""

from __future__ import annotations

import http.server
import os
import threading
import time
from contextlib import suppress
from socket import create_server, socket
from typing import cast
from uuid import uuid4

import pytest
from sqlalchemy.exc import OperationalError

from thetahat_service.storage import workers
from thetahat_service.storage.unit_of_work import unit_of_work
from thetahat_service.storage.workers import WorkerProcess
from thetahat_service.supervisor import ready
from thetahat_service.supervisor.child_process import ChildProcess
from thetahat_service.supervisor.stop_signal import StopSignal


class Answering(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        with suppress(OSError):  # of a connection that was given up before
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()


class EndedApi:
    """An API process that has ended before its first answer; the second call starts it again."""

    def __init__(self, listener: socket) -> None:
        self._server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), Answering, bind_and_activate=False
        )
        self._server.socket.close()
        self._server.socket = listener
        self.calls = 0

    def restart_if_ended(self) -> None:
        self.calls += 1
        if self.calls == 2:
            threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()


def test_exact_an_api_that_ends_before_its_first_answer_is_started_again(sqlite: None) -> None:
    """The supervisor listens too, so a connection is accepted that nobody answers."""
    node = uuid4()
    with unit_of_work() as connection:
        workers.record_heartbeat(connection, WorkerProcess(uuid4(), node, "here", os.getpid(), "0"))
    began = time.monotonic()
    with create_server(("127.0.0.1", 0)) as listener:
        api = EndedApi(listener)
        children = [cast("ChildProcess", api)]
        assert ready.wait_until_answering(listener, node, children, StopSignal())
        api.stop()
    assert api.calls >= 2
    assert time.monotonic() - began < ready.TIMEOUT_S / 2


def test_exact_a_database_that_cannot_be_read_ends_no_start(
    sqlite: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OperationalError("SELECT", None, Exception("database or disk is full"))

    monkeypatch.setattr(workers, "list_process_ids", fail)
    monkeypatch.setattr(ready, "TIMEOUT_S", 0.2)
    with create_server(("127.0.0.1", 0)) as listener:
        assert not ready.wait_until_answering(listener, uuid4(), [], StopSignal())
