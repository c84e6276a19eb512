"""Drawing specifications in a process of its own: the side of the API.

The renderer is a JavaScript engine: it takes 150 MB, and could end its process or run on without
end. So one process draws for all requests of this one, is started by the first figure, and ends
by itself when nothing is drawn for a while.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import select
import subprocess
import sys
import threading
import time
from typing import Final

import orjson

from thetahat_service.errors import Unavailable
from thetahat_service.figures.rendering import FigureFormat
from thetahat_service.figures.style import Json

log = logging.getLogger(__name__)

MODULE: Final = "thetahat_service.figures.drawing_process"
SECONDS: Final = 60.0
"""Longest drawing of one figure; 200 models take 2 s, and the first figure 1 s more."""
TURN_S: Final = 60.0
"""Longest wait for the figures of other requests."""
ATTEMPTS: Final = 2
_AT_ONCE: Final = 1024 * 1024


def draw(spec: Json, form: FigureFormat) -> bytes:
    """Return a specification as an image; the same specification gives the same bytes.

    Call it in a thread: it waits for the drawing process. Raises ``Unavailable`` if the figure
    cannot be drawn now, because too many others are or because the process ended.
    """
    return _DRAWER.draw(orjson.dumps({"form": form, "spec": spec}) + b"\n")


def bundle_library() -> bytes:
    """Return the JavaScript that draws specifications in a browser.

    Raises ``Unavailable`` as ``draw`` does.
    """
    return _DRAWER.draw(orjson.dumps({"form": "library"}) + b"\n")


class _Drawer:
    """The drawing process; it is started at first use, and again if it has ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def draw(self, request: bytes) -> bytes:
        """Return the image that the process makes of a request."""
        if not self._lock.acquire(timeout=TURN_S):
            raise Unavailable("Too many figures are being drawn. Ask again later.")
        try:
            for _ in range(ATTEMPTS):
                process = self._start()
                answer = _exchange(process, request, time.monotonic() + SECONDS)
                if answer is not None:
                    return answer
                log.warning("drawing.ended", extra={"status": _end(process)})
            raise Unavailable("The figure cannot be drawn: the drawing process ends each time.")
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the process, if this process has started it."""
        if self._process is not None and self._owner == os.getpid():
            _end(self._process)
        self._process = None

    def _start(self) -> subprocess.Popen[bytes]:
        """Return the running process; start it if there is none, or if it has ended when idle."""
        is_own = self._owner == os.getpid()  # a fork has its own
        if self._process is None or not is_own or self._process.poll() is not None:
            if self._process is not None and is_own:
                _end(self._process)
            self._process = subprocess.Popen(  # noqa: S603 - a module of our own
                [sys.executable, "-m", MODULE],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for the API, which then ends this
            )
            self._owner = os.getpid()
        return self._process


def _end(process: subprocess.Popen[bytes]) -> int:
    """End a process, close its pipes, and return its exit status."""
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):  # a request that was not written whole
                pipe.close()
    return process.wait()


def _exchange(process: subprocess.Popen[bytes], request: bytes, deadline: float) -> bytes | None:
    """Return the image, or None if the process ended or took too long."""
    if process.stdin is None or process.stdout is None:
        return None
    try:
        process.stdin.write(request)
        process.stdin.flush()
    except OSError:
        return None
    header = _read(process, b"", deadline)
    if header is None:
        return None
    line, _, image = header.partition(b"\n")
    answer = orjson.loads(line)
    if "error" in answer:
        raise ValueError(f"The renderer refuses the specification: {answer['error']}")
    while len(image) < answer["bytes"]:
        chunk = _read_some(process, deadline)
        if not chunk:
            return None
        image += chunk
    return image


def _read(process: subprocess.Popen[bytes], received: bytes, deadline: float) -> bytes | None:
    """Return what the process writes up to the end of its first line, and perhaps more."""
    while b"\n" not in received:
        more = _read_some(process, deadline)
        if not more:
            return None
        received += more
    return received


def _read_some(process: subprocess.Popen[bytes], deadline: float) -> bytes:
    """Return the next bytes; none if the process has ended, or at the deadline."""
    if process.stdout is None:
        return b""
    descriptor = process.stdout.fileno()
    ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
    return os.read(descriptor, _AT_ONCE) if ready else b""


_DRAWER: Final = _Drawer()
atexit.register(_DRAWER.close)
