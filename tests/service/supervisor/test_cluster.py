"""The topology of a cluster as processes: PostgreSQL, Redis, an API and two machines' workers."""

from __future__ import annotations

import os
import signal
import time
import urllib.error
import urllib.request
from pathlib import Path
from uuid import UUID

import orjson
import pytest

from tests.servers.processes import free_port
from tests.service.jobs.evaluations import look, submit_nap, wait_for
from tests.service.storage.databases import Setting
from tests.service.supervisor.processes import running, wait_until_gone
from tests.worker.sleeping_kind import expected_draws
from thetahat_service.broker import queue
from thetahat_service.jobs import health, read
from thetahat_service.storage import schema
from thetahat_service.storage.owners import LOCAL_OWNER_ID


@pytest.mark.chaos
def test_exact_two_machines_share_the_work_and_one_may_die(
    tmp_path: Path, setting: Setting, postgres_database: str, redis_url: str, empty_sqlite: None
) -> None:
    setting(
        database_url=postgres_database,
        broker_url=redis_url,
        files_url=(tmp_path / "files").as_uri(),
        data_dir=tmp_path / "unused",
        workers=1,
        lease_s=2,
        sweep_s=0.2,
    )
    with running("worker", log=tmp_path / "early") as early:
        assert early.process.wait(120) == 2
        assert "`thetahat migrate` make them" in (tmp_path / "early").read_text()
    schema.upgrade()
    port = free_port()
    with (
        running("api", "--port", str(port), log=tmp_path / "api"),
        running("worker", log=tmp_path / "one") as first_machine,
        running("worker", log=tmp_path / "two") as two,
    ):
        _wait_for_workers(2)
        _wait_for_the_api(port)
        evaluation_id = submit_nap(n_chunks=10, seconds=0.3, seed=3)
        _wait_for_a_chunk(evaluation_id)
        family = first_machine.family()
        os.kill(first_machine.process.pid, signal.SIGKILL)
        wait_until_gone(family, seconds=60)
        wait_for(evaluation_id, "succeeded", seconds=120)
        assert orjson.loads(read.get_result(LOCAL_OWNER_ID, evaluation_id))["draws"] == (
            expected_draws(3, 10)
        )
        family = two.family()
        assert two.stop(signal.SIGTERM) == 0
        wait_until_gone(family, seconds=60)
    assert not (tmp_path / "unused").exists()
    assert queue.is_up()


def _wait_for_a_chunk(evaluation_id: UUID) -> None:
    """Wait until a chunk is done and the others are not."""
    deadline = time.monotonic() + 120
    while not (row := look(evaluation_id)).progress_done or row.progress_total is None:
        assert time.monotonic() < deadline, row
        time.sleep(0.02)


def _wait_for_the_api(port: int) -> None:
    deadline = time.monotonic() + 120
    while True:
        try:
            assert urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz").status == 200
        except urllib.error.URLError:
            # it starts beside the workers, and may be the last to be there
            assert time.monotonic() < deadline
            time.sleep(0.05)
        else:
            return


def _wait_for_workers(count: int) -> None:
    deadline = time.monotonic() + 120
    while (state := health.check_readiness()).workers < count:
        assert time.monotonic() < deadline, state
        time.sleep(0.05)
    assert state.status in {"warming", "ready"}
