"""Processes begun as copies of one that has loaded what they need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from service.supervisor import copies

TOLD = """
import json, os, signal, sys, threading, time
fds = sorted(int(n) for n in os.listdir("/proc/self/fd"))
word = open("/proc/self/cmdline").read().replace(chr(0), " ").strip()
print(json.dumps({
    "argv": sys.argv[1:], "name": __name__, "said": os.environ["SAID"], "fds": fds, "line": word,
    "leads": os.getsid(0) == os.getpid(), "loaded": "service.jobs.submit" in sys.modules,
    "term": signal.getsignal(signal.SIGTERM) == signal.SIG_DFL,
}), flush=True)
if sys.argv[1] == "stay":
    time.sleep(60)
sys.exit(3)
"""
PARENT = """
import os, signal, sys, time
from service.supervisor import copies
from service.supervisor.stop import Stop
Stop.installed()
command = [sys.executable, "-m", "told", *sys.argv[1:]]
assert not copies.can_be_made(command)  # nothing is loaded yet
copies.load()
assert copies.can_be_made(command)
assert not copies.can_be_made([sys.executable, "-c", ""])
kept, closed = os.pipe()
copy = copies.Copy(command, {"SAID": "this"}, signal.SIGKILL, [kept])
if sys.argv[1] == "stay":
    time.sleep(0.5)
    assert copy.poll() is None
    copy.terminate()
status = copy.wait(20)
assert copy.poll() == status
copy.terminate()
print(kept, status, os.environ.get("SAID"))
"""


def _run(folder: Path, *words: str) -> tuple[dict[str, Any], int, str]:
    (folder / "told.py").write_text(TOLD)
    path = os.pathsep.join([str(folder), str(Path(__file__).parents[3])])
    done = subprocess.run(
        [sys.executable, "-c", PARENT, *words],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told, last = done.stdout.splitlines()
    kept, status, said = last.split()
    found = json.loads(told)
    found["fds"] = [n for n in found["fds"] if n not in {0, 1, 2, int(kept)}]
    return found, int(status), said


def test_exact_a_copy_runs_the_command_and_keeps_nothing_else(tmp_path: Path) -> None:
    told, status, said = _run(tmp_path, "a", "b")

    assert (told["argv"], told["name"], told["said"]) == (["a", "b"], "__main__", "this")
    assert told["line"] == f"{sys.executable} -m told a b"
    assert (told["leads"], told["loaded"], told["term"]) == (True, True, True)
    assert len(told["fds"]) == 1  # the folder's own, that it read them from
    assert (status, said) == (3, "None")


def test_exact_a_copy_ends_when_it_is_asked_to(tmp_path: Path) -> None:
    _, status, _ = _run(tmp_path, "stay")

    assert status == -15


def test_exact_with_threads_there_are_no_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    command = [sys.executable, "-m", "worker"]
    monkeypatch.setitem(sys.modules, "service.jobs.submit", sys)
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    assert not copies.can_be_made(command)
    end.set()
    thread.join()
