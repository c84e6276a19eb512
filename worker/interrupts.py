"""Ending a computation from outside it: a signal that raises in the middle of the work."""

from __future__ import annotations

import mmap
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from types import FrameType

SIGNAL = signal.SIGUSR2


class Reason(StrEnum):
    """Why a computation is to end."""

    LOST = "lost"  # the claim is another's now, or the evaluation was cancelled
    TIME_LIMIT = "time_limit"
    STOPPING = "stopping"  # the worker is told to end


class Interrupted(BaseException):
    """Raised inside a computation; not an ``Exception``, so that no learner's handler eats it."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Interruptible:
    """The part of a process's main thread that may be ended by another thread."""

    def __init__(self) -> None:
        self._inside = False
        self._reason: Reason | None = None
        self._main = threading.main_thread()

    def install(self) -> None:
        """Take the signal; call it in the main thread."""
        signal.signal(SIGNAL, self._raise)

    @contextmanager
    def section(self) -> Iterator[None]:
        """Mark what may be interrupted; ``Interrupted`` comes out of it and out of nothing else."""
        self._reason = None
        self._inside = True
        try:
            yield
        finally:
            self._inside = False

    @property
    def is_inside(self) -> bool:
        """Whether the main thread is at work."""
        return self._inside

    def interrupt(self, reason: Reason) -> None:
        """Ask the main thread to end its work; C code that is running ends first."""
        self._reason = self._reason or reason
        if self._inside and self._main.ident is not None:
            signal.pthread_kill(self._main.ident, SIGNAL)

    def _raise(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self._inside and self._reason is not None:
            raise Interrupted(self._reason)


class SharedFlag:
    """A flag that a process raises for all the processes it has forked."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 1)

    def raise_(self) -> None:
        """Raise the flag; it stays up."""
        self._memory[0] = 1

    @property
    def is_up(self) -> bool:
        """Whether it was raised."""
        return self._memory[0] == 1
