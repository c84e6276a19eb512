"""The state ``warming``: requests are accepted, and no worker has loaded its compiled loops yet.

The workers of these tests find one more package that has loops to load (an entry point of the group
``thetahat.loops``), and it is not done before a file is removed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.servers.processes import free_port
from tests.service.jobs.evaluations import submit_nap, wait_for
from tests.service.storage.databases import Setting
from tests.service.supervisor.processes import environment, running, wait_until
from thetahat_client import Client
from thetahat_service.storage import schema

SLOW_LOOPS = """
import os
import time
from pathlib import Path

def one_by_one():
    while Path(os.environ["SLOW_LOOPS"]).exists():
        time.sleep(0.01)
        yield
"""
ENTRY_POINT = "[thetahat.loops]\nslow = slow_loops:one_by_one\n"


@pytest.fixture
def slow_loops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that workers wait for until it is gone."""
    site = tmp_path / "site"
    metadata = site / "slow_loops-0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Name: slow-loops\nVersion: 0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINT)
    (site / "slow_loops.py").write_text(SLOW_LOOPS)
    file = tmp_path / "loops-are-loading"
    file.touch()
    monkeypatch.setenv("SLOW_LOOPS", str(file))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), environment()["PYTHONPATH"]]))
    return file


def read_state(url: str) -> tuple[int, dict[str, Any]]:
    answer = httpx.get(f"{url}/readyz", timeout=120)
    return answer.status_code, answer.json()


@pytest.mark.chaos
def test_exact_serve_is_ready_only_when_a_worker_has_loaded_its_loops(
    tmp_path: Path, slow_loops: Path
) -> None:
    log, data = tmp_path / "log", tmp_path / "fresh"
    words = ("serve", "--port", "0", "--data-dir", str(data), "--workers", "1")
    with running(*words, log=log) as serve:
        url = serve.wait_for(r"answers at (http://\S+)")[1]
        answer = httpx.get(f"{url}/readyz", timeout=120)
        state = answer.json()

        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
        assert (state["status"], state["missing"]) == ("warming", ["prepared_workers"])
        assert (state["workers"], state["prepared_workers"]) == (1, 0)
        assert httpx.get(f"{url}/healthz").status_code == 200  # not down
        with Client(url) as client:
            assert (client.ready(), client.state()) == (False, "warming")
        assert "Evaluations wait until a worker has imported its packages" in log.read_text()
        assert "is ready" not in log.read_text()

        slow_loops.unlink()

        wait_until(lambda: read_state(url)[0] == 200)
        assert read_state(url)[1]["status"] == "ready"
        assert read_state(url)[1]["prepared_workers"] == 1
        assert serve.wait_for(r"thetahat is ready at (http://\S+)")[1] == url
        assert serve.stop() == 0


@pytest.mark.chaos
def test_exact_a_worker_of_a_cluster_that_has_computed_is_prepared(
    tmp_path: Path,
    slow_loops: Path,
    setting: Setting,
    postgres_database: str,
    redis_url: str,
    empty_sqlite: None,
) -> None:
    setting(
        database_url=postgres_database,
        broker_url=redis_url,
        files_url=(tmp_path / "files").as_uri(),
        data_dir=tmp_path / "unused",
        workers=1,
    )
    schema.upgrade()
    url = f"http://127.0.0.1:{(port := free_port())}"
    with (
        running("api", "--port", str(port), log=tmp_path / "api"),
        Client(url) as client,
    ):
        wait_until(lambda: client.state() == "not ready")
        assert read_state(url)[1]["missing"] == ["workers", "prepared_workers"]
        with running("worker", log=tmp_path / "worker") as worker:
            worker.wait_for("Evaluations wait until a worker has imported its packages")
            wait_until(lambda: client.state() == "warming")
            assert "is ready" not in (tmp_path / "worker").read_text()

            wait_for(submit_nap(), "succeeded")

            wait_until(client.ready)
            assert slow_loops.exists()
            worker.wait_for("thetahat is ready: a worker can compute")
            assert worker.stop() == 0
