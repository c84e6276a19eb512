"""Arrays that are needed once more, much later: in a file that nobody else sees."""

from __future__ import annotations

import tempfile
from typing import IO, Final

import numpy as np

IN_MEMORY: Final = 64 * 1024 * 1024
"""Bytes up to which arrays stay where they are."""


class Spill:
    """Keeps arrays; those beyond the first few megabytes lie in a temporary file.

    They are given back as arrays that are read from the file page by page, and are no memory of
    the process. The file has no name, and is gone with the last of them.
    """

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self._left = in_memory
        self._file: IO[bytes] | None = None

    def keep(self, array: np.ndarray) -> np.ndarray:
        """Return the array, or what reads like it; it is not to be written to."""
        if array.nbytes <= self._left:
            self._left -= array.nbytes
            return array
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - the arrays keep it
        start = self._file.seek(0, 2)
        np.ascontiguousarray(array).tofile(self._file)
        self._file.flush()
        kept: np.ndarray = np.memmap(
            self._file, dtype=array.dtype, mode="r", offset=start, shape=array.shape
        )
        return kept
