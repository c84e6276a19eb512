"""Columns of data frames and series, of whatever package, as arrays.

No such package is imported: a frame is recognised by its columns, a series by its ``__array__``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from thetahat.common_names import MISSING_TYPES
from thetahat.errors import InvalidParameter

if TYPE_CHECKING:
    from thetahat.tables.columns import RawColumn

_FRACTIONS: Final = frozenset({"halffloat", "float", "double"})
"""Types of pyarrow that have no whole numbers."""
_WITHOUT_NUMPY: Final = frozenset({"Int128", "UInt128"})
"""Types of polars that NumPy does not have."""

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
    table = fill_masked(table)
    if isinstance(table, np.ndarray) or (isinstance(table, Sequence) and len(table)):
        if np.ndim(table[0]) == 0:
            raise InvalidParameter(
                "The features must be (n, p) rows, and have one dimension only. A single feature "
                "is an array of shape (n, 1), or a mapping with one column.",
                loc=("features",),
            )
        from thetahat.tables.columns import read_columns_of_rows  # noqa: PLC0415 - losses need no table

        return read_columns_of_rows(table, names)
    columns = list_columns(table, "features")
    for name in names or ():
        if name not in columns:
            raise InvalidParameter(
                f"There is no column {name!r} among the features: {', '.join(columns)}.",
                loc=("features",),
                value=name,
            )
    return {name: read_series(columns[name]) for name in (columns if names is None else names)}


def list_columns(table: Any, noun: str) -> dict[str, Any]:
    """Return the columns of a mapping or a data frame by name, as they are.

    Raises ``InvalidParameter``, with ``noun`` for what the table has, for anything else.
    """
    if isinstance(table, Mapping):
        return dict(table)
    if hasattr(table, "collect"):
        raise InvalidParameter(
            f"The {noun} are a plan of a table that is not computed yet, of type "
            f"{type(table).__name__}. Give what its method collect() returns.",
            loc=(noun,),
        )
    known = getattr(table, "column_names", None) or getattr(table, "columns", None)
    if known is None or isinstance(table, np.ndarray):
        rows = "rows, " if noun == "features" else ""
        raise InvalidParameter(
            f"The {noun} must be {rows}columns by name or a data frame, and are of type "
            f"{type(table).__name__}.",
            loc=(noun,),
        )
    counts = Counter(map(str, known))
    repeated = next((name for name, n in counts.items() if n > 1), None)
    if repeated is not None:
        raise InvalidParameter(
            f"The {noun} have {counts[repeated]} columns of the name {repeated!r}. Give each its "
            "own name.",
            loc=(noun, repeated),
        )
    return {str(name): table[name] for name in known}


def fill_masked(values: Any) -> Any:
    """Return a masked array as a plain one, with NaN or None where it is masked; others as is."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if not np.ma.is_masked(values):
        return values.data
    missing: Any = np.nan if values.dtype.kind == "f" else None
    return np.where(np.ma.getmaskarray(values), missing, values.data)


def check_same_order(columns: Mapping[str, Any]) -> None:
    """Refuse series and frames of pandas whose indexes name other rows, or the same in other order.

    Rows are paired by their place, as scikit-learn does. An index is none of those here unless it
    names each row once; other columns than the first are compared with it. One that numbers the
    rows, as pandas makes it, is compared only with its own rows in another order.
    """
    indexes = {
        name: column.index
        for name, column in columns.items()
        if hasattr(getattr(column, "index", None), "is_unique")
    }
    first = next(iter(indexes), None)
    if first is None or not indexes[first].is_unique:
        return
    for name, index in indexes.items():
        if index.equals(indexes[first]) or not index.is_unique:
            continue
        n_shared = int(index.isin(indexes[first]).sum())
        is_same = n_shared == len(index) == len(indexes[first])
        if is_same:
            raise InvalidParameter(
                f"The indexes of {first!r} and {name!r} name the same rows in another order, and "
                f"rows are paired by their place. Align them ({name}.loc[{first}.index]), or send "
                "arrays if the places are right.",
                loc=(name,),
            )
        if n_shared and not (_numbers_rows(index) or _numbers_rows(indexes[first])):
            raise InvalidParameter(
                f"The indexes of {first!r} and {name!r} name {n_shared} rows alike and others not, "
                "as where different rows were removed, and rows are paired by their place. Keep "
                "the rows of both, or send arrays if the places are right.",
                loc=(name,),
            )


def _numbers_rows(index: Any) -> bool:
    """Return whether an index is 0, 1, 2 and so on, as pandas makes one that says nothing."""
    values = np.asarray(index)
    return values.dtype.kind in "iu" and bool((values == np.arange(len(values))).all())


def read_series(values: RawColumn | Any) -> RawColumn:
    """Return a series as an array, of objects with None for what is missing unless it is numeric.

    Arrays and sequences are returned as they are.
    """
    filled: RawColumn = fill_masked(values)
    if isinstance(filled, np.ndarray) or not hasattr(filled, "__array__"):
        return filled
    series: Any = values
    if hasattr(series, "to_pylist"):
        # As an array, nulls of a dictionary are its last value, and one of views is none.
        kind = str(series.type)
        if kind.startswith("dictionary") or (series.null_count and kind not in _FRACTIONS):
            return list(series.to_pylist())
    if str(getattr(series, "dtype", "")) in _WITHOUT_NUMPY:
        return list(series.to_list())
    array = np.asarray(series)
    if array.dtype.kind == "f" and array.ndim == 1 and np.isnan(array).any():
        return _restore_whole_numbers(values, array)
    if array.dtype.kind != "O" or array.ndim != 1:
        return array
    return [None if _is_missing(value) else value for value in array.tolist()]


def _restore_whole_numbers(values: Any, array: np.ndarray) -> RawColumn:
    """Return whole numbers of a series as its package makes them (pandas, polars), or the array.

    Those packages turn whole numbers into floating-point ones where a value is missing, so that
    large ids become one.
    """
    entries = values.to_list() if hasattr(values, "to_list") else []
    first = next((entry for entry in entries if not _is_missing(entry)), None)
    if not isinstance(first, int):
        return array
    return [None if _is_missing(entry) else entry for entry in entries]


def _is_missing(value: object) -> bool:
    """Return whether a value is None, NaN, or what pandas writes for a missing value."""
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or type(value).__name__ in MISSING_TYPES
