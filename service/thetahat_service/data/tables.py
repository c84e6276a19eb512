"""The converted table of a file: an uncompressed Arrow file that can be mapped into memory.

A group of sparse columns is one Arrow column whose cells are lists of (index, value). Its offsets,
indices and values are the three arrays of a compressed matrix, so that it is mapped as one. The
cells of a matrix are lists of p numbers, which follow each other in the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from thetahat.tables.sparse import NumberedNames, SparseColumns
from thetahat_service.data.arrow_columns import find_wire_type, to_labels, to_numpy
from thetahat_service.data.base import MATRIX, SPARSE, ColumnValues
from thetahat_service.data.sparse_rows import SparseRows
from thetahat_service.json_types import ColumnDescription
from thetahat_service.storage.checksums import compute_table_size

TEXT_TABLE: Final = "-2.arrow"
"""The end of the names of tables that keep labels as a text has them."""
EARLIER_TEXT_TABLE: Final = ".arrow"
"""That of tables of earlier releases, in which labels were numbers; they are not read."""
_CELL: Final = pa.large_list(pa.struct([("index", pa.int32()), ("value", pa.float64())]))
_LARGEST_SMALL: Final = 2**31 - 1
_TEXT: Final = "\0"
"""What precedes the name of a number's column in that of its text; no column of a file has it."""


class MappedFormat:
    """What all formats share whose files are tables to map, or are converted to one."""

    table_suffix: str

    def map(self, path: Path, names: Sequence[str]) -> pa.Table:
        """Map the table of a file into memory, with the named columns at least."""
        del names
        return map_table(build_table_path(path, self.table_suffix))

    def read_columns(
        self, path: Path, names: Sequence[str], rows: int | None = None
    ) -> dict[str, ColumnValues]:
        """Map the table; only what has to be converted is copied."""
        table = self.map(path, names).slice(0, rows)
        return {name: _read_column(table, name) for name in names}

    def read_labels(self, path: Path, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Map the table, and read labels from the text of numbers where the table keeps it."""
        table = self.map(path, names)
        kept = {*table.schema.names}
        sources = {n: build_text_name(n) if build_text_name(n) in kept else n for n in names}
        return {name: to_labels(table.column(source)) for name, source in sources.items()}


def build_text_name(name: str) -> str:
    """Return the name of the column with the texts of a column of numbers.

    A table has it where numbers do not tell labels apart that the file does: 01 and 1, or whole
    numbers beyond 64 bits.
    """
    return _TEXT + name


def get_number_name(text_name: str) -> str:
    """Return the name of the column whose values a column has, as numbers or as their texts."""
    return text_name.removeprefix(_TEXT)


def build_table_path(path: Path, suffix: str) -> Path:
    """Return the path of the converted table of a file."""
    return path.with_name(path.name + suffix)


def build_sparse_field(name: str, width: int, first: int) -> pa.Field:
    """Return the Arrow field of a group of ``width`` columns that are numbered from ``first``."""
    return pa.field(name, _CELL, metadata={"width": str(width), "first": str(first)})


def make_sparse_cells(rows: SparseRows) -> pa.Array:
    """Return rows as Arrow cells; nothing is copied."""
    entries = pa.StructArray.from_arrays(
        [make_number_cells(rows.indices), make_number_cells(rows.values)], ["index", "value"]
    )
    return pa.LargeListArray.from_arrays(make_number_cells(rows.starts), entries)


def build_matrix_type(width: int) -> pa.DataType:
    """Return the Arrow type of a matrix of ``width`` columns."""
    return pa.list_(pa.float64(), width)


def make_matrix_cells(rows: np.ndarray) -> pa.Array:
    """Return (n, p) numbers as Arrow cells, one for each row."""
    values = np.ascontiguousarray(rows, dtype=np.float64).reshape(-1)
    return pa.FixedSizeListArray.from_arrays(make_number_cells(values), rows.shape[1])


def make_number_cells(values: np.ndarray) -> pa.Array:
    """Return (n,) numbers as Arrow cells; a contiguous array is not copied.

    ``pyarrow.array`` would do it too, and import pandas where that is installed.
    """
    buffer = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(values.dtype), len(values), [None, buffer], null_count=0
    )


def describe_table(path: Path) -> tuple[int, tuple[ColumnDescription, ...]]:
    """Return the number of rows, and name and type of each column, of a table."""
    table = map_table(path)
    return table.num_rows, list_columns(table.schema)


def list_columns(schema: pa.Schema) -> tuple[ColumnDescription, ...]:
    """Return name and type of each column of a table, without those of texts of numbers."""
    return tuple(
        {"name": f.name, "type": _find_column_type(f.type)}
        for f in schema
        if not f.name.startswith(_TEXT)
    )


def _find_column_type(arrow_type: pa.DataType) -> str:
    if arrow_type == _CELL:
        return SPARSE
    if pa.types.is_fixed_size_list(arrow_type):
        return MATRIX
    return str(find_wire_type(arrow_type))


def map_table(path: Path) -> pa.Table:
    """Map a table into memory; nothing is copied."""
    size = compute_table_size(path)  # without the checksum at the end
    with pa.memory_map(str(path)) as source:
        content = pa.BufferReader(source.read_buffer(size))
        with pa.ipc.open_file(content) as reader:
            return reader.read_all()


def _read_column(table: pa.Table, name: str) -> ColumnValues:
    field, column = table.schema.field(name), table.column(name)
    if field.type == _CELL:
        return _read_sparse(name, column, field.metadata)
    if pa.types.is_fixed_size_list(field.type):
        width = field.type.list_size
        return _join([c.flatten().to_numpy().reshape(len(c), width) for c in column.chunks])
    return to_numpy(column)


def _read_sparse(
    name: str, column: pa.ChunkedArray, metadata: Mapping[bytes, bytes]
) -> SparseColumns:
    """Return a group of sparse columns from its Arrow column."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - few files are sparse

    first, width = int(metadata[b"first"]), int(metadata[b"width"])
    parts = [_read_entries(chunk) for chunk in column.chunks]
    sizes = np.cumsum([0, *(len(values) for _, _, values in parts)])
    starts = [part[0][:-1] + size for part, size in zip(parts, sizes[:-1], strict=True)]
    indptr = np.concatenate([*starts, sizes[-1:]])
    indices, values = (_join([part[i] for part in parts]) for i in (1, 2))
    if max(width, int(sizes[-1])) <= _LARGEST_SMALL:
        indptr = indptr.astype(np.int32)
    matrix: Any = csr_array(
        (values, indices - np.int32(first) if first else indices, indptr),
        shape=(len(column), width),
    )
    matrix.has_canonical_format = True
    return SparseColumns(name, matrix, NumberedNames(name, width, first))


def _read_entries(chunk: pa.LargeListArray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the offsets of the rows in this chunk, and the columns and values of its entries."""
    starts = chunk.offsets.to_numpy()
    entries = chunk.values.slice(starts[0], starts[-1] - starts[0])
    indices, values = (entries.field(name).to_numpy() for name in ("index", "value"))
    return starts - starts[0], indices, values


def _join(parts: Sequence[np.ndarray]) -> np.ndarray:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
