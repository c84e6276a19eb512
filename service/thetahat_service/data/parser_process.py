"""The processes that parse uploaded files: a parent that loads the formats, and a child per file.

``python -m thetahat_service.data.parser_process DESCRIPTOR`` is started by the API, and forks
children that wait for a request on the socket of that descriptor. A child takes one request, sets
itself limits of memory and time, parses one file, answers and exits; the parent forks the next one
meanwhile. So a file that crashes its parser, fills the memory or takes too long harms neither the
API nor the next file, and an upload waits neither for a new process nor for its imports.

A request is the descriptor of a socket. The child writes its process id to that socket, reads a
line of JSON and writes a line of JSON. For each child that was killed, the parent writes to its own
socket ``pid status told_so peak``: whether the child has written that it had no memory, and the
most memory that it had, in KiB. When the API closes its end of that socket, as by its death, all of
them end.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import io
import os
import resource
import select
import signal
import socket
import sys
import traceback
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Final, NoReturn, cast

import orjson
import pyarrow as pa

from thetahat_service.data.base import FileLimits
from thetahat_service.data.formats import find_format
from thetahat_service.data.parser_messages import InspectedFile, ParserAnswer, ParserRequest
from thetahat_service.data.preview import preview
from thetahat_service.data.reading import DatasetFileContent
from thetahat_service.data.understanding import understand_file
from thetahat_service.errors import ServiceError
from thetahat_service.process.exit_with_parent import (
    request_signal_on_parent_exit,
    set_process_name,
)
from thetahat_service.process.memory import limit_memory

WAITING: Final = 2  # children that wait for a request
LONGEST_REQUEST: Final = 64 * 1024 * 1024
PIPE_BYTES: Final = 4096
NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
FIRST_FILE: Final = b"a,b\n1,x\n"
LONGEST_WORDS: Final = 64 * 1024
WORDS_ABOUT_MEMORY: Final = (b"memory allocation of", b"bad_alloc", b"Cannot allocate memory")
"""What Rust, C++ and C write when they cannot allocate memory."""


def parse(request: ParserRequest) -> ParserAnswer:
    """Do what the request asks with a file: check, preview or understand; errors are JSON, too."""
    path = Path(request["path"])
    try:
        if request["action"] != "inspect":
            file = DatasetFileContent(
                request["media_type"], request["columns"], path, request["details"]
            )
            if request["action"] == "preview":
                return {"preview": preview(file, request["rows"])}
            return {"understanding": understand_file(file, request["rows"])}
        with Path(request["table"]).open("r+b") as table:
            limits = FileLimits(**request["limits"])
            inspected = find_format(request["media_type"]).inspect(path, limits, table)
    except ServiceError as error:
        return {"error": error.code, "message": error.message}
    except MemoryError:
        return {"error": "memory"}
    except OSError as error:
        if error.errno in NO_ROOM:
            message = f"The file cannot be stored: {error.strerror}."
            return {"error": "unavailable", "message": message}
        return {"error": "unexpected", "message": traceback.format_exc()}
    except Exception:  # noqa: BLE001 - whatever a damaged file makes of a parser
        return {"error": "unexpected", "message": traceback.format_exc()}
    return {"inspected": cast("InspectedFile", asdict(inspected))}


class Parent:
    """Forks children that wait for requests, and reports those that were killed.

    Parameters
    ----------
    control : socket
        Children receive requests from it; the parent writes exit statuses to it.
    """

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._waiting: set[int] = set()
        self._busy: set[int] = set()
        self._last_words: dict[int, IO[bytes]] = {}
        self._began_reader, self._began_writer = os.pipe()
        self._wake_up, waker = os.pipe()
        os.set_blocking(waker, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)

    def run(self) -> None:
        """Fork and collect children until the API closes its end of the control socket."""
        poll = select.poll()
        poll.register(self._control, 0)  # only its end; its data are for the children
        poll.register(self._began_reader, select.POLLIN)
        poll.register(self._wake_up, select.POLLIN)
        while True:
            while len(self._waiting) < WAITING:
                self._fork()
            for descriptor, _ in poll.poll():
                if descriptor == self._control.fileno():
                    return
                received = os.read(descriptor, PIPE_BYTES)
                if descriptor == self._began_reader:
                    began = {int(pid) for pid in received.split()}
                    self._busy |= began & self._waiting
                    self._waiting -= began
                else:
                    self._collect()

    def _fork(self) -> None:
        parent, last_words = os.getpid(), TemporaryFile()  # noqa: SIM115 - until the child ends
        child = os.fork()
        if child:
            self._waiting.add(child)
            self._last_words[child] = last_words
            return
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            request_signal_on_parent_exit()
            if os.getppid() == parent:
                _answer_request(self._control, self._began_writer, last_words)
        finally:
            os._exit(1)

    def _collect(self) -> None:
        """Collect children that have ended, and report the status of those that were killed."""
        for child in [*self._waiting, *self._busy]:
            pid, waited, used = os.wait4(child, os.WNOHANG)
            if not pid:
                continue
            self._waiting.discard(child)
            self._busy.discard(child)
            status = os.waitstatus_to_exitcode(waited)
            with self._last_words.pop(child) as last_words:
                told_so = _has_no_memory(last_words)
            if status < 0:
                with contextlib.suppress(OSError):  # the API may have gone
                    line = b"%d %d %d %d\n" % (child, status, told_so, used.ru_maxrss)
                    self._control.send(line, socket.MSG_DONTWAIT)


def _has_no_memory(last_words: IO[bytes]) -> bool:
    """Return whether a library wrote to standard error that it could not allocate memory."""
    last_words.seek(0)
    text = last_words.read(LONGEST_WORDS)
    return any(words in text for words in WORDS_ABOUT_MEMORY)


def _answer_request(control: socket.socket, began_writer: int, last_words: IO[bytes]) -> NoReturn:
    """Answer one request; it runs in a child, which exits."""
    _warm_up()
    data, descriptors, _, _ = socket.recv_fds(control, 1, 1)
    if not data:
        os._exit(0)
    os.write(began_writer, b"%d " % os.getpid())
    connection = socket.socket(fileno=descriptors[0])
    connection.sendall(b"%d\n" % os.getpid())
    with connection.makefile("rb") as lines:
        request = orjson.loads(lines.readline(LONGEST_REQUEST))
    os.dup2(last_words.fileno(), 2)  # a library that aborts must not write to the log
    _limit_resources(request["memory_mb"], request["seconds"])
    answer = orjson.dumps(parse(request), option=orjson.OPT_SERIALIZE_NUMPY)
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        connection.sendall(answer + b"\n")
    os._exit(0)


class _PandasNotFound:
    """Makes ``import pandas`` fail as if pandas were not installed."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


def keep_pandas_out() -> None:
    """Have pyarrow do without pandas in this process and its children.

    pyarrow imports pandas, where it is installed, before it converts a Python value, and then
    remembers that. No format needs it, and in each child the import took 0.3 s, ten times as long
    as the parsing of a small file.
    """
    sys.meta_path.insert(0, _PandasNotFound)
    pa.scalar(0)
    sys.meta_path.remove(_PandasNotFound)


def _warm_up() -> None:
    """Parse a small text, because the first one takes longer and starts the library's threads."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "first.csv"
        path.write_bytes(FIRST_FILE)
        find_format("text/csv").inspect(path, FileLimits(), io.BytesIO())


def _limit_resources(memory_mb: int, seconds: int) -> None:
    """Make the operating system end this process if it takes too much memory or time.

    Both the processor's time and the clock's are limited: a parser with several threads takes more
    of the first, one that waits takes only the second. Mapped files do not count as memory.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds)
    limit_memory(memory_mb)


def main() -> None:
    """Run the parent on the socket whose descriptor is on the command line."""
    set_process_name("thetahat-parser")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the API, which then ends this
    control = socket.socket(fileno=int(sys.argv[1]))
    keep_pandas_out()
    gc.freeze()
    Parent(control).run()


if __name__ == "__main__":
    main()
