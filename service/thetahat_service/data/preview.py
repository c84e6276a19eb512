"""The first rows of a data set, as JSON."""

from __future__ import annotations

import math

import numpy as np

from thetahat.tables.sparse import SparseColumns
from thetahat.values.json_values import JsonValue
from thetahat_service.data.base import ColumnValues
from thetahat_service.data.reading import ReadableFile, read_head
from thetahat_service.json_types import FilePreview, PreviewedColumn

LONGEST_TEXT = 200
MAX_CELLS = 200_000  # shown of a wide data set, which then has fewer rows in its preview
MOST_ENTRIES = 20  # values shown of a row of a sparse group or a matrix
_PYTHON_TYPES: dict[str, type] = {"integer": int, "boolean": bool}


def preview(file: ReadableFile, rows: int) -> FilePreview:
    """Return the columns with the missing values of the rows shown, and those rows.

    Missing and infinite numbers, which JSON does not have, are null; long text is cut. A cell of
    a sparse group or of a matrix is an object of its first values by column name.
    """
    rows = max(1, min(rows, MAX_CELLS // len(file.columns)))
    head = read_head(file, rows)
    columns: list[PreviewedColumn] = [
        {**column, "missing": _find_missing(head[column["name"]])} for column in file.columns
    ]
    types = {str(column["name"]): column["type"] for column in file.columns}
    shown = [_format_cells(name, column, types[name]) for name, column in head.items()]
    return {"columns": columns, "rows": [list(row) for row in zip(*shown, strict=True)]}


def _format_cells(name: str, column: ColumnValues, kind: str) -> list[JsonValue]:
    if isinstance(column, SparseColumns):
        return [_format_entries(column, row) for row in range(column.n)]
    if column.ndim == 2:
        first = column[:, :MOST_ENTRIES].tolist()
        return [{f"{name}{j}": _format_cell(v) for j, v in enumerate(row)} for row in first]
    cells = [_format_cell(value) for value in column.tolist()]
    python_type = _PYTHON_TYPES.get(kind)  # with missing values these are read as numbers
    return cells if python_type is None else [None if c is None else python_type(c) for c in cells]


def _format_entries(group: SparseColumns, row: int) -> dict[str, float]:
    start, stop = group.matrix.indptr[row : row + 2]
    entries = slice(start, min(stop, start + MOST_ENTRIES))
    indices, values = group.matrix.indices[entries], group.matrix.data[entries]
    return {group.names[int(i)]: float(v) for i, v in zip(indices, values, strict=True)}


def _format_cell(value: JsonValue) -> JsonValue:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return value[: LONGEST_TEXT - 3] + "..."
    return value


def _find_missing(column: ColumnValues) -> int:
    if isinstance(column, SparseColumns):
        return 0
    if column.ndim == 2:
        return int(np.isnan(column).any(axis=1).sum())
    if column.dtype.kind == "f":
        return int(np.isnan(column).sum())
    return sum(value is None for value in column.tolist())
