"""The embedded service as processes, killed in every way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import orjson
import pytest

from tests.servers.slow_receiver import run_slow_receiver
from tests.service.jobs.evaluations import look, submit_nap, wait_for
from tests.service.storage.databases import Setting
from tests.service.supervisor.processes import (
    READY_S,
    count_begun,
    environment,
    running,
    serving,
    wait_until,
    wait_until_gone,
)
from tests.worker.sleeping_kind import expected_draws
from thetahat_service.jobs import read, webhooks
from thetahat_service.settings import get_settings
from thetahat_service.storage.owners import LOCAL_OWNER_ID

pytestmark = [pytest.mark.chaos, pytest.mark.usefixtures("sqlite", "nothing_loaded_ahead")]

SOON_S = 40.0  # less than the 60 s of a receiver and the 600 s of a nap that are not waited for


def _draws(evaluation_id: object) -> object:
    return orjson.loads(read.get_result(LOCAL_OWNER_ID, evaluation_id))["draws"]  # type: ignore[arg-type]


def test_exact_serve_runs_jobs_and_ctrl_c_leaves_no_process(tmp_path: Path) -> None:
    with serving(tmp_path, tmp_path / "log") as serve:
        url = serve.wait_for(r"answers at (http://\S+)")[1]
        with urllib.request.urlopen(f"{url}/healthz") as answer:
            assert answer.status == 200
        small, large = submit_nap(seed=3), submit_nap(n_chunks=6, seed=3)
        wait_for(small, "succeeded")
        wait_for(large, "succeeded")
        assert _draws(large) == expected_draws(3, 6)
        second = subprocess.run(
            [sys.executable, "-m", "thetahat_service.cli", "serve", "--data-dir", str(tmp_path)],
            env=environment(),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert second.returncode == 1
        assert second.stderr.startswith(f"thetahat: thetahat is already running on {tmp_path}")
        family = serve.family()
        assert len(family) >= 5  # broker, API, workers' main process and two workers
        unfinished = submit_nap(seconds=600.0)
        wait_for(unfinished, "running")
        started = time.monotonic()
        assert serve.stop() == 0
        assert time.monotonic() - started < SOON_S
        wait_until_gone(family, seconds=SOON_S)
    assert look(unfinished).status == "running"  # the next start goes on with it


def test_exact_sigterm_does_not_wait_for_receivers_that_hang(
    tmp_path: Path, setting: Setting
) -> None:
    with run_slow_receiver(drips=False) as silent, run_slow_receiver(drips=True) as dripping:
        hosts = [f"http://127.0.0.1:{slow.port}" for slow in (silent, dripping)]
        setting(webhook_allowed_hosts=",".join(hosts), webhook_timeout_s=60)
        with serving(tmp_path, tmp_path / "log") as serve:
            for i in range(20):
                url = f"{hosts[i % 2]}/{i}"
                webhooks.create(LOCAL_OWNER_ID, url, ["evaluation.succeeded"], None)
            for _ in range(3):
                wait_for(submit_nap(), "succeeded")
            wait_until(lambda: bool(silent.open_now) and bool(dripping.open_now))
            started = time.monotonic()
            assert serve.stop(signal.SIGTERM) == 0
            assert time.monotonic() - started < SOON_S


def test_exact_kill_9_leaves_no_process_and_the_next_start_goes_on(tmp_path: Path) -> None:
    with serving(tmp_path, tmp_path / "log") as serve:
        evaluation_id = submit_nap(n_chunks=6, seconds=0.5, seed=3)
        wait_for(evaluation_id, "running")
        family = serve.family()
        serve.stop(signal.SIGKILL)
        wait_until_gone(family)
    left = submit_nap(seed=4)
    with serving(tmp_path, tmp_path / "log2"):
        wait_for(evaluation_id, "succeeded")
        wait_for(left, "succeeded")
    assert _draws(evaluation_id) == expected_draws(3, 6)


def test_exact_killed_workers_and_broker_change_no_number(tmp_path: Path, setting: Setting) -> None:
    setting(lease_s=6, sweep_s=0.2, max_attempts=10)
    note, hold = tmp_path / "note", tmp_path / "hold"
    hold.touch()
    with serving(tmp_path, tmp_path / "log") as serve:
        evaluation_id = submit_nap(n_chunks=12, seconds=0.4, seed=3, note=str(note), hold=str(hold))
        wait_until(lambda: count_begun(note) >= 3)  # one is done, and each process is held in one
        main, *_, worker = serve.list_family("thetahat-worker")
        os.kill(worker, signal.SIGKILL)  # one process in the middle of a chunk
        wait_until(lambda: count_begun(note) >= 4)
        os.kill(serve.list_family("valkey-server")[0], signal.SIGKILL)
        hold.unlink()
        wait_until(lambda: count_begun(note) >= 7)
        os.kill(main, signal.SIGKILL)  # all of them
        row = wait_for(evaluation_id, "succeeded", "failed")
        assert row.status == "succeeded"
        assert (row.progress_done, row.progress_total) == (24, 24)
        assert serve.stop() == 0
    assert _draws(evaluation_id) == expected_draws(3, 12)
    begun = note.read_text().split()
    assert len(begun) > 12  # what was killed was begun again
    assert set(begun) == {str(i) for i in range(12)}


def test_invalid_another_address_needs_a_key(tmp_path: Path) -> None:
    words = ("serve", "--host", "0.0.0.0", "--port", "0", "--data-dir", str(tmp_path / "new"))
    with running(*words, log=tmp_path / "log") as serve:
        assert serve.process.wait(READY_S) == 1
        last_line = (tmp_path / "log").read_text().strip().splitlines()[-1]
        assert last_line.startswith(
            "thetahat: The address 0.0.0.0 can be reached from other machines"
        )
        assert serve.family() == {}


def test_exact_the_settings_of_the_test_are_those_of_the_service(tmp_path: Path) -> None:
    assert get_settings().data_dir == tmp_path
