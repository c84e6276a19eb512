"""Being told to end."""

from __future__ import annotations

import signal
import threading
from types import FrameType


class Stop(threading.Event):
    """Set by SIGINT and SIGTERM."""

    @classmethod
    def installed(cls) -> Stop:
        """Take the signals; call it in the main thread."""
        stop = cls()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop.take)
        return stop

    def take(self, number: int, frame: FrameType | None) -> None:
        """Answer a signal."""
        del number, frame
        self.set()
