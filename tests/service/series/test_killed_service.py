"""Clients that add over HTTP while the service is killed and started again."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_allclose

from tests.service.series.batches import draw
from tests.service.storage.databases import SQLITE_FILE, read_migrated_file
from tests.service.supervisor.processes import Command, environment, running
from thetahat_client import Client

BATCHES = 30
KILLS = 2


def find_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def add_all(url: str, series: str, prefix: str, looks: dict[str, Any]) -> None:
    """Add batches, each until it has an answer, as a client does whose answers are lost."""
    with Client(url, retries=1200, sleep=lambda _: time.sleep(0.1)) as client:
        for number in range(BATCHES):
            key = f"{prefix}{number}"
            losses = draw(key).losses
            looks[key] = client.add_batch(series, losses, idempotency_key=key)


@pytest.mark.chaos
@pytest.mark.usefixtures("nothing_loaded_ahead")
def test_exact_no_batch_is_lost_or_counted_twice(tmp_path: Path) -> None:
    port, looks = find_port(), dict[str, Any]()
    url = f"http://127.0.0.1:{port}"
    words = ("api", "--port", str(port))
    variables = {**environment(), "THETAHAT_DATA_DIR": str(tmp_path)}
    (tmp_path / SQLITE_FILE).write_bytes(read_migrated_file())

    def start(stack: contextlib.ExitStack, number: int) -> Command:
        command = stack.enter_context(
            running(*words, log=tmp_path / f"log{number}", variables=variables)
        )
        with Client(url, retries=1200, sleep=lambda _: time.sleep(0.1)) as client:
            list(client.list_series())
        return command

    with contextlib.ExitStack() as stack:
        command = start(stack, 0)
        with Client(url) as client:
            series = client.create_series({"models": ["new", "old"]}).id
        threads = [
            threading.Thread(target=add_all, args=(url, series, prefix, looks)) for prefix in "ab"
        ]
        for thread in threads:
            thread.start()
        for kill in range(1, KILLS + 1):
            wanted = kill * 2 * BATCHES // (KILLS + 1)
            while len(looks) < wanted:
                time.sleep(0.005)
            for pid in command.family():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            command.process.kill()
            command.process.wait()
            command = start(stack, kill)
        for thread in threads:
            thread.join()
        with Client(url) as client:
            state = client.series(series)
            listed = list(client.looks(series))

    values = [draw(key).losses["new"] - draw(key).losses["old"] for key in looks]
    assert len(looks) == 2 * BATCHES
    assert sorted(look.number for look in looks.values()) == list(range(1, 2 * BATCHES + 1))
    assert [look.number for look in listed] == list(range(2 * BATCHES, 0, -1))
    assert (state.batches, state.rows) == (2 * BATCHES, sum(map(len, values)))
    assert state.latest is not None
    assert_allclose(state.latest.estimate, sum(map(sum, values)) / state.rows, rtol=1e-12)
