"""The process that keeps the workers running: it forks them again, and stops with them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.service.jobs.evaluations import submit_nap, wait_for
from tests.service.storage.databases import Setting
from tests.service.supervisor.processes import Command, serving, wait_until, wait_until_gone

KEEPER = """
import os, signal, sys, time
from pathlib import Path
from thetahat_service.supervisor import keeper

keeper.FIRST_PAUSE_S, keeper.LONGEST_PAUSE_S = 0.01, 0.05

def run():
    def stop(*_):
        print("asked to stop", flush=True)
        sys.exit(7)
    signal.signal(signal.SIGTERM, stop)
    print(os.getpid(), flush=True)
    if sys.argv[1] == "end":
        sys.exit(3)
    while True:
        time.sleep(0.01)

print("status", keeper.keep_running("workers", run), flush=True)
"""


@contextmanager
def keeping(mode: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", KEEPER, mode]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as keeper:
        try:
            yield keeper
        finally:
            keeper.kill()


def read_line(keeper: subprocess.Popen[str]) -> str:
    assert keeper.stdout is not None
    return keeper.stdout.readline().strip()


def test_exact_what_was_killed_runs_again_and_what_is_stopped_does_not() -> None:
    with keeping("stay") as keeper:
        first = int(read_line(keeper))
        os.kill(first, signal.SIGKILL)
        second = int(read_line(keeper))
        assert second != first
        keeper.terminate()
        assert read_line(keeper) == "asked to stop"
        assert read_line(keeper) == "status 7"
        assert keeper.wait(120) == 0


def test_exact_the_fork_ends_with_its_keeper() -> None:
    with keeping("stay") as keeper:
        child = int(read_line(keeper))
        keeper.kill()
        wait_until_gone({child: "the fork"})


def test_degenerate_a_fork_that_ends_again_and_again_ends_the_keeper() -> None:
    with keeping("end") as keeper:
        output = keeper.communicate(timeout=120)[0].split()
    assert output[-2:] == ["status", "3"]
    assert len(output) - 2 == 4  # after pauses of 0.01, 0.02 and 0.04 s


def kill_and_wait(serve: Command, name: str) -> None:
    """Kill a process and wait for a new one of its name: a fork, with the command line of serve."""
    before = {pid for pid, line in serve.family().items() if line.startswith(name)}
    os.kill(serve.list_family(name)[0], signal.SIGKILL)

    def list_new() -> list[str]:
        family = serve.family().items()
        return [line for pid, line in family if line.startswith(name) and pid not in before]

    wait_until(lambda: bool(list_new()))
    assert all(" serve " in line for line in list_new())


@pytest.mark.chaos
@pytest.mark.usefixtures("empty_sqlite", "nothing_loaded_ahead")
def test_exact_workers_that_were_killed_compute_again(tmp_path: Path, setting: Setting) -> None:
    """Neither the keeper nor its loaded modules are lost with them."""
    setting(lease_s=6, sweep_s=0.2)
    with serving(tmp_path, tmp_path / "log") as serve:
        serve.wait_for(r"is ready at http")
        keeper = serve.list_family("thetahat-keeper")[0]
        os.kill(serve.list_family("thetahat-worker")[0], signal.SIGKILL)
        wait_for(submit_nap(seed=3), "succeeded")
        assert serve.list_family("thetahat-keeper")[0] == keeper
        for name in ("thetahat-api", "thetahat-sweep", "thetahat-keeper"):
            kill_and_wait(serve, name)
        wait_for(submit_nap(seed=4), "succeeded")
        assert "kept.ended kept=workers status=-9" in serve.log.read_text()
        family = serve.family()
        assert serve.stop(signal.SIGTERM) == 0
        wait_until_gone(family)
