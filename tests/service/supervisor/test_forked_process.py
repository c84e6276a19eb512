"""Processes forked from one that has imported what they need."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from thetahat_service.supervisor import forked_process

PARENT = """
import json, os, signal, sys, time
from pathlib import Path
from thetahat_service.process.exit_with_parent import set_process_name
from thetahat_service.supervisor import forked_process
from thetahat_service.supervisor.stop_signal import StopSignal

def report():
    set_process_name("a-child")
    fds = sorted(int(n) for n in os.listdir("/proc/self/fd"))
    print(json.dumps({
        "variable": os.environ["VARIABLE"], "fds": fds, "name": open("/proc/self/comm").read(),
        "leads": os.getsid(0) == os.getpid(),
        "imported": "thetahat_service.jobs.submit" in sys.modules,
        "term": signal.getsignal(signal.SIGTERM) == signal.SIG_DFL,
    }), flush=True)
    if sys.argv[1] == "stay":
        Path(sys.argv[2]).touch()
        time.sleep(600)
    if sys.argv[1] == "raise":
        raise ZeroDivisionError("a fault of the child")
    sys.exit(3)

StopSignal.install()
assert not forked_process.can_fork()  # nothing is imported yet
forked_process.load_shared_modules()
assert forked_process.can_fork()
kept, closed = os.pipe()
child = forked_process.ForkedProcess(report, {"VARIABLE": "this"}, signal.SIGKILL, [kept])
if sys.argv[1] == "stay":
    while not Path(sys.argv[2]).exists():
        time.sleep(0.01)
    assert child.poll() is None
    child.terminate()
status = child.wait(100)
assert child.poll() == status
child.terminate()
print(kept, status, os.environ.get("VARIABLE"))
"""


def _run(mode: str, stays: Path | None = None) -> tuple[dict[str, Any], int, str, str]:
    done = subprocess.run(
        [sys.executable, "-c", PARENT, mode, str(stays)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    child, parent = done.stdout.splitlines()
    kept, status, variable = parent.split()
    report = json.loads(child)
    report["fds"] = [n for n in report["fds"] if n not in {0, 1, 2, int(kept)}]
    return report, int(status), variable, done.stderr


def test_exact_a_fork_has_the_modules_and_only_its_own_descriptors() -> None:
    report, status, variable, _ = _run("exit")

    assert (report["name"], report["variable"]) == ("a-child\n", "this")
    assert (report["leads"], report["imported"], report["term"]) == (True, True, True)
    assert len(report["fds"]) == 1  # the folder's own, from which they were read
    assert (status, variable) == (3, "None")


def test_exact_a_fork_ends_by_sigterm(tmp_path: Path) -> None:
    _, status, _, _ = _run("stay", tmp_path / "stays")

    assert status == -15


def test_exact_a_fork_that_raises_prints_why_and_fails() -> None:
    _, status, _, errors = _run("raise")

    assert status == 1
    assert "a fault of the child" in errors


def test_exact_a_process_with_threads_is_not_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "thetahat_service.jobs.submit", sys)
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    assert not forked_process.can_fork()
    end.set()
    thread.join()
