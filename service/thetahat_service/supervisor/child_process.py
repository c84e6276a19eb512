"""Processes that the supervisor starts, restarts and stops."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from thetahat_service.storage import engine
from thetahat_service.supervisor.forked_process import ForkedProcess, can_fork

log = logging.getLogger(__name__)

FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 10.0
STEADY_S = 30.0  # after a run of this length the pauses begin with the first again


@dataclass
class ChildProcess:
    """One process in a session of its own, so that Ctrl-C reaches only the supervisor."""

    name: str
    """For the log."""
    command: Callable[[], Sequence[str]]
    """Returns the command line; called at each start."""
    patience_s: float
    """How long an orderly stop may take before the whole process group is killed."""
    function: Callable[[], None] | None = None
    """Does in a fork of this process what the command does, where a fork is possible; None for a
    command that is not Python."""
    orphan_signal: signal.Signals = signal.SIGKILL
    """What the process gets when the supervisor exits without stopping it."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Added to the supervisor's own."""
    file_descriptors: Sequence[int] = ()
    """Left open in the process."""
    _process: subprocess.Popen[bytes] | ForkedProcess | None = None
    _started: float = 0.0
    _pause_s: float = FIRST_PAUSE_S
    _not_before: float = 0.0
    _is_stop_requested: bool = False

    def start(self) -> None:
        """Start the process; call this in the main thread.

        The system sends the orphan signal when the *thread* that started the process ends.
        """
        if self.function is not None and can_fork():
            engine.reset()  # a fork must not inherit a connection to the database
            self._process = ForkedProcess(
                self.function, self.environment, self.orphan_signal, self.file_descriptors
            )
        else:
            self._process = self._run_command(self.command())
        self._started = time.monotonic()
        self._is_stop_requested = False

    def _run_command(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        wrapper = [
            sys.executable,
            "-m",
            "thetahat_service.process.exit_with_parent",
            str(os.getpid()),
            self.orphan_signal.name,
        ]
        return subprocess.Popen(  # noqa: S603 - the supervisor's own commands
            [*wrapper, *command],
            env={**os.environ, **self.environment},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=tuple(self.file_descriptors),
        )

    def is_alive(self) -> bool:
        """Return whether the process runs."""
        return self._process is not None and self._process.poll() is None

    def restart_if_ended(self) -> None:
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

    def request_stop(self) -> None:
        """Send SIGTERM, once: Celery takes a second one as an order to stop at once."""
        if not self._is_stop_requested and self.is_alive() and self._process is not None:
            self._process.terminate()
            self._is_stop_requested = True

    def stop(self) -> None:
        """Stop the process and all that it has started, by force if it takes too long."""
        if self._process is None:
            return
        self.request_stop()
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
