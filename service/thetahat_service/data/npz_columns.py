"""The arrays of an NPZ file as a table: the choice of columns, and the rows as Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pyarrow as pa

from thetahat_service.data.arrow_columns import SMALL_FLOATS
from thetahat_service.data.base import FileLimits, check_names, check_not_empty, check_size
from thetahat_service.data.sparse_rows import SparseRows, check_entries, normalise
from thetahat_service.data.tables import (
    build_matrix_type,
    build_sparse_field,
    make_matrix_cells,
    make_number_cells,
    make_sparse_cells,
)
from thetahat_service.errors import InvalidFile, TooLarge

Arrays = Mapping[str, np.ndarray]

CSR: Final = ("data", "indices", "indptr", "shape")
"""The arrays that scipy.sparse.save_npz writes."""
MATRIX: Final = "X"
"""The name of the compressed matrix; its columns are X0, X1, ..."""
WIDEST: Final = 20_000_000
"""Most columns of a sparse matrix: a learner keeps at least one number for each."""
MAX_SEPARATE_COLUMNS: Final = 50_000
"""Most columns of an array that become columns of the data set; a wider array is one column. It is
not a setting: a data set must have the same columns whenever its file is converted again."""
MAX_MATRIX_COLUMNS: Final = 1_000_000
"""Most columns of such an array: each column has a name in the memory of a worker."""
BATCH_CELLS: Final = 4_000_000

_ABOUT_THE_MATRIX: Final = {*CSR, "format", "_is_array"}
_OF_ANY_FORMAT: Final = {"data", "shape", "format"}
_NOT_CSR: Final = "The sparse matrix is not in CSR format. Save matrix.tocsr()."
_INTEGER: Final = "iu"


@dataclass(slots=True, eq=False)
class TableArrays:
    """The arrays of an archive as a table."""

    rows: int
    """n."""
    plain: dict[str, np.ndarray] = field(default_factory=dict)
    """(n,) or (n, p) by name. One of more than ``MAX_SEPARATE_COLUMNS`` columns is one column."""
    width: int | None = None
    """Columns of the compressed matrix, if there is one."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Arrays that are not columns, with the reason."""

    @property
    def names(self) -> list[str]:
        """Column names: an array ``X`` of two dimensions has columns ``X0``, ``X1``, ..."""
        names: list[str] = []
        for name, array in self.plain.items():
            is_column = array.ndim == 1 or is_matrix(array)
            names += [name] if is_column else [f"{name}{j}" for j in range(array.shape[1])]
        return names

    @property
    def matrices(self) -> dict[str, int]:
        """The number of columns of each array that is one column."""
        return {name: array.shape[1] for name, array in self.plain.items() if is_matrix(array)}


def is_matrix(array: np.ndarray) -> bool:
    """Return whether an array is one column of the data set, of type ``matrix``."""
    return array.ndim == 2 and array.shape[1] > MAX_SEPARATE_COLUMNS


def find_columns(arrays: Arrays, limits: FileLimits) -> TableArrays:
    """Return the arrays that are columns; refuse a table that is empty or too large."""
    is_sparse = set(CSR) <= set(arrays)
    if not is_sparse and set(arrays) >= _OF_ANY_FORMAT:
        raise InvalidFile(_NOT_CSR)
    other_arrays = {n: a for n, a in arrays.items() if not (is_sparse and n in _ABOUT_THE_MATRIX)}
    table_arrays = _check_matrix(arrays) if is_sparse else TableArrays(_count_rows(other_arrays))
    for name, array in other_arrays.items():
        if array.ndim in {1, 2} and array.shape[0] == table_arrays.rows and array.shape[-1] > 0:
            table_arrays.plain[name] = array
        else:
            table_arrays.left_out[name] = (
                f"Its shape is {array.shape}, and the table has {table_arrays.rows} rows."
            )
    check_not_empty(table_arrays.rows)
    names, matrices = table_arrays.names, table_arrays.matrices
    check_size(
        table_arrays.rows,
        len(names) - len(matrices) + is_sparse,
        limits,
        matrix_columns=sum(matrices.values()),
    )
    check_names([MATRIX, *names] if is_sparse else names)
    for name, width in matrices.items():
        _check_dense_matrix(name, width, other_arrays[name].dtype, names)
    stored = len(arrays["data"]) if is_sparse else 0
    if stored > limits.cells:
        raise TooLarge(
            f"The matrix stores {stored} values, more than the limit of {limits.cells} for a data "
            "set."
        )
    return table_arrays


def build_schema(table_arrays: TableArrays) -> pa.Schema:
    """Return the schema of the table."""
    fields = (
        [] if table_arrays.width is None else [build_sparse_field(MATRIX, table_arrays.width, 0)]
    )
    kinds: list[pa.DataType] = []
    for array in table_arrays.plain.values():
        if is_matrix(array):
            kinds.append(build_matrix_type(array.shape[1]))
        else:
            kinds += [_find_arrow_type(array)] * array[:1].size
    return pa.schema([*fields, *map(pa.field, table_arrays.names, kinds)])


def iterate_batches(
    arrays: Arrays, table_arrays: TableArrays, schema: pa.Schema
) -> Iterator[tuple[pa.RecordBatch, int, int]]:
    """Yield the rows in batches, with the number of stored and of repeated values in each."""
    stored = len(arrays["data"]) if table_arrays.width is not None else 0
    width = len(schema) + sum(table_arrays.matrices.values())
    step = max(1, BATCH_CELLS // max(1, width + stored // table_arrays.rows))
    for start in range(0, table_arrays.rows, step):
        stop = min(start + step, table_arrays.rows)
        cells = [
            column
            for name, array in table_arrays.plain.items()
            for column in _make_columns(name, array[start:stop], start)
        ]
        n_entries = n_repeated = 0
        if table_arrays.width is not None:
            rows, n_repeated = normalise(_read_sparse_rows(arrays, start, stop, table_arrays.width))
            n_entries = rows.n_entries
            cells.insert(0, make_sparse_cells(rows))
        yield pa.RecordBatch.from_arrays(cells, schema=schema), n_entries, n_repeated


def _count_rows(arrays: Arrays) -> int:
    """Return the rows of the first matrix, or else of the first column."""
    for n_dimensions in (2, 1):
        for array in arrays.values():
            if array.ndim == n_dimensions:
                return int(array.shape[0])
    raise InvalidFile("The archive has no array of one or two dimensions.")


def _check_matrix(arrays: Arrays) -> TableArrays:
    """Check that the arrays of a compressed matrix fit together; its entries are checked later."""
    matrix_format = arrays.get("format")
    if matrix_format is not None and (
        matrix_format.ndim or str(np.char.decode(matrix_format.astype("S"))) != "csr"
    ):
        raise InvalidFile(_NOT_CSR)
    shape, indptr = arrays["shape"], arrays["indptr"]
    if shape.shape != (2,) or shape.dtype.kind not in _INTEGER or min(shape) < 0:
        raise InvalidFile(f"The array 'shape' must have two numbers, not {shape.tolist()!s:.80}.")
    rows, width = int(shape[0]), int(shape[1])
    for name in ("indptr", "indices"):
        if arrays[name].ndim != 1 or arrays[name].dtype.kind not in _INTEGER:
            raise InvalidFile(f"The array {name!r} must be a list of whole numbers.")
    data = arrays["data"]
    if data.ndim != 1 or data.dtype.kind not in "fiub" or len(data) != len(arrays["indices"]):
        raise InvalidFile(
            f"The array 'data' has shape {data.shape} and type {data.dtype.name}; it must have one "
            f"number for each of the {len(arrays['indices'])} indices."
        )
    if width > WIDEST or rows >= len(data) + WIDEST:
        raise TooLarge(
            f"The matrix has {rows} rows and {width} columns. More than {WIDEST} columns or empty "
            "rows are not supported."
        )
    if len(indptr) != rows + 1 or indptr[0] != 0 or indptr[-1] != len(data):
        raise InvalidFile(
            f"The array 'indptr' must have {rows + 1} numbers from 0 to {len(data)} for the shape "
            f"{(rows, width)}; it has {len(indptr)}."
        )
    falling = indptr[1:] < indptr[:-1]
    if falling.any():
        raise InvalidFile(f"The array 'indptr' decreases after row {int(np.argmax(falling))}.")
    if width == 0:
        raise InvalidFile("The matrix has no columns.")
    return TableArrays(rows, width=width)


def _check_dense_matrix(name: str, width: int, dtype: np.dtype, names: Sequence[str]) -> None:
    """Check an array that becomes one column; its own columns have names in results."""
    if dtype.kind in "US":
        raise InvalidFile(
            f"The array {name!r} has {width} columns of text. At most {MAX_SEPARATE_COLUMNS} are "
            "supported."
        )
    if width > MAX_MATRIX_COLUMNS:
        raise TooLarge(
            f"The array {name!r} has {width} columns, more than the limit of {MAX_MATRIX_COLUMNS}. "
            "If most of its values are 0, save it with scipy.sparse.save_npz."
        )
    for other in names:
        number = other.removeprefix(name)
        if number != other and number.isdecimal() and int(number) < width:
            raise InvalidFile(
                f"The column {number} of the array {name!r} is called {other!r}, and there is an "
                "array of that name. Rename one of the two."
            )


def _read_sparse_rows(arrays: Arrays, start: int, stop: int, width: int) -> SparseRows:
    """Return some rows of a compressed matrix; their entries are checked."""
    starts = np.asarray(arrays["indptr"][start : stop + 1]).astype(np.int64)
    entries = slice(int(starts[0]), int(starts[-1]))
    rows = SparseRows(
        starts - starts[0],
        np.asarray(arrays["indices"][entries]),
        np.asarray(arrays["data"][entries]).astype(np.float64),
    )
    check_entries(rows, start, width)
    return rows


def _find_arrow_type(array: np.ndarray) -> pa.DataType:
    kind = array.dtype.kind
    if kind == "b":
        return pa.bool_()
    if kind in _INTEGER:
        return pa.uint64() if array.dtype == np.uint64 else pa.int64()
    if array.ndim == 1 and array.dtype in SMALL_FLOATS.values():  # as labels they may be rounded
        return pa.from_numpy_dtype(array.dtype)
    return pa.string() if kind in "US" else pa.float64()


def _make_columns(name: str, rows: np.ndarray, first_row: int) -> Iterator[pa.Array]:
    """Yield the Arrow columns of some rows of an array."""
    if is_matrix(rows):
        yield make_matrix_cells(rows)
        return
    if rows.ndim == 2 and rows.dtype.kind == "f":
        rows = rows.astype(np.float64, copy=False)
    for column in np.atleast_2d(np.ascontiguousarray(rows.T)):
        yield _make_cells(name, column, first_row)


def _make_cells(name: str, values: np.ndarray, first_row: int) -> pa.Array:
    """Return (n,) contiguous values as Arrow cells."""
    kind = values.dtype.kind
    if kind == "b":
        truth = values.view(np.uint8) != 0  # every byte except 0 counts as true
        bits = pa.py_buffer(np.packbits(truth, bitorder="little"))
        return pa.Array.from_buffers(pa.bool_(), len(truth), [None, bits], null_count=0)
    if kind == "f":
        return make_number_cells(values)
    if kind in _INTEGER:
        return make_number_cells(
            values.astype(np.uint64 if values.dtype == np.uint64 else np.int64)
        )
    texts = [_check_text(name, value, first_row + i) for i, value in enumerate(values.tolist())]
    return pa.array(texts, pa.string())


def _check_text(name: str, value: str | bytes, row: int) -> str:
    try:
        text = value.decode() if isinstance(value, bytes) else value
        text.encode()
    except UnicodeError:
        raise InvalidFile(f"The array {name!r} has text in row {row} that is not UTF-8.") from None
    return text
