"""A gate that processes wait at: they load while the database is still being prepared."""

from __future__ import annotations

import os

VARIABLE = "THETAHAT_GATE"


class Gate:
    """The supervisor's side: closed until it is opened, and open for all who come later."""

    def __init__(self) -> None:
        self.descriptor, self._hold = os.pipe()

    @property
    def environment(self) -> dict[str, str]:
        """What a process that is to wait finds in its environment."""
        return {VARIABLE: str(self.descriptor)}

    def open(self) -> None:
        """Let everybody through."""
        if self._hold >= 0:
            os.close(self._hold)
        self._hold = -1

    def close(self) -> None:
        """Take the gate away."""
        self.open()
        os.close(self.descriptor)


def wait_at_gate() -> None:
    """Wait until the gate is open; a process that was given none goes on."""
    descriptor = os.environ.pop(VARIABLE, "")
    if descriptor:
        os.read(int(descriptor), 1)
        os.close(int(descriptor))
