"""Arrays that are kept in a temporary file until they are read again much later."""

from __future__ import annotations

import tempfile
import weakref
from dataclasses import dataclass
from typing import IO, Any, Final

import numpy as np

IN_MEMORY: Final = 64 * 1024 * 1024
"""Bytes of arrays that stay in memory."""


@dataclass(frozen=True, slots=True)
class SpilledArray:
    """An array (n,) in a file; slices of it can be read."""

    spill: Spill
    """The owner of the file, which exists as long as this array."""
    start: int
    """Position of the first byte."""
    n: int
    """Length."""
    dtype: np.dtype[Any]
    """Type of the values."""

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, rows: slice) -> np.ndarray:
        first, last, _ = rows.indices(self.n)
        size = self.dtype.itemsize
        content = self.spill.read(self.start + first * size, max(0, last - first) * size)
        return np.frombuffer(content, dtype=self.dtype)


class Spill:
    """Keeps arrays, in memory up to some megabytes and then in a temporary file.

    The file has no name, and is deleted together with the last array.
    """

    def __init__(self, in_memory: int | None = None) -> None:
        self._free_bytes = IN_MEMORY if in_memory is None else in_memory
        self._file: IO[bytes] | None = None

    def keep(self, array: np.ndarray) -> np.ndarray | SpilledArray:
        """Return the array (n,) itself, or its copy in the file."""
        if array.nbytes <= self._free_bytes:
            self._free_bytes -= array.nbytes
            return array
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the spill
            weakref.finalize(self, self._file.close)
        start = self._file.seek(0, 2)
        self._file.write(np.ascontiguousarray(array).data)
        return SpilledArray(self, start, len(array), array.dtype)

    def read(self, start: int, n_bytes: int) -> bytes:
        """Return some bytes of the file."""
        if self._file is None:
            raise RuntimeError("No array was written to the file.")
        self._file.seek(start)
        return self._file.read(n_bytes)
