"""NumPy's archive of arrays: columns and matrices, or scipy's compressed sparse rows."""

from __future__ import annotations

from pathlib import Path
from typing import IO, ClassVar

import pyarrow as pa

from thetahat.values.json_values import JsonValue
from thetahat_service.data.base import FileLimits, Inspected
from thetahat_service.data.npz_archive import unpack_arrays
from thetahat_service.data.npz_columns import (
    TableArrays,
    build_schema,
    find_columns,
    iterate_batches,
)
from thetahat_service.data.tables import MappedFormat, list_columns
from thetahat_service.data.written_numbers import WrittenNumbers
from thetahat_service.json_types import JsonObject


class Npz(MappedFormat):
    """Arrays over the same rows: (n,) columns, (n, p) matrices, one CSR matrix; never pickled."""

    media_type: ClassVar[str] = "application/x-npz"
    title: ClassVar[str] = "NPZ"
    table_suffix = ".npz.arrow"

    def inspect(self, path: Path, limits: FileLimits, table: IO[bytes]) -> Inspected:
        """Unpack the arrays to the disk, check them, and write their table row by row."""
        n_entries, n_repeated, written = 0, 0, WrittenNumbers()
        with unpack_arrays(path, limits) as arrays:
            table_arrays = find_columns(arrays, limits)
            schema = build_schema(table_arrays)
            with pa.ipc.new_file(table, schema) as writer:
                for batch, entries, repeated in iterate_batches(arrays, table_arrays, schema):
                    writer.write_batch(batch)
                    written.add(batch)
                    n_entries, n_repeated = n_entries + entries, n_repeated + repeated
        details = {
            **_build_details(table_arrays, n_entries, n_repeated),
            **written.describe(),
        }
        return Inspected(table_arrays.rows, list_columns(schema), details, has_table=True)


def _build_details(
    table_arrays: TableArrays, n_entries: int, n_repeated: int
) -> dict[str, JsonValue]:
    details: JsonObject = {
        "arrays": {
            name: {"type": array.dtype.name, "shape": list(array.shape)}
            for name, array in table_arrays.plain.items()
        },
        "left_out": table_arrays.left_out,
    }
    if table_arrays.width is None:
        return {"layout": "dense", **details}
    return {
        "layout": "sparse",
        "shape": [table_arrays.rows, table_arrays.width],
        "nonzeros": n_entries,
        "density": n_entries / (table_arrays.rows * table_arrays.width),
        "duplicates_added": n_repeated,
        **details,
    }


METHOD = Npz()
