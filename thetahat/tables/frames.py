"""Columns of data frames and series, of whatever package, as arrays.

No such package is imported: a frame is recognised by its columns, a series by its ``__array__``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from thetahat.errors import InvalidParameter

if TYPE_CHECKING:
    from thetahat.tables.columns import RawColumn

FeatureTable: TypeAlias = "np.ndarray | Sequence[Sequence[Any]] | Mapping[str, RawColumn] | Any"
"""(n, p) rows, (n,) columns by name, or a data frame (pandas, polars, pyarrow)."""


def read_table(table: FeatureTable, names: Sequence[str] | None = None) -> Mapping[str, RawColumn]:
    """Return the columns of a table by name.

    Parameters
    ----------
    table : array-like, mapping or data frame
        (n, p) rows, or (n,) columns by name.
    names : sequence of str or None
        (p,) names of the columns of rows; the chosen columns of a mapping or a frame, all if None.

    Raises
    ------
    InvalidParameter
        A table of another form, rows of different length, or a name that is not a column.
    """
    if isinstance(table, np.ndarray) or (isinstance(table, Sequence) and len(table)):
        if np.ndim(table[0]) == 0:
            raise InvalidParameter(
                "The features must be (n, p) rows, and have one dimension only. A single feature "
                "is an array of shape (n, 1), or a mapping with one column.",
                loc=("features",),
            )
        from thetahat.tables.columns import read_columns_of_rows  # noqa: PLC0415 - losses need no table

        return read_columns_of_rows(table, names)
    if isinstance(table, Mapping):
        columns = dict(table)
    else:
        known = getattr(table, "column_names", None) or getattr(table, "columns", None)
        if known is None:
            raise InvalidParameter(
                f"The features must be rows, columns by name or a data frame, and are of type "
                f"{type(table).__name__}.",
                loc=("features",),
            )
        columns = {str(name): table[name] for name in known}
    for name in names or ():
        if name not in columns:
            raise InvalidParameter(
                f"There is no column {name!r} among the features: {', '.join(columns)}.",
                loc=("features",),
                value=name,
            )
    return {name: read_series(columns[name]) for name in (columns if names is None else names)}


def read_series(values: RawColumn | Any) -> RawColumn:
    """Return a series as an array, of objects with None for what is missing unless it is numeric.

    Arrays and sequences are returned as they are.
    """
    if isinstance(values, np.ndarray) or not hasattr(values, "__array__"):
        return values
    array = np.asarray(values)
    if array.dtype.kind == "f" and array.ndim == 1 and np.isnan(array).any():
        return _restore_whole_numbers(values, array)
    if array.dtype.kind != "O" or array.ndim != 1:
        return array
    return [None if _is_missing(value) else value for value in array.tolist()]


def _restore_whole_numbers(values: Any, array: np.ndarray) -> RawColumn:
    """Return whole numbers of a series as its package makes them (polars, pyarrow), or the array.

    Those packages turn whole numbers into floating-point ones where a value is missing, so that
    large ids become one.
    """
    make_list = getattr(values, "to_pylist", None) or getattr(values, "to_list", None)
    entries = [] if make_list is None else make_list()
    first = next((entry for entry in entries if entry is not None), None)
    return entries if isinstance(first, int) else array


def _is_missing(value: object) -> bool:
    """Return whether a value is None, NaN, or what pandas writes for a missing value."""
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or type(value).__name__ in {"NAType", "NaTType"}
