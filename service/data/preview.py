"""The first rows of a data set, as JSON."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from service.data.reading import ReadableFile, read_head

LONGEST_TEXT = 200


def preview(file: ReadableFile, rows: int) -> dict[str, Any]:
    """Return the columns with the missing values of the rows shown, and those rows.

    Missing and infinite numbers, which JSON does not have, are null; long text is cut.
    """
    head = read_head(file, rows)
    shown = {name: [_cell(value) for value in column.tolist()] for name, column in head.items()}
    columns = [
        {**column, "missing": _missing(head[str(column["name"])])} for column in file.columns
    ]
    return {"columns": columns, "rows": [list(row) for row in zip(*shown.values(), strict=True)]}


def _cell(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return value[: LONGEST_TEXT - 3] + "..."
    return value


def _missing(column: np.ndarray) -> int:
    if column.dtype.kind == "f":
        return int(np.isnan(column).sum())
    return sum(value is None for value in column.tolist())
