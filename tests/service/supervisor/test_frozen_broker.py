"""The broker is frozen, forgets or is full: the database has the queue, and work goes on."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import orjson
import pytest
import redis

from tests.service.jobs.evaluations import submit_nap, wait_for
from tests.service.storage.databases import Setting
from tests.service.supervisor.processes import Command, serving
from tests.worker.sleeping_kind import expected_draws
from thetahat_service.broker.queue import MOST_WAITING, QUEUES
from thetahat_service.jobs import read
from thetahat_service.settings import get_settings
from thetahat_service.storage.owners import LOCAL_OWNER_ID

pytestmark = [pytest.mark.chaos, pytest.mark.usefixtures("sqlite", "nothing_loaded_ahead")]

FROZEN_S = 14.0  # longer than the 10 s that Celery waits for an answer
N_CHUNKS = 8
N_SUBMITTED = 4 * MOST_WAITING


def open_broker() -> redis.Redis:
    return redis.Redis(unix_socket_path=str(get_settings().broker_socket), socket_timeout=10)


def fill(broker: redis.Redis) -> None:
    for i in range(100):
        broker.set(f"other {i}", b"x" * (1024 * 1024))


def test_exact_work_goes_on_without_the_broker(tmp_path: Path, setting: Setting) -> None:
    """One service: its queues are sent too much, then its broker is full, then it is frozen."""
    setting(sweep_s=0.2, lease_s=6, max_unfinished=2000)
    with serving(tmp_path, tmp_path / "log") as serve:
        serve.wait_for(r"is ready at http")
        with open_broker() as broker:
            check_messages_do_not_pile_up(serve, broker)
            check_full_broker_stops_no_work(broker)
        check_frozen_broker_stops_no_work(serve)
        assert serve.stop(signal.SIGTERM) == 0


def check_messages_do_not_pile_up(serve: Command, broker: redis.Redis) -> None:
    """The workers are frozen meanwhile: otherwise they take the messages as fast as they come."""
    workers = serve.list_family("thetahat-worker")
    for pid in workers:
        os.kill(pid, signal.SIGSTOP)
    try:
        submitted = [submit_nap(seed=i) for i in range(N_SUBMITTED)]
        waiting = sum(broker.llen(f"thetahat.{name}") for name in QUEUES.values())
    finally:
        for pid in workers:
            os.kill(pid, signal.SIGCONT)
    for evaluation_id in submitted:
        wait_for(evaluation_id, "succeeded")
    assert waiting <= 2 * MOST_WAITING  # this process and the sweeper send


def check_full_broker_stops_no_work(broker: redis.Redis) -> None:
    assert broker.config_get("maxmemory")["maxmemory"] == str(64 * 1024 * 1024)
    with pytest.raises(redis.exceptions.OutOfMemoryError):
        fill(broker)
    evaluation_id = submit_nap(n_chunks=N_CHUNKS, seed=3)
    wait_for(evaluation_id, "succeeded")
    broker.delete(*broker.keys("other *"))


def check_frozen_broker_stops_no_work(serve: Command) -> None:
    wait_for(submit_nap(seed=3), "succeeded")
    broker = serve.list_family("valkey-server")[0]
    os.kill(broker, signal.SIGSTOP)
    try:
        began = time.monotonic()
        while time.monotonic() - began < FROZEN_S:
            small, large = submit_nap(seed=3), submit_nap(n_chunks=N_CHUNKS, seed=3)
            wait_for(small, "succeeded")
            wait_for(large, "succeeded")
            draws = orjson.loads(read.get_result(LOCAL_OWNER_ID, large))["draws"]
            assert draws == expected_draws(3, N_CHUNKS)
    finally:
        os.kill(broker, signal.SIGCONT)
    wait_for(submit_nap(seed=4), "succeeded")
