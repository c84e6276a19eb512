"""NumPy's archive of arrays: columns and matrices, or scipy's compressed sparse rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, ClassVar

import pyarrow as pa

from service.data.base import ColumnValues, FileLimits, Inspected
from service.data.npz_archive import unpacked
from service.data.npz_columns import TableArrays, batches, build_schema, find_columns
from service.data.tables import list_columns, read_table, table_path


class Npz:
    """Arrays over the same rows: (n,) columns, (n, p) matrices, one CSR matrix; never pickled."""

    media_type: ClassVar[str] = "application/x-npz"
    title: ClassVar[str] = "NPZ"
    endings: ClassVar[tuple[str, ...]] = (".npz",)
    table_suffix: ClassVar[str] = ".npz.arrow"

    def inspect(self, path: Path, limits: FileLimits, table: IO[bytes]) -> Inspected:
        """Unpack the arrays to the disk, check them, and write their table row by row."""
        n_entries = n_repeated = 0
        with unpacked(path, limits) as arrays:
            found = find_columns(arrays, limits)
            schema = build_schema(found)
            with pa.ipc.new_file(table, schema) as writer:
                for batch, entries, twice in batches(arrays, found, schema):
                    writer.write_batch(batch)
                    n_entries, n_repeated = n_entries + entries, n_repeated + twice
        details = _details(found, n_entries, n_repeated)
        return Inspected(found.rows, list_columns(schema), details, has_table=True)

    def columns(self, path: Path, names: Sequence[str]) -> dict[str, ColumnValues]:
        """Map the table; only what has to be converted is copied."""
        return read_table(table_path(path, self.table_suffix), names)

    def head(self, path: Path, names: Sequence[str], rows: int) -> dict[str, ColumnValues]:
        """Map the table and take the first rows."""
        return read_table(table_path(path, self.table_suffix), names, rows)


def _details(found: TableArrays, n_entries: int, n_repeated: int) -> dict[str, Any]:
    details: dict[str, Any] = {
        "arrays": {
            name: {"type": array.dtype.name, "shape": list(array.shape)}
            for name, array in found.plain.items()
        },
        "left_out": found.left_out,
    }
    if found.width is None:
        return {"layout": "dense", **details}
    return {
        "layout": "sparse",
        "shape": [found.rows, found.width],
        "nonzeros": n_entries,
        "density": n_entries / (found.rows * found.width),
        "duplicates_added": n_repeated,
        **details,
    }


METHOD = Npz()
