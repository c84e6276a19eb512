"""The signals that stop the service."""

from __future__ import annotations

import signal
import threading
from types import FrameType


class StopSignal(threading.Event):
    """An event that SIGINT and SIGTERM set."""

    @classmethod
    def install(cls) -> StopSignal:
        """Return a new event with the signal handlers installed; call this in the main thread."""
        stop = cls()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop.receive)
        return stop

    def receive(self, number: int, frame: FrameType | None) -> None:
        """Set the event; the signals' handler."""
        del number, frame
        self.set()
