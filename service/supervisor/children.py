"""Processes that the supervisor starts, starts again and stops."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from service.supervisor import copies

log = logging.getLogger(__name__)

FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 10.0
STEADY_S = 30.0  # a process that has run this long begins again with the first pause


@dataclass
class Child:
    """One process in a session of its own, so that Ctrl-C reaches the supervisor alone.

    Parameters
    ----------
    name : str
        For the log.
    command : callable
        Returns the command; called at each start.
    patience_s : float
        How long an orderly stop may take before the whole process group is killed.
    orphan_signal : Signals
        What it gets when the supervisor ends without stopping it.
    environment : mapping
        Added to the supervisor's own.
    file_descriptors : sequence of int
        Left open in the process.
    """

    name: str
    command: Callable[[], Sequence[str]]
    patience_s: float
    orphan_signal: signal.Signals = signal.SIGKILL
    environment: Mapping[str, str] = field(default_factory=dict)
    file_descriptors: Sequence[int] = ()
    _process: subprocess.Popen[bytes] | copies.Copy | None = None
    _started: float = 0.0
    _pause_s: float = FIRST_PAUSE_S
    _not_before: float = 0.0
    _asked: bool = False

    def start(self) -> None:
        """Start the process; call it in the main thread, which must live as long as it.

        The system sends the orphan's signal when the starting *thread* ends.
        """
        command = self.command()
        if copies.can_be_made(command):
            self._process = copies.Copy(
                command, self.environment, self.orphan_signal, self.file_descriptors
            )
        else:
            self._process = self._new(command)
        self._started = time.monotonic()
        self._asked = False

    def _new(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        tether = [
            sys.executable,
            "-m",
            "service.process.exit_with_parent",
            str(os.getpid()),
            self.orphan_signal.name,
        ]
        return subprocess.Popen(  # noqa: S603 - the supervisor's own commands
            [*tether, *command],
            env={**os.environ, **self.environment},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=tuple(self.file_descriptors),
        )

    def is_alive(self) -> bool:
        """Tell whether the process runs."""
        return self._process is not None and self._process.poll() is None

    def keep_alive(self) -> None:
        """Start the process again if it has ended, after a pause that grows."""
        if self._process is None or self._process.poll() is None:
            return
        now = time.monotonic()
        if not self._not_before:
            self._kill_group()
            if now - self._started > STEADY_S:
                self._pause_s = FIRST_PAUSE_S
            log.warning(
                "child.ended", extra={"child": self.name, "status": self._process.returncode}
            )
            self._not_before = now + self._pause_s
            self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
        elif now >= self._not_before:
            self._not_before = 0.0
            self.start()

    def ask_to_stop(self) -> None:
        """Send the signal of an orderly stop, once: a second one would be taken for haste."""
        if not self._asked and self.is_alive() and self._process is not None:
            self._process.terminate()
            self._asked = True

    def stop(self) -> None:
        """Stop the process, by force if it takes too long, and all that it has started."""
        if self._process is None:
            return
        self.ask_to_stop()
        try:
            self._process.wait(self.patience_s)
        except subprocess.TimeoutExpired:
            log.warning("child.killed", extra={"child": self.name})
        self._kill_group()
        self._process.wait()
        self._process = None

    def _kill_group(self) -> None:
        if self._process is None:
            return
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return
