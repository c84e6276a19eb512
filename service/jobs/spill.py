"""Arrays that are needed once more, much later: in a file that nobody else sees."""

from __future__ import annotations

import tempfile
import weakref
from dataclasses import dataclass
from typing import IO, Any, Final

import numpy as np

IN_MEMORY: Final = 64 * 1024 * 1024
"""Bytes up to which arrays stay where they are."""


@dataclass(frozen=True, slots=True)
class Spilt:
    """An array (n,) in a file, of which stretches can be read.

    Parameters
    ----------
    spill : Spill
        Whose file it is; it is there as long as this is.
    start : int
        First byte.
    n : int
        Length.
    dtype : dtype
        Of its values.
    """

    spill: Spill
    start: int
    n: int
    dtype: np.dtype[Any]

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, rows: slice) -> np.ndarray:
        first, last, _ = rows.indices(self.n)
        size = self.dtype.itemsize
        content = self.spill.read(self.start + first * size, max(0, last - first) * size)
        return np.frombuffer(content, dtype=self.dtype)


class Spill:
    """Keeps arrays; those beyond the first few megabytes lie in a temporary file.

    The file has no name, and is gone with the last of them.
    """

    def __init__(self, in_memory: int | None = None) -> None:
        self._left = IN_MEMORY if in_memory is None else in_memory
        self._file: IO[bytes] | None = None

    def keep(self, array: np.ndarray) -> np.ndarray | Spilt:
        """Return the array (n,), or what stretches of it can be read from."""
        if array.nbytes <= self._left:
            self._left -= array.nbytes
            return array
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the spill
            weakref.finalize(self, self._file.close)
        start = self._file.seek(0, 2)
        self._file.write(np.ascontiguousarray(array).data)
        return Spilt(self, start, len(array), array.dtype)

    def read(self, start: int, n_bytes: int) -> bytes:
        """Return some bytes of the file."""
        if self._file is None:
            message = "nothing was spilt"
            raise RuntimeError(message)
        self._file.seek(start)
        return self._file.read(n_bytes)
