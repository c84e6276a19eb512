"""Processes begun as copies of this one, which has loaded what all of them need.

Loading takes seconds of a core in each process; a copy has it at once, and shares the memory. A
copy that ends is replaced by a process of its own, because by then there are threads here.
"""

from __future__ import annotations

import ctypes
import gc
import os
import runpy
import signal
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Final, NoReturn

from service.process.exit_with_parent import die_with_parent
from service.process.threads import one_thread

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
FIRST_DESCRIPTOR: Final = 3
ARGUMENTS_BEGIN, ARGUMENTS_END = 45, 46  # fields of /proc/self/stat after the command's name
LOOK_S = 0.01


def load() -> None:
    """Load what API and workers both need; what was loaded is never looked at for garbage."""
    one_thread()
    gc.disable()
    import service.jobs.submit  # noqa: PLC0415 - slow to load, and only here
    import service.storage.schema  # noqa: F401, PLC0415 - likewise

    gc.freeze()
    gc.enable()


def can_be_made(command: Sequence[str]) -> bool:
    """Tell whether a command is a module of Python's, and this process can be copied."""
    return (
        sys.platform == "linux"
        and list(command[:2]) == [sys.executable, "-m"]
        and "service.jobs.submit" in sys.modules
        and threading.active_count() == 1
    )


class Copy:
    """A copy of this process that runs a module; as much of ``Popen`` as a child needs.

    Parameters
    ----------
    command : sequence of str
        ``python -m module argument ...``.
    environment : mapping
        Added to its environment.
    orphan_signal : Signals
        What it gets when this process ends.
    file_descriptors : sequence of int
        Left open in it, besides standard output and error.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        orphan_signal: signal.Signals,
        file_descriptors: Sequence[int],
    ) -> None:
        self.returncode: int | None = None
        parent = os.getpid()
        sys.stdout.flush()
        sys.stderr.flush()
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        self.pid = os.fork()
        if self.pid == 0:
            _begin(parent, orphan_signal, file_descriptors)
            os.environ.update(environment)
            _become(command)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    def poll(self) -> int | None:
        """Return the exit status; None while it runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; ``TimeoutExpired`` when it takes longer."""
        waiting = threading.Event()
        left = float("inf") if timeout is None else timeout
        while (status := self.poll()) is None:
            if left <= 0:
                raise TimeoutExpired(str(self.pid), timeout or 0.0)
            waiting.wait(LOOK_S)
            left -= LOOK_S
        return status

    def terminate(self) -> None:
        """Ask it to end."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)


def _begin(parent: int, orphan_signal: signal.Signals, descriptors: Sequence[int]) -> None:
    """Let go of what is the parent's."""
    os.setsid()
    die_with_parent(orphan_signal)
    if os.getppid() != parent:
        os._exit(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    for number in [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]:
        if number >= FIRST_DESCRIPTOR and number not in descriptors:
            with suppress(OSError):  # the folder's own is closed already
                os.close(number)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def _become(command: Sequence[str]) -> NoReturn:
    """Run the module as ``python -m`` does, and end."""
    status = 1
    try:
        _be_called(command)
        sys.argv = [command[2], *command[3:]]
        runpy.run_module(command[2], run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - the process ends here, with its reason
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _be_called(command: Sequence[str]) -> None:
    """Let lists of processes show the copy's own command, in the room that the parent's took."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    begin, end = int(fields[ARGUMENTS_BEGIN]), int(fields[ARGUMENTS_END])
    text = b"\0".join(map(os.fsencode, command))[: end - begin - 1]
    ctypes.memmove(begin, text.ljust(end - begin, b"\0"), end - begin)
