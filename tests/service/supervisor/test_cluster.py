"""The topology of a cluster as processes: PostgreSQL, Redis, an API and two machines' workers."""

from __future__ import annotations

import os
import signal
import urllib.request
from pathlib import Path

import orjson
import pytest

from tests.servers.processes import free_port
from tests.service.jobs.evaluations import submit_nap, wait_for
from tests.service.storage.databases import Setting
from tests.service.supervisor.processes import count_begun, running, wait_until, wait_until_gone
from tests.worker.sleeping_kind import expected_draws
from thetahat_service.broker import queue
from thetahat_service.jobs import health, read
from thetahat_service.storage import schema
from thetahat_service.storage.owners import LOCAL_OWNER_ID


@pytest.mark.chaos
@pytest.mark.usefixtures("nothing_loaded_ahead")
def test_exact_two_machines_share_the_work_and_one_may_die(
    tmp_path: Path, setting: Setting, postgres_database: str, redis_url: str, empty_sqlite: None
) -> None:
    setting(
        database_url=postgres_database,
        broker_url=redis_url,
        files_url=(tmp_path / "files").as_uri(),
        data_dir=tmp_path / "unused",
        workers=1,
        lease_s=4,
        sweep_s=0.2,
    )
    with running("worker", log=tmp_path / "early") as early:
        assert early.process.wait(120) == 2
        assert "`thetahat migrate` make them" in (tmp_path / "early").read_text()
    schema.upgrade()
    port = free_port()
    note, hold = tmp_path / "note", tmp_path / "hold"
    hold.touch()
    with (
        running("api", "--port", str(port), log=tmp_path / "api"),
        running("worker", log=tmp_path / "one") as first_machine,
        running("worker", log=tmp_path / "two") as two,
    ):
        wait_until(lambda: health.check_readiness().workers == 2)
        assert health.check_readiness().status in {"warming", "ready"}
        wait_until(lambda: _answers(port))
        evaluation_id = submit_nap(n_chunks=10, seed=3, note=str(note), hold=str(hold))
        wait_until(lambda: count_begun(note) == 3)  # one is done, and each machine is held in one
        family = first_machine.family()
        os.kill(first_machine.process.pid, signal.SIGKILL)
        wait_until_gone(family)
        hold.unlink()
        wait_for(evaluation_id, "succeeded")
        assert orjson.loads(read.get_result(LOCAL_OWNER_ID, evaluation_id))["draws"] == (
            expected_draws(3, 10)
        )
        family = two.family()
        assert two.stop(signal.SIGTERM) == 0
        wait_until_gone(family)
    assert not (tmp_path / "unused").exists()
    assert queue.is_up()


def _answers(port: int) -> bool:
    """Return whether the API answers; it starts beside the workers, and may be the last."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz") as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
