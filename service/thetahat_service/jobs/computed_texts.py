"""Texts that processes compute when clients ask for them: one at a time, the last ones kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

K = TypeVar("K", bound=Hashable)

MAX_KEPT: Final = 8


class ComputedTexts(Generic[K]):
    """The last texts by key.

    Only one is computed at a time, because each needs a processor and memory for its data.

    Parameters
    ----------
    timeout_s : float
        For how long a caller waits while another text is computed.
    build_busy_error : callable
        Returns what is raised after that time.
    """

    def __init__(self, timeout_s: float, build_busy_error: Callable[[], Exception]) -> None:
        self._timeout_s, self._build_busy_error = timeout_s, build_busy_error
        self._lock = threading.Lock()
        self._texts: OrderedDict[K, str] = OrderedDict()

    def get(self, key: K, compute: Callable[[], str]) -> str:
        """Return the text of a key; it is computed if it is not kept."""
        if not self._lock.acquire(timeout=self._timeout_s):
            raise self._build_busy_error()
        try:
            if key not in self._texts:
                self._texts[key] = compute()
                while len(self._texts) > MAX_KEPT:
                    self._texts.popitem(last=False)
            return self._texts[key]
        finally:
            self._lock.release()
