"""The service as processes, for tests that start, kill and stop them."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

SITE = Path(__file__).parents[2] / "worker" / "site"
ROOT = Path(__file__).parents[3]
READY_S = 60.0


def environment() -> dict[str, str]:
    """Return this process's environment, with the sleeping kind in its children."""
    folders = [str(SITE), os.environ["PYTHONPATH"]]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}


class Command:
    """One ``thetahat`` command that runs until it is stopped."""

    def __init__(self, *words: str, log: Path, variables: Mapping[str, str] | None = None) -> None:
        self.log = log
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "thetahat_service.cli", *words],
                env=environment() if variables is None else dict(variables),
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def wait_for(self, text: str, seconds: float = READY_S) -> re.Match[str]:
        """Wait until the command's output holds what the pattern says."""
        deadline = time.monotonic() + seconds
        while (match := re.search(text, self.log.read_text())) is None:
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.02)
        return match

    def family(self) -> dict[int, str]:
        """Return the command's living descendants: process id, and name with command line."""
        return descendants(self.process.pid)

    def one_of_family(self, word: str) -> int:
        """Return the first descendant whose command line holds a word."""
        family = sorted(self.family().items())
        process_ids = [pid for pid, line in family if word in line]
        assert process_ids, family
        return process_ids[0]

    def stop(self, number: signal.Signals = signal.SIGINT, seconds: float = 60.0) -> int:
        """Send a signal and return the exit status."""
        self.process.send_signal(number)
        return self.process.wait(seconds)


@contextlib.contextmanager
def running(
    *words: str, log: Path, variables: Mapping[str, str] | None = None
) -> Iterator[Command]:
    """Run a command until the block ends, and leave none of its processes behind."""
    command = Command(*words, log=log, variables=variables)
    try:
        yield command
    finally:
        family = command.family()
        if command.process.poll() is None:
            command.process.kill()
            command.process.wait()
        for pid in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def serving(folder: Path, log: Path, workers: int = 2) -> Iterator[Command]:
    """Run ``thetahat serve``, ready, until the block ends."""
    words = ("serve", "--port", "0", "--data-dir", str(folder), "--workers", str(workers))
    with running(*words, log=log) as command:
        command.wait_for(rf"answers at (http://\S+) \(data in .*, {workers} workers?\)")
        yield command


def descendants(pid: int) -> dict[int, str]:
    """Return a process's living descendants by process id, with their names and command lines."""
    listing = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,stat=,comm=,args="],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    lines: dict[int, str] = {}
    parents: dict[int, int] = {}
    for line in listing.splitlines():
        child, parent, state, *words = line.split(None, 3)
        if not state.startswith("Z"):
            parents[int(child)], lines[int(child)] = int(parent), " ".join(words)
    family: set[int] = {pid}
    while grown := {child for child, parent in parents.items() if parent in family} - family:
        family |= grown
    return {child: lines[child] for child in family - {pid}}


def wait_until_gone(pids: dict[int, str], seconds: float = 10.0) -> None:
    """Wait until none of these processes lives."""
    deadline = time.monotonic() + seconds
    while left := [pid for pid in pids if _lives(pid)]:
        assert time.monotonic() < deadline, {pid: pids[pid] for pid in left}
        time.sleep(0.02)


def _lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
