"""A signal to start, for processes that load their modules while the database is prepared."""

from __future__ import annotations

import os

VARIABLE = "THETAHAT_START_SIGNAL"


class StartSignal:
    """The supervisor's end of a pipe: a process that reads from it waits until it is closed."""

    def __init__(self) -> None:
        self.descriptor, self._write_end = os.pipe()

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables that tell a process which descriptor to wait for."""
        return {VARIABLE: str(self.descriptor)}

    @property
    def is_sent(self) -> bool:
        """Whether the signal was sent."""
        return self._write_end < 0

    def send(self) -> None:
        """Let all processes continue that wait for the signal, now or later."""
        if not self.is_sent:
            os.close(self._write_end)
        self._write_end = -1

    def close(self) -> None:
        """Send the signal unless it was sent, and close the pipe."""
        self.send()
        os.close(self.descriptor)


def list_descriptors() -> list[int]:
    """Return the descriptor that a fork of this process must keep to wait for the signal."""
    descriptor = os.environ.get(VARIABLE, "")
    return [int(descriptor)] if descriptor else []


def wait_for_start_signal() -> None:
    """Wait for the signal; return at once in a process without one."""
    descriptor = os.environ.pop(VARIABLE, "")
    if descriptor:
        os.read(int(descriptor), 1)
        os.close(int(descriptor))
