"""Requests while PostgreSQL is frozen: each is answered, and the service recovers by itself."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from tests.servers.postgres import fresh_database, postgres_server
from tests.service.api.requests import JSON_TYPE, matrix
from tests.service.storage.databases import use
from tests.service.supervisor.processes import descendants
from thetahat_service.storage import schema

pytestmark = [pytest.mark.servers, pytest.mark.chaos]

WAIT_S = 20.0
"""A request that takes longer than this hangs; the limit of one call is a fifth of it."""
Freeze = Callable[[signal.Signals], None]


@pytest.fixture
def freeze(monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> Iterator[Freeze]:
    """A function that sends a signal to all processes of a PostgreSQL of this test alone."""
    with postgres_server() as server, fresh_database(server) as url:
        use(monkeypatch, database_url=url, data_dir=data_dir)
        schema.upgrade()
        with psycopg.connect(url.replace("+psycopg", "")) as connection:
            state = Path(f"/proc/{connection.info.backend_pid}/stat").read_text()
            postmaster = int(state.rpartition(")")[2].split()[1])

        def send(number: signal.Signals) -> None:
            for pid in (postmaster, *descendants(postmaster)):
                os.kill(pid, number)

        yield send
        send(signal.SIGCONT)


def request_all(client: TestClient, count: int) -> list[Response]:
    """Send reads, submissions and uploads at once and return the answers."""
    csv = {"Content-Type": "text/csv"}
    calls: list[Callable[[], Response]] = [
        lambda: client.get("/v1/evaluations"),
        lambda: client.post("/v1/evaluations", content=json.dumps(matrix()), headers=JSON_TYPE),
        lambda: client.post("/v1/datasets", content=b"a,b\n1,2\n", headers=csv),
        lambda: client.get("/readyz"),
    ]
    with ThreadPoolExecutor(count) as pool:
        futures = [pool.submit(calls[i % len(calls)]) for i in range(count)]
        return [future.result(timeout=WAIT_S) for future in futures]


def test_exact_each_request_is_answered_503_while_postgresql_is_frozen(
    client: TestClient, freeze: Freeze
) -> None:
    before = request_all(client, 4)
    assert [answer.status_code for answer in before] == [200, 202, 201, 503]  # no worker is alive

    freeze(signal.SIGSTOP)
    for count in (4, 40):  # with connections from the pool, and with new ones
        answers = request_all(client, count)
        assert {answer.status_code for answer in answers} == {503}
        problems = [answer for answer in answers if "code" in answer.json()]
        assert {answer.json()["code"] for answer in problems} == {"unavailable"}
        assert all(int(answer.headers["Retry-After"]) > 0 for answer in problems)
        states = [answer.json() for answer in answers if "missing" in answer.json()]
        assert states
        assert all("database" in state["missing"] for state in states)

    freeze(signal.SIGCONT)
    deadline = time.monotonic() + WAIT_S
    while client.get("/v1/evaluations").status_code != 200:
        assert time.monotonic() < deadline
        threading.Event().wait(0.1)
    assert [answer.status_code for answer in request_all(client, 3)] == [200, 202, 200]
