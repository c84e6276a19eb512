"""A table of losses whose columns may lie in a file, put together some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from service.data.arrow_arrays import arrow_array
from service.jobs.spill import Spilt

ROWS_AT_ONCE: Final = 2**18


@dataclass(frozen=True, slots=True, eq=False)
class OutputColumn:
    """Values, or codes of labels.

    Parameters
    ----------
    values : ndarray or Spilt
        (n,) numbers.
    labels : pyarrow.Array or None
        What the numbers are the places of; None where they stand for themselves.
    """

    values: np.ndarray | Spilt
    labels: pa.Array | None = None

    def rows(self, start: int, stop: int) -> pa.Array:
        """Return some of the rows, as they are told."""
        part = np.asarray(self.values[start:stop])
        return arrow_array(part) if self.labels is None else self.labels.take(arrow_array(part))


@dataclass(frozen=True, slots=True, eq=False)
class OutputTable:
    """Columns by name, all of one length."""

    columns: Mapping[str, OutputColumn]

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(next(iter(self.columns.values())).values)

    def rows(self, start: int, stop: int) -> pa.Table:
        """Return some of the rows."""
        return pa.table({name: column.rows(start, stop) for name, column in self.columns.items()})

    def pieces(self) -> Iterator[pa.Table]:
        """Yield the table, some rows after the others; once at least."""
        yield self.rows(0, ROWS_AT_ONCE)
        for start in range(ROWS_AT_ONCE, self.n_rows, ROWS_AT_ONCE):
            yield self.rows(start, start + ROWS_AT_ONCE)

    def table(self) -> pa.Table:
        """Return all of it, in memory."""
        return pa.concat_tables(self.pieces())
