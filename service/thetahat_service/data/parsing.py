"""Having untrusted files parsed in other processes; this is the part in the API process."""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import orjson

from thetahat_service import errors
from thetahat_service.data.base import Inspected, read_file_limits
from thetahat_service.data.csv_dialect import build_tabs_path
from thetahat_service.data.encodings import build_converted_path
from thetahat_service.data.packing import build_unpacked_path
from thetahat_service.data.parser_messages import ParserAnswer, ParserRequest
from thetahat_service.data.reading import ReadableFile
from thetahat_service.errors import InvalidFile, ServiceError, Unavailable
from thetahat_service.json_types import FilePreview, FileUnderstanding
from thetahat_service.settings import get_settings

log = logging.getLogger(__name__)

FIRST_SECONDS: Final = 10
BYTES_PER_SECOND: Final = 1_000_000
"""A parser has ten seconds, and one more for each megabyte, of which the slowest needs 0.2."""
STATUS_PATIENCE_S: Final = 2.0
PATIENCE_S: Final = 10  # beyond the parser's own limit, for a process that does not answer at all
ATTEMPTS: Final = 2
MODULE: Final = "thetahat_service.data.parser_process"
TIME_SIGNALS: Final = (signal.SIGALRM, signal.SIGXCPU)
RECEIVED_AT_ONCE: Final = 1024 * 1024
_ERRORS: Final[dict[str, type[ServiceError]]] = {
    cls.code: cls
    for cls in vars(errors).values()
    if isinstance(cls, type) and issubclass(cls, ServiceError)
}


def inspect_file(path: Path, media_type: str, table: Path, name: str | None) -> Inspected:
    """Check a whole file in a process of its own, and write its table if it needs one.

    Parameters
    ----------
    path, table : Path
        The file, and an empty file for its table.
    media_type : str
        Media type of a supported format.
    name : str or None
        The name of the file in error messages.

    Raises
    ------
    InvalidFile
        The file is invalid, or its parser crashed or went over its limits of memory or time.
    """
    try:
        answer = _request(
            {
                "action": "inspect",
                "path": str(path),
                "media_type": media_type,
                "table": str(table),
                "limits": read_file_limits(get_settings())._asdict(),
            },
            name,
        )
    finally:
        for build_path in (build_converted_path, build_tabs_path, build_unpacked_path):
            build_path(path).unlink(missing_ok=True)  # files of a parser that was killed
    inspected = answer["inspected"]
    inspected["columns"] = tuple(inspected["columns"])  # JSON has lists
    return Inspected(**inspected)


def preview_file(file: ReadableFile, rows: int, name: str | None) -> FilePreview:
    """Return the columns and first rows of a stored file, read in a process of its own."""
    return _read_stored("preview", file, rows, name)["preview"]


def understand_file(file: ReadableFile, rows: int, name: str | None) -> FileUnderstanding:
    """Return how a stored file of so many rows is understood, in a process of its own."""
    return _read_stored("understand", file, rows, name)["understanding"]


def _read_stored(
    action: Literal["preview", "understand"], file: ReadableFile, rows: int, name: str | None
) -> ParserAnswer:
    request: ParserRequest = {
        "action": action,
        "path": str(file.locate()),
        "media_type": file.media_type,
        "columns": file.columns,
        "details": file.details,
        "rows": rows,
    }
    return _request(request, name)


def start_parsers() -> None:
    """Start the process that waits for files, so that the first upload need not wait for it."""
    _PARSERS.start()


@dataclass(frozen=True, slots=True)
class ParserEnd:
    """How a parser that was killed ended."""

    status: int
    """Exit status: the negative number of the signal."""
    told_so: bool
    """Whether it has written that it could not allocate memory."""
    peak_mib: float
    """The most memory that it had."""

    def lacked_memory(self, limit_mib: int) -> bool:
        """Return whether it ended for want of memory.

        Libraries that crash instead of saying so have most of what they may have by then. A process
        that the system kills has more than there is.
        """
        has_much = self.peak_mib > limit_mib / 2
        return self.told_so or has_much or self.status == -signal.SIGKILL


class _Parsers:
    """The process that forks the parsers; started at first use, and again if it has ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._statuses: dict[int, ParserEnd] = {}
        self._unread = b""

    def start(self) -> None:
        """Start the process if it does not run."""
        with self._lock:
            self._get_control()

    def close(self) -> None:
        """End the process, if this process has started it."""
        with self._lock:
            if self._owner == os.getpid() and self._control and self._process:
                self._control.close()
                self._process.wait()
            self._control = self._process = None

    def send(self, connection: socket.socket) -> int:
        """Send a parser the socket of a request, and return the process id of the parent.

        A parent that has been killed has closed its sockets a moment before ``poll`` says that it
        has ended; it is replaced at once. Raises ``OSError`` if the new one ends, too.
        """
        with self._lock:
            try:
                socket.send_fds(self._get_control(), [b"."], [connection.fileno()])
            except OSError:
                self._end_parent()
                socket.send_fds(self._get_control(), [b"."], [connection.fileno()])
            return 0 if self._process is None else self._process.pid

    def _end_parent(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def read_status(self, parent: int, pid: int) -> ParserEnd | None:
        """Return how a parser was killed; None if its parent was killed."""
        with self._lock:
            while pid not in self._statuses:
                if self._control is None or self._process is None or self._process.pid != parent:
                    return None
                self._control.settimeout(STATUS_PATIENCE_S)
                try:
                    received = self._control.recv(RECEIVED_AT_ONCE)
                except OSError:
                    return None
                finally:
                    self._control.settimeout(None)
                if not received:
                    return None
                *lines, self._unread = (self._unread + received).split(b"\n")
                self._statuses |= {
                    int(child): ParserEnd(int(status), told_so == b"1", int(peak) / 1024)
                    for child, status, told_so, peak in map(bytes.split, lines)
                }
            return self._statuses.pop(pid, None)

    def _get_control(self) -> socket.socket:
        """Return the socket to the parent of the parsers, which is started if it does not run."""
        if self._owner != os.getpid():  # a fork has its own
            self._control = self._process = None
        if self._process is not None and self._process.poll() is not None:
            log.warning("parser.ended", extra={"status": self._process.returncode})
            if self._control is not None:
                self._control.close()
            self._control = None
        if self._control is None:
            self._control, child_end = socket.socketpair()
            with child_end:
                self._process = subprocess.Popen(  # noqa: S603 - a module of our own
                    [sys.executable, "-m", MODULE, str(child_end.fileno())],
                    env={**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"},
                    stdin=subprocess.DEVNULL,
                    pass_fds=[child_end.fileno()],
                    start_new_session=True,
                )
            self._owner, self._statuses, self._unread = os.getpid(), {}, b""
        return self._control


_PARSERS: Final = _Parsers()
atexit.register(_PARSERS.close)


def _request(request: ParserRequest, name: str | None) -> ParserAnswer:
    """Return a parser's answer, or raise its error; the message then names the file."""
    limits = get_settings()
    path = Path(request["path"])
    size = (
        path.stat().st_size if path.exists() else 0
    )  # of some data sets, only the table is on this machine
    seconds = min(limits.parser_time_limit_s, FIRST_SECONDS + size // BYTES_PER_SECOND)
    request["memory_mb"], request["seconds"] = limits.parser_memory_mb, seconds
    label = "The file" if name is None else f"The file {name[:80]!r}"
    answer = _exchange(orjson.dumps(request) + b"\n", seconds + PATIENCE_S)
    if isinstance(answer, ParserEnd):
        extra = {"status": answer.status, "media_type": request["media_type"]}
        log.warning("parser.died", extra=extra)
        if -answer.status in TIME_SIGNALS:
            raise InvalidFile(f"{label} takes longer than {seconds} s to parse, so it is refused.")
        if not answer.lacked_memory(limits.parser_memory_mb):
            raise InvalidFile(f"{label} is damaged: the process that parsed it crashed.")
        answer = {"error": "memory"}
    error = answer.get("error")
    if error is None:
        return answer
    if error == "memory":
        raise InvalidFile(
            f"{label} needs more than {limits.parser_memory_mb} MB of memory to parse, so it is "
            "refused."
        )
    if error == "unexpected":
        log.error("parser.failed", extra={"trace": answer["message"]})
        raise InvalidFile(f"{label} is damaged and cannot be parsed.")
    raise _ERRORS[error](answer["message"])


def _exchange(request: bytes, seconds: float) -> ParserAnswer | ParserEnd:
    """Return a parser's answer, or how it was killed."""
    for _ in range(ATTEMPTS):
        parent_end, child_end = socket.socketpair()
        with parent_end, child_end:
            parent_end.settimeout(seconds)
            received, parent = bytearray(), 0
            with contextlib.suppress(OSError):
                parent = _PARSERS.send(child_end)
                child_end.close()
                parent_end.sendall(request)
                while piece := parent_end.recv(RECEIVED_AT_ONCE):
                    received += piece
        lines = received.split(b"\n")
        if len(lines) > 2:  # the parser's process id, its answer, and nothing after that
            parsed: ParserAnswer = orjson.loads(lines[1])
            return parsed
        status = _PARSERS.read_status(parent, int(lines[0])) if len(lines) == 2 else None
        if status is not None:
            return status
        # The parent was killed, not the parser alone: a new one tries once more.
    raise Unavailable("The process that parses files does not answer. Try again later.")
