"""Interrupting a computation from another thread, by a signal whose handler raises.

An import that is cut off leaves half-made modules, which make later imports fail in the same
process; so does the compilation of a loop. No exception is raised in the middle of either.
"""

from __future__ import annotations

import mmap
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from types import FrameType
from typing import Final

SIGNAL = signal.SIGUSR2
IMPORTING: Final = "<frozen importlib._bootstrap>"
COMPILING: Final = "/numba/core/dispatcher.py"


class Reason(StrEnum):
    """Why a computation is interrupted."""

    LOST = "lost"  # another worker claimed the unit, or the evaluation was cancelled
    TIME_LIMIT = "time_limit"
    JOB_TIME_LIMIT = "job_time_limit"  # the limit for all units of the evaluation together
    STOPPING = "stopping"  # the worker must stop


class Interrupted(BaseException):
    """Raised inside a computation; no ``Exception``, so that no learner's handler catches it."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Interruptible:
    """A section of the main thread's work that another thread can interrupt."""

    def __init__(self) -> None:
        self._inside = False
        self._reason: Reason | None = None
        self._main = threading.main_thread()

    def install(self) -> None:
        """Install the signal handler; call this in the main thread."""
        signal.signal(SIGNAL, self._raise)

    @contextmanager
    def allow_interrupts(self) -> Iterator[None]:
        """Mark a block that may be interrupted; ``Interrupted`` is raised only inside it."""
        self._reason = None
        self._inside = True
        try:
            yield
        finally:
            self._inside = False

    @property
    def is_inside(self) -> bool:
        """Whether the main thread is inside the section."""
        return self._inside

    def interrupt(self, reason: Reason) -> None:
        """Raise ``Interrupted`` in the main thread, once C code that is running returns.

        During an import nothing is raised; call this again until the section has ended.
        """
        self._reason = self._reason or reason
        if self._inside and self._main.ident is not None:
            signal.pthread_kill(self._main.ident, SIGNAL)

    def _raise(self, number: int, frame: FrameType | None) -> None:
        del number
        if self._inside and self._reason is not None and not is_importing(frame):
            raise Interrupted(self._reason)


def is_importing(frame: FrameType | None) -> bool:
    """Return whether a frame was called, directly or not, by an import or a compilation."""
    while frame is not None:
        file = frame.f_code.co_filename
        if file == IMPORTING or file.endswith(COMPILING):
            return True
        frame = frame.f_back
    return False


class SharedFlag:
    """A flag in memory that a process shares with the processes that it forks."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 1)

    def set(self) -> None:
        """Set the flag; it stays set."""
        self._memory[0] = 1

    @property
    def is_set(self) -> bool:
        """Whether the flag was set."""
        return self._memory[0] == 1
