"""A table that is written while the types of its columns are found out, and kept if they hold.

Reading a text a second time, once its types are known, costs as much as the first time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

import pyarrow as pa

from thetahat_service.data.arrow_functions import cast


class TableDraft:
    """The values of columns as they are read, until one of them changes its type.

    Parameters
    ----------
    names : sequence of str
        Names of the columns.
    table : file
        Where the table is written.
    """

    def __init__(self, names: Sequence[str], table: IO[bytes]) -> None:
        self._names, self._table = names, table
        self._waiting: list[Sequence[pa.Array]] = []
        self._writer: pa.RecordBatchFileWriter | None = None
        self._holds = True
        self.schema: pa.Schema | None = None
        """The types of the table that is written; None before."""

    def add(self, values: Sequence[pa.Array | None]) -> None:
        """Write further rows; the first part, which is small, waits for the types of the second."""
        if not self._holds or any(array is None for array in values):
            self._holds = False
            return
        self._waiting.append(values)
        if self.schema is None and len(self._waiting) > 1:
            self._begin()
        if self.schema is not None:
            self._write()

    def finish(self) -> bool:
        """End the table; return whether it has all rows. If not, the file is empty again."""
        if self._holds and self.schema is None and self._waiting:
            self._begin()
            self._write()
        if self._writer is not None:
            self._writer.close()
        if not self._holds:
            self.discard()
        return self._holds and self.schema is not None

    def discard(self) -> None:
        """Empty the file."""
        self._table.seek(0)
        self._table.truncate()

    def _begin(self) -> None:
        largest = max(self._waiting, key=lambda values: len(values[0]))
        types = [array.type for array in largest]
        self.schema = pa.schema(list(zip(self._names, types, strict=True)))
        self._writer = pa.ipc.new_file(self._table, self.schema)

    def _write(self) -> None:
        assert self.schema is not None  # noqa: S101 - _begin has set both
        assert self._writer is not None  # noqa: S101
        for values in self._waiting:
            cast = [_cast(a, kind) for a, kind in zip(values, self.schema.types, strict=True)]
            if any(array is None for array in cast):
                self._holds = False
                break
            self._writer.write_batch(pa.RecordBatch.from_arrays(cast, schema=self.schema))
        self._waiting.clear()


def _cast(array: pa.Array, kind: pa.DataType) -> pa.Array | None:
    """Return values as the type of their column; None if they may be others in it."""
    if array.type == kind:
        return array
    if array.null_count == len(array):
        return pa.nulls(len(array), kind)
    return cast(array, kind) if (array.type, kind) == (pa.int64(), pa.float64()) else None
