"""The table of losses that an evaluation writes; its columns may be in a temporary file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa

from thetahat_service.data.arrow_arrays import make_arrow_array
from thetahat_service.data.arrow_functions import take
from thetahat_service.outcomes.spilled_arrays import SpilledArray

ROWS_AT_ONCE: Final = 2**18


class OutputColumn(NamedTuple):
    """One column: values, or indices of labels."""

    values: np.ndarray | SpilledArray
    """(n,) numbers."""
    labels: pa.Array | None = None
    """The labels, if the numbers are indices of labels."""

    def rows(self, start: int, stop: int) -> pa.Array:
        """Return some of the rows, with labels in place of their indices."""
        part = np.asarray(self.values[start:stop])
        return (
            make_arrow_array(part)
            if self.labels is None
            else take(self.labels, make_arrow_array(part))
        )


class OutputTable(NamedTuple):
    """Columns by name, all of the same length."""

    columns: Mapping[str, OutputColumn]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values())).values)

    def rows(self, start: int, stop: int) -> pa.Table:
        """Return some of the rows."""
        return pa.table({name: column.rows(start, stop) for name, column in self.columns.items()})

    def iterate_batches(self) -> Iterator[pa.Table]:
        """Yield the table in batches of rows; at least one batch."""
        yield self.rows(0, ROWS_AT_ONCE)
        for start in range(ROWS_AT_ONCE, self.n_rows, ROWS_AT_ONCE):
            yield self.rows(start, start + ROWS_AT_ONCE)

    def table(self) -> pa.Table:
        """Return the whole table, in memory."""
        return pa.concat_tables(self.iterate_batches())
