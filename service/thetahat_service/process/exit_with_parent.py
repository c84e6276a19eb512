"""Exit when the parent process exits, so that no process is left behind.

``python -m thetahat_service.process.exit_with_parent PARENT SIGNAL command ...`` runs the command
in this process, which gets the signal when the process PARENT exits. Where the system cannot do
that (macOS) the command runs all the same, and only an orderly stop ends it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_NAME = 15


def request_signal_on_parent_exit(number: int = signal.SIGKILL) -> None:
    """Ask the system to send this process a signal when its parent exits."""
    _call_prctl(PR_SET_PDEATHSIG, int(number))


def set_process_name(name: str) -> None:
    """Set the name that ``ps -o comm`` and ``top`` show, at most 15 characters.

    A forked process keeps its parent's command line, so only this name tells them apart.
    """
    _call_prctl(PR_SET_NAME, name.encode())


def _call_prctl(option: int, argument: int | bytes) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, argument, 0, 0, 0)


def main() -> None:
    """Run the command on the command line in this process."""
    parent, name, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    request_signal_on_parent_exit(signal.Signals[name])
    if sys.platform == "linux" and os.getppid() != parent:
        sys.exit(1)  # the parent exited before the signal was requested
    os.execvp(command[0], command)  # noqa: S606 - the supervisor's own commands


if __name__ == "__main__":
    main()
