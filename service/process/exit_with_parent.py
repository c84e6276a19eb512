"""Ending with one's parent: no process is left behind, however the parent ends.

``python -m service.process.exit_with_parent PARENT SIGNAL command ...`` becomes the command, and
gets the signal when
the process PARENT ends. Where the system has no such signal (macOS) the command is run as it is,
and only an orderly stop ends it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with_parent(number: int = signal.SIGKILL) -> None:
    """Have this process get a signal when its parent ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, int(number), 0, 0, 0)


def main() -> None:
    """Become the command on the command line."""
    parent, name, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    die_with_parent(signal.Signals[name])
    if sys.platform == "linux" and os.getppid() != parent:
        sys.exit(1)  # the parent ended before the signal was asked for
    os.execvp(command[0], command)  # noqa: S606 - the supervisor's own commands


if __name__ == "__main__":
    main()
