"""Texts that are computed when clients ask for them, each in a process of its own.

One text is computed at a time, because each needs a processor and memory for its data, and the
last ones are kept. The process is ``python -m MODULE ARGUMENT...``, whose output is the text.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from thetahat.errors import EvaluationError
from thetahat_service.errors import PartsNotKept, ServiceError, Unavailable
from thetahat_service.process.exit_with_parent import request_signal_on_parent_exit
from thetahat_service.process.memory import limit_memory
from thetahat_service.settings import get_settings

K = TypeVar("K", bound=Hashable)

MAX_KEPT: Final = 8
TIME_LIMIT_S: Final = 60.0
_REFUSED: Final = 3
"""Exit status of a process that computes no text; its output is the reason."""


@dataclass(kw_only=True, eq=False)
class ComputedTexts(Generic[K]):
    """The last texts of a module by key, and what is said where there is none."""

    module: str
    """The module that computes a text; it calls ``write_text``."""
    busy: str
    """The message while another text is computed for too long."""
    slow: str
    """Its message where the process takes too long, with ``{seconds:g}`` for the limit."""
    failed: str
    """Its message where the process fails."""
    timeout_s: float = 30.0
    """For how long a caller waits while another text is computed."""
    build_error: Callable[[str], Exception] = Unavailable
    """Returns what is raised where there is no text now."""
    build_refusal: Callable[[str], Exception] = PartsNotKept
    """Returns what is raised for the reason that a process writes."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _texts: OrderedDict[K, str] = field(default_factory=OrderedDict)

    def get(self, key: K, *arguments: object) -> str:
        """Return the text of a key; if it is not kept, it is computed from the arguments."""
        if not self._lock.acquire(timeout=self.timeout_s):
            raise self.build_error(self.busy)
        try:
            if key not in self._texts:
                self._texts[key] = self._compute(*arguments)
                while len(self._texts) > MAX_KEPT:
                    self._texts.popitem(last=False)
            return self._texts[key]
        finally:
            self._lock.release()

    def _compute(self, *arguments: object) -> str:
        command = [sys.executable, "-m", self.module, *map(str, arguments)]
        try:
            process = subprocess.run(  # noqa: S603 - our own module, and arguments of ours
                command, capture_output=True, timeout=TIME_LIMIT_S, check=False
            )
        except subprocess.TimeoutExpired:
            raise self.build_error(self.slow.format(seconds=TIME_LIMIT_S)) from None
        if process.returncode == 0:
            return process.stdout.decode()
        if process.returncode == _REFUSED:
            raise self.build_refusal(process.stdout.decode())
        raise self.build_error(self.failed)


def write_text(
    compute: Callable[[Sequence[str]], str],
    *refusals: type[EvaluationError | ServiceError],
) -> None:
    """Write the text for the arguments of this process, or the message of a refusal."""
    request_signal_on_parent_exit()
    limit_memory(get_settings().memory_limit_mb)
    try:
        text = compute(sys.argv[1:])
    except refusals as error:
        sys.stdout.buffer.write(error.message.encode())
        sys.exit(_REFUSED)
    sys.stdout.buffer.write(text.encode())
