"""Cautions about features that are row numbers, rows of totals, and codes of missing values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thetahat.cautions import MISSING_CODE, ROW_NUMBERS, TOTAL_ROW, Caution
from thetahat.tables.column_profiles import profile_raw_column
from thetahat.tables.data import REGRESSION, Data
from thetahat.tables.missing_codes import find_missing_code
from thetahat.tables.totals import find_computed_total, find_named_total
from thetahat.values.types import FloatArray, IntArray
from thetahat_service.kinds.fields.learners import FitsRequest

FEWEST_ROWS = 3
"""Fewest rows in which numbers that increase by one are taken for row numbers."""

MOST_FEATURES = 50
"""Features of a wide table in which totals are looked for, the first ones."""


def find_data_doubts(request: FitsRequest, data: Data) -> Iterator[Caution]:
    """Yield the cautions about row numbers among the features, and about a row of totals."""
    yield from _find_row_numbers(request, data)
    yield from _find_total_row(data)
    yield from _find_missing_codes(data)


def _find_missing_codes(data: Data) -> Iterator[Caution]:
    """Yield a caution if numbers such as -999 stand among others in the target or a feature."""
    columns = dict(zip(data.features.names, data.features.columns[:MOST_FEATURES], strict=False))
    columns = {name: column for name, column in columns.items() if column.dtype.kind == "f"}
    if data.task == REGRESSION:
        columns = {"the target": data.y, **columns}
    found = find_missing_code(columns)
    if found is not None:
        (row,) = data.row_numbers(np.array([found.row]))
        yield MISSING_CODE(
            name=found.name,
            row=int(row),
            code=found.code,
            n=found.n,
            low=found.low,
            high=found.high,
        )


def _find_total_row(data: Data) -> Iterator[Caution]:
    """Yield a caution if a row sums up others, by a text in it or by the numbers of its columns.

    Classes have no sums, and features alone may have their means in one row by design.
    """
    features = dict(zip(data.features.names, data.features.columns[:MOST_FEATURES], strict=False))
    labels = {"source": data.source, "cluster": data.cluster}
    texts = {**features, **{name: c for name, c in labels.items() if c is not None}}
    found = find_named_total(
        profile_raw_column(name, column) for name, column in texts.items() if column.dtype == object
    )
    if found is None and data.task == REGRESSION:
        numbers = [column for column in features.values() if column.dtype.kind == "f"]
        found = find_computed_total([data.y, *numbers])
    if found is not None:
        (row,) = data.row_numbers(np.array([found.row]))
        yield TOTAL_ROW(row=int(row), reason=found.reason)


def _find_row_numbers(request: FitsRequest, data: Data) -> Iterator[Caution]:
    """Yield a caution for each feature that is a row number, if the request names no features.

    pandas and R write row numbers as the first column. In rows ordered by class or source, such a
    column reveals the class or the source.
    """
    if request.columns is None or request.columns.features is not None:
        return
    steps = np.diff(data.row_numbers(np.arange(data.n)))
    for name, column in zip(data.features.names, data.features.columns, strict=True):
        if column.dtype.kind == "f" and _is_row_number(column, steps):
            yield ROW_NUMBERS(name=name)


def _is_row_number(column: FloatArray, steps: IntArray) -> bool:
    """Return whether the values are whole numbers that increase by one from row to row.

    ``column`` are the (n,) values, and ``steps`` the (n - 1,) increases of the number of the row:
    1, or more after a row that was left out.
    """
    if len(column) < FEWEST_ROWS or column[1] - column[0] != steps[0]:
        return False
    return bool((np.diff(column) == steps).all() and column[0] == np.round(column[0]))
