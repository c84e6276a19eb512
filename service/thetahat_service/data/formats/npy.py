"""NumPy's own file: one array, whose header is checked before anything else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, ClassVar, Final

import numpy as np
import pyarrow as pa

from thetahat_service.data.arrow_columns import to_labels
from thetahat_service.data.base import (
    ColumnValues,
    FileLimits,
    Inspected,
    check_not_empty,
    check_size,
)
from thetahat_service.data.file_kinds import check_kind
from thetahat_service.data.npy_header import LONGEST_HEADER, Header, describe_type, read_header
from thetahat_service.data.npz_columns import MAX_SEPARATE_COLUMNS
from thetahat_service.data.tables import make_number_cells
from thetahat_service.errors import InvalidFile

KINDS = {"f": "number", "i": "integer", "u": "integer", "b": "boolean"}
MAX_ITEM_BYTES = 8
_ABOUT_WIDE_ARRAYS: Final = (
    f" In an NPZ, an array of more than {MAX_SEPARATE_COLUMNS} columns is one column: save it with"
    " the target, as numpy.savez(file, X=X, y=y)."
)


class Npy:
    """One array of numbers or booleans, (n,) or (n, p); its columns are c0, c1, ..."""

    media_type: ClassVar[str] = "application/x-npy"
    title: ClassVar[str] = "NumPy array"
    table_suffix: ClassVar[str] = ""

    def inspect(self, path: Path, limits: FileLimits, table: IO[bytes]) -> Inspected:
        """Check type, shape and size from the header; any bytes that follow are numbers."""
        del table
        check_kind(path, self.media_type)
        header = _read_header(path)
        kind = KINDS.get(header.dtype.kind)
        if kind is None or header.dtype.itemsize > MAX_ITEM_BYTES:
            raise InvalidFile(
                f"The array {describe_type(header.dtype)}. Save numbers of up to 64 bits, or "
                "booleans."
            )
        if len(header.shape) not in {1, 2}:
            raise InvalidFile(
                f"The array has {len(header.shape)} dimensions, {header.shape}. It must have 1 or "
                "2."
            )
        rows, width = (*header.shape, 1)[:2]
        check_size(rows, width, limits, advice=_ABOUT_WIDE_ARRAYS)
        check_not_empty(rows)
        actual = path.stat().st_size
        if actual != header.n_bytes:
            raise InvalidFile(
                f"The file has {actual} bytes, and an array of shape {header.shape} and type "
                f"{header.dtype.name} needs {header.n_bytes}. The file may be cut off."
            )
        return Inspected(
            rows,
            tuple({"name": f"c{j}", "type": kind} for j in range(width)),
            {"dtype": header.dtype.name, "shape": list(header.shape)},
        )

    def read_columns(
        self, path: Path, names: Sequence[str], rows: int | None = None
    ) -> dict[str, ColumnValues]:
        """Map the file; a column that already is float64 and contiguous is not copied."""
        array = _map_array(path)[:rows]
        return {name: _select_column(array, int(name[1:])) for name in names}

    def read_labels(self, path: Path, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Map the file; labels keep the type by which rounded numbers are known."""
        array = _map_array(path)
        if array.dtype.kind in "ib":
            return {name: _select_column(array, int(name[1:])) for name in names}
        columns = array if array.ndim == 2 else array[:, np.newaxis]
        cells = {name: make_number_cells(columns[:, int(name[1:])]) for name in names}
        return {name: to_labels(pa.chunked_array([column])) for name, column in cells.items()}


def _read_header(path: Path) -> Header:
    with path.open("rb") as file:
        return read_header(file.read(LONGEST_HEADER))


def _map_array(path: Path) -> np.ndarray:
    header = _read_header(path)
    return np.memmap(
        path,
        header.dtype,
        mode="r",
        offset=header.offset,
        shape=header.shape,
        order="F" if header.fortran_order else "C",
    )


def _select_column(array: np.ndarray, number: int) -> np.ndarray:
    """Return one column as contiguous values of a type that the service knows."""
    column = array if array.ndim == 1 else array[:, number]
    kind = KINDS[array.dtype.kind]
    if kind == "boolean":
        truth: np.ndarray = column.view(np.uint8) != 0  # every byte except 0 counts as true
        return truth
    if kind == "integer" and array.dtype != np.uint64:
        return np.ascontiguousarray(column, dtype=np.int64)
    return np.ascontiguousarray(column, dtype=np.float64)


METHOD = Npy()
