"""The service as processes, for tests that start, kill and stop them."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

SITE = Path(__file__).parents[2] / "worker" / "site"
ROOT = Path(__file__).parents[3]
READY_S = 120.0  # a start takes two seconds on a quiet machine, and more on a busy one


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
        """Return the command's living descendants, parents before their children.

        The keys are process ids, and the values names with command lines.
        """
        return descendants(self.process.pid)

    def list_family(self, word: str) -> list[int]:
        """Return the descendants whose command lines hold a word, parents before their children.

        The first one has forked the others; which of two ids is the larger says nothing, because
        the system begins again with small ones.
        """
        family = self.family()
        process_ids = [pid for pid, line in family.items() if word in line]
        assert process_ids, family
        return process_ids

    def stop(self, number: signal.Signals = signal.SIGINT, seconds: float = READY_S) -> int:
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
    """Return a process's living descendants with their names and command lines.

    Parents come before their children, and the keys are process ids.
    """
    listing = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,stat=,comm=,args="],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    lines: dict[int, str] = {}
    children: defaultdict[int, list[int]] = defaultdict(list)
    for line in listing.splitlines():
        child, parent, state, *words = line.split(None, 3)
        if not state.startswith("Z"):
            children[int(parent)].append(int(child))
            lines[int(child)] = " ".join(words)
    family: dict[int, str] = {}
    generation = [pid]
    while generation := [child for parent in generation for child in children[parent]]:
        family |= {child: lines[child] for child in generation}
    return family


def wait_until(condition: Callable[[], bool], seconds: float = READY_S) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def count_begun(note: Path) -> int:
    """Return how many chunks of an evaluation of the sleeping kind have noted that they began."""
    return len(note.read_text().split()) if note.exists() else 0


def wait_until_gone(pids: dict[int, str], seconds: float = READY_S) -> None:
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
