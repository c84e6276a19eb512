"""Parsing raw columns of a file or a request into arrays.

Rows are counted from 0, in messages and in ``loc``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import starmap
from typing import Any, Final, NoReturn

import numpy as np

from thetahat.common_names import MISSING_TYPES
from thetahat.errors import InvalidParameter, Loc
from thetahat.tables.instants import parse_times
from thetahat.values.json_values import LARGEST_EXACT
from thetahat.values.types import FloatArray, IntArray, Label

RawColumn = Sequence[Any] | np.ndarray
"""(n,) values: a list of plain Python values with None where one is missing, or an array."""

_TEXTS: Final = frozenset("UT")
"""The kinds of arrays of text in NumPy, of one length and of any."""
_NUMBERS = frozenset({bool, int, float, Decimal})

MAX_FEATURE: Final = 1e140
"""Sums of squares of larger values exceed double precision: learners fail or are wrong."""

MOST_OTHER_CELLS: Final = 20
"""A column with more cells that are no numbers, and more than a tenth of them, is text."""

MOST_NAMED_CELLS: Final = 5

ABOUT_MARKS: Final = "Write all of them with a decimal point, and without marks between thousands."
"""What to do about a column with numbers of which some have a point and others a comma."""

_MARKED_NUMBER: Final = re.compile(
    r"[+\-\u2212]?[0-9]+(?:[.,][0-9]{3})*?(?:(?P<mark>[.,])[0-9]+)?(?:[eE][+-]?[0-9]+)?"
)

_VALUES_CHECKED_TOGETHER: Final = 65_536
"""Number of values that are copied and checked at a time, so that they stay in the cache."""


class MatrixColumns(Mapping[str, RawColumn]):
    """The columns of a matrix of numbers, by name.

    The values are known to be numbers, so they need not be checked one by one.

    Parameters
    ----------
    matrix : ndarray
        (n, p) numbers.
    names : sequence of str
        (p,) different names.
    is_private : bool
        Whether nobody else holds the matrix, so that a table may be made of it without a copy.
    """

    def __init__(
        self, matrix: np.ndarray, names: Sequence[str], *, is_private: bool = False
    ) -> None:
        self.matrix, self._names, self.is_private = matrix, names, is_private

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self._names)}

    def __getitem__(self, name: str) -> np.ndarray:
        """Return the (n,) values of a column."""
        return np.asarray(self.matrix[:, self._places[name]])

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, in the order of the columns."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self._names)


def read_columns_of_rows(
    rows: Sequence[Sequence[Any]] | np.ndarray, names: Sequence[str] | None = None
) -> Mapping[str, RawColumn]:
    """Return the rows of a table as named columns.

    ``rows`` are (n, p), and ``names`` the (p,) column names; None means ``x0``, ``x1``, ...
    """
    width = len(rows[0]) if len(rows) else 0
    for row, entries in enumerate(rows):
        if len(entries) != width:
            raise InvalidParameter(
                f"Row {row} has {len(entries)} features and row 0 has {width}.",
                loc=("features", row),
                value=len(entries),
            )
    known = [f"x{column}" for column in range(width)] if names is None else list(names)
    if len(known) != width:
        raise InvalidParameter(
            f"The rows have {width} features, but there are {len(known)} names.",
            loc=("features",),
            value=known,
        )
    if isinstance(rows, np.ndarray):
        if _is_numeric(rows) and rows.ndim == 2 and (names is None or len(set(known)) == width):
            return MatrixColumns(rows, known)
        return {name: rows[:, column] for column, name in enumerate(known)}
    return dict(zip(known, map(list, zip(*rows, strict=True)), strict=True))


def parse_features(columns: Mapping[str, RawColumn]) -> dict[str, np.ndarray]:
    """Return each column as float64 (missing values NaN) or as objects (missing values None)."""
    return dict(zip(columns, starmap(_build_feature, columns.items()), strict=True))


def parse_feature_table(columns: Mapping[str, RawColumn]) -> tuple[np.ndarray, ...] | FloatArray:
    """Return the columns as ``parse_features`` does, or as one (p, n) array if all are numbers.

    The array has the values of a column side by side, or those of a row if there are more columns
    than rows: most learners read wide data row by row, and a transposed copy takes longer than
    many a fit.
    """
    if isinstance(columns, MatrixColumns):
        arrays: np.ndarray | list[np.ndarray] = columns.matrix.T
    else:
        arrays = [c for c in columns.values() if isinstance(c, np.ndarray) and _is_numeric(c)]
        lengths = {array.shape for array in arrays}
        if len(arrays) < len(columns) or len(lengths) != 1 or arrays[0].ndim != 1:
            return tuple(parse_features(columns).values())
    p, n = len(arrays), len(arrays[0])
    is_table = isinstance(columns, MatrixColumns) and _is_wide_table(columns)
    table = np.asarray(arrays) if is_table else _allocate_table(n, p)
    step = max(1, _VALUES_CHECKED_TOGETHER // max(1, arrays[0].size))
    for first in range(0, len(arrays), step):
        part = table[first : first + step]
        if not is_table:
            part[:] = arrays[first : first + step]
        if (np.abs(part) > MAX_FEATURE).any():
            return tuple(parse_features(columns).values())  # its exception names column and row
    return table


def _allocate_table(n: int, p: int) -> FloatArray:
    return np.empty((n, p)).T if p > n else np.empty((p, n))


def _is_wide_table(columns: MatrixColumns) -> bool:
    """Return whether the matrix itself is the table that would be made of it."""
    matrix = columns.matrix
    n, p = matrix.shape
    is_ordered = p > n and matrix.flags.c_contiguous and matrix.dtype == np.float64
    return columns.is_private and is_ordered


def _is_numeric(array: np.ndarray) -> bool:
    return array.dtype.kind in "fiub"


def parse_numbers(values: RawColumn, column: str) -> FloatArray:
    """Return (n,) finite floats; raises ``InvalidParameter`` with the first row that is not.

    Numbers may be texts of numbers, too.
    """
    objects = _convert_to_array(values, (column,))
    array = _convert_to_numeric(objects, (column,))
    if array is None:
        from thetahat.tables.written_numbers import parse_texts  # noqa: PLC0415 - seldom needed

        array = parse_texts(objects)
    if array is None:
        raise InvalidParameter(
            f"The {column} column is not numeric.{describe_other_cells(values)}", loc=(column,)
        )
    unfit = ~np.isfinite(array)
    if unfit.any():
        row = int(np.argmax(unfit))
        problem = "has no value" if math.isnan(array[row]) else f"is {array[row]}"
        raise InvalidParameter(
            f"The {column} {problem} in row {row}.", loc=(column, row), value=str(array[row])
        )
    return array


def parse_labels(values: RawColumn, column: str) -> np.ndarray:
    """Return (n,) labels: intp if all are whole numbers, else objects (strings or booleans).

    A label is a string, a whole number, a boolean or a date. No label may be missing, and a column
    has labels of one type. Dates, and whole numbers beyond 64 bits, are their text.
    """
    array = _convert_to_array(values, (column,))
    if array.dtype.kind in "iu":
        return _convert_to_integers(array)
    if array.dtype.kind == "M":
        if np.isnat(array).any():
            _refuse_missing(column, int(np.argmax(np.isnat(array))))
        return np.datetime_as_string(array, unit="auto").astype(object)
    if array.dtype.kind == "b":
        return array.astype(object)
    if array.dtype.kind == "f":
        return _convert_to_whole_numbers(array, column)
    if array.dtype.kind != "O":
        _refuse_type(array.dtype, column)
    return _encode_object_labels(array, column)


def _encode_object_labels(array: np.ndarray, column: str) -> np.ndarray:
    kinds = {type(value) for value in array}
    if any(issubclass(kind, np.generic) for kind in kinds):
        plain = [value.item() if isinstance(value, np.generic) else value for value in array]
        return _encode_object_labels(np.array([*plain, None], dtype=object)[:-1], column)
    if kinds <= {str} or kinds == {bool}:
        return array
    if kinds and all(hasattr(kind, "isoformat") for kind in kinds):
        return np.array([value.isoformat() for value in array], dtype=object)
    if kinds <= {int, Decimal} and all(value == int(value) for value in array):
        return _convert_to_integers(array)
    if kinds <= {int, float}:
        return _convert_to_whole_numbers(np.array([float(value) for value in array]), column)
    for row, value in enumerate(array):
        if value is None or (isinstance(value, float) and math.isnan(value)):
            _refuse_missing(column, row)
    for row, value in enumerate(array):
        if not (isinstance(value, str | bool | int | float) or hasattr(value, "isoformat")):
            raise InvalidParameter(
                f"The {column} in row {row} is not a label. A label is a string, a whole number "
                "or a boolean.",
                loc=(column, row),
                value=repr(value)[:100],
            )
    names = " and ".join(sorted(kind.__name__ for kind in kinds))
    raise InvalidParameter(f"The {column} column mixes {names}.", loc=(column,), value=names)


def parse_class_labels(values: RawColumn, column: str) -> np.ndarray:
    """Return (n,) class labels as ``parse_labels``, but float64 if some are fractions.

    Fractions are accepted for classes only; as a source or a fold they are probably a mistake.
    """
    array = _convert_to_array(values, (column,))
    kinds = {type(value) for value in array} if array.dtype.kind == "O" else set()
    if array.dtype.kind == "f" or (float in kinds and kinds <= _NUMBERS):
        numbers = parse_numbers(array, column)
        if (numbers != np.round(numbers)).any():
            return numbers
    return parse_labels(array, column)


def encode_classes(
    values: RawColumn, column: str, *, fractions: bool = False
) -> tuple[IntArray, tuple[Label, ...]]:
    """Return (n,) codes 0 to C - 1 and the (C,) sorted labels; ``fractions`` allows fractions."""
    labels = (parse_class_labels if fractions else parse_labels)(values, column)
    if labels.dtype.kind in "if":
        present, codes = np.unique(labels, return_inverse=True)
        return codes.astype(np.intp), tuple(present.tolist())
    classes = tuple(sorted(set(labels)))
    code = {label: at for at, label in enumerate(classes)}
    return np.fromiter((code[v] for v in labels), dtype=np.intp, count=len(labels)), classes


def parse_time_column(values: RawColumn, column: str) -> np.ndarray:
    """Return (n,) times that can be sorted: float64, datetime64 or strings of one format."""
    array = _convert_to_array(values, (column,))
    if array.dtype.kind == "M":
        missing = np.isnat(array)
        if missing.any():
            _refuse_missing(column, int(np.argmax(missing)))
        return array
    if array.dtype.kind == "O" and any(isinstance(value, str) for value in array):
        return parse_times(parse_labels(array, column), column)
    return parse_numbers(array, column)


def describe_other_cells(
    values: Sequence[Any] | np.ndarray, number_row: Callable[[int], int] | None = int
) -> str:
    """Return a sentence that names the cells that are no numbers, if the others are; else ''.

    ``number_row`` returns the number that a row has in the data; None if that is not known.
    """
    mixed = find_mixed_marks(values)
    if mixed is not None:
        return f" It {write_mixed_marks(mixed, number_row)}. {ABOUT_MARKS}"
    written = min(_find_first_numbers(values).values(), default=None)
    if written is not None:
        row = "" if number_row is None else f" in row {number_row(written[0])}"
        return (
            f" Its values are numbers that are written as text, such as {str(written[1])!r}{row}. "
            "Write numbers with a decimal point, and without 0 before others; or, if they are "
            "names in a feature, add a step such as one_hot."
        )
    present = [(row, value) for row, value in enumerate(values) if value is not None]
    others = [(row, value) for row, value in present if not _is_number(value)]
    n_numbers = len(present) - len(others)
    if not others or len(others) > max(MOST_OTHER_CELLS, n_numbers / 10) or n_numbers < len(others):
        return _describe_units(others, number_row)
    first = [
        (None if number_row is None else number_row(row), value)
        for row, value in others[:MOST_NAMED_CELLS]
    ]
    return write_other_cells(n_numbers, len(others), first)


def _describe_units(
    cells: Sequence[tuple[int, Any]], number_row: Callable[[int], int] | None
) -> str:
    """Return a sentence on texts of which most are numbers with a unit or a sign; else ''."""
    from thetahat.tables.column_profiles import WITH_UNIT  # noqa: PLC0415 - it imports this module

    found = [(row, cell) for row, cell in cells if WITH_UNIT.fullmatch(str(cell))]
    if 2 * len(found) <= len(cells):
        return ""
    row = "" if number_row is None else f" in row {number_row(found[0][0])}"
    return (
        f" It has {str(found[0][1])!r}{row}, which is no plain number. Write plain numbers, as "
        "1234.5: without a currency, a unit or brackets."
    )


def find_mixed_marks(values: Sequence[Any] | np.ndarray) -> tuple[tuple[int, str], ...] | None:
    """Return the first cell with a decimal point and with a comma; None if not all are numbers.

    Each cell is its row and its text. None is returned for columns with one of both marks, too.
    """
    first = _find_first_numbers(values)
    return (first["."], first[","]) if first.keys() >= {".", ","} else None


def _find_first_numbers(values: Sequence[Any] | np.ndarray) -> dict[str | None, tuple[int, str]]:
    """Return the first cell with each decimal mark, or none, of texts that are all numbers.

    Other columns have no such cells.
    """
    first: dict[str | None, tuple[int, str]] = {}
    for row, value in enumerate(values):
        if value is None:
            continue
        found = _MARKED_NUMBER.fullmatch(value.strip()) if isinstance(value, str) else None
        if found is None:
            return {}
        first.setdefault(found["mark"], (row, value))
    return first


def write_mixed_marks(
    cells: Sequence[tuple[int, str]], number_row: Callable[[int], int] | None = int
) -> str:
    """Return that numbers have points and commas, as the end of a sentence about their column."""
    point, comma = (
        f"{text.strip()[:40]!r}" + ("" if number_row is None else f" in row {number_row(row)}")
        for row, text in cells
    )
    return f"has numbers with a point, such as {point}, and with a comma, such as {comma}"


def write_other_cells(
    n_numbers: int, n_others: int, first: Sequence[tuple[int | None, Any]]
) -> str:
    """Return a sentence that names cells that are no numbers, and their rows if they are known."""
    named = ", ".join(
        f"{str(value)[:40]!r}" + ("" if row is None else f" in row {row}") for row, value in first
    )
    more = "" if n_others == len(first) else f" and {n_others - len(first)} more"
    return (
        f" {n_numbers} of its {n_numbers + n_others} values are numbers; the others are {named}"
        f"{more}. Correct them, or leave them empty."
    )


def _is_number(value: object) -> bool:
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True


def _build_feature(name: str, values: RawColumn) -> np.ndarray:
    loc: Loc = ("features", name)
    array = _convert_to_array(values, loc)
    numeric = _convert_to_numeric(array, loc)
    if numeric is not None:
        too_large = np.abs(numeric) > MAX_FEATURE
        if too_large.any():
            row = int(np.argmax(too_large))
            raise InvalidParameter(
                f"The feature {name!r} is {numeric[row]:g} in row {row}. Features must be finite "
                f"and at most {MAX_FEATURE:g} in size, or their squares exceed double "
                "precision. Divide the feature by a factor.",
                loc=(*loc, row),
                value=str(numeric[row]),
            )
        return numeric
    if array.dtype.kind != "O":
        _refuse_type(array.dtype, f"feature {name!r}", loc)
    kinds = {type(value) for value in array} - {type(None)}
    if kinds - {str}:
        names = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise InvalidParameter(
            f"Column {name!r} contains {names}. A feature must be all numbers or all text.",
            loc=loc,
            value=names,
        )
    return array


def _convert_to_array(values: RawColumn, loc: Loc) -> np.ndarray:
    """Return the values as an (n,) array, of objects if they are plain Python values."""
    if not isinstance(values, np.ndarray):
        return _empty_missing(np.fromiter(values, dtype=object, count=len(values)))
    if values.ndim != 1:
        raise InvalidParameter(
            f"A column must have one dimension; this one has shape {values.shape}.",
            loc=loc,
            value=list(values.shape),
        )
    if values.dtype.kind == "O":
        return _empty_missing(values)
    return values.astype(object) if values.dtype.kind in _TEXTS else values


def _empty_missing(values: np.ndarray) -> np.ndarray:
    """Return objects with None in the place of the missing values of pandas and of decimals."""
    if not any(map(_is_missing, values)):
        return values
    kept = [None if _is_missing(value) else value for value in values]
    return np.fromiter(kept, dtype=object, count=len(kept))


def _is_missing(value: object) -> bool:
    if isinstance(value, Decimal):
        return value.is_nan()
    return type(value).__name__ in MISSING_TYPES


def _convert_to_numeric(array: np.ndarray, loc: Loc) -> FloatArray | None:
    """Return (n,) floats with NaN for missing values, or None if the column is not numeric."""
    if array.dtype.kind in "fiub":
        return array.astype(np.float64)
    if array.dtype.kind != "O" or not {type(v) for v in array} <= _NUMBERS | {type(None)}:
        return None
    try:
        return np.array([math.nan if v is None else v for v in array], dtype=np.float64)
    except OverflowError:
        raise InvalidParameter(
            "The column contains a whole number that is too large.", loc=loc
        ) from None


def _convert_to_integers(array: np.ndarray) -> np.ndarray:
    """Return (n,) whole numbers as intp, or all of them as texts if one is beyond 64 bits."""
    numbers = [int(value) for value in array] if array.dtype.kind in "Ou" else []
    if any(abs(number) > np.iinfo(np.intp).max for number in numbers):
        return np.array(list(map(str, numbers)), dtype=object)
    return array.astype(np.intp)


def _convert_to_whole_numbers(array: FloatArray, column: str) -> IntArray:
    if np.isnan(array).any():
        _refuse_missing(column, int(np.argmax(np.isnan(array))))
    fractional = (array != np.round(array)) | (np.abs(array) > find_largest_exact(array.dtype))
    if fractional.any():
        row = int(np.argmax(fractional))
        raise InvalidParameter(
            f"The {column} is {array[row]} in row {row}. {describe_label(array.dtype)}",
            loc=(column, row),
            value=str(array[row]),
        )
    return array.astype(np.intp)


def find_largest_exact(dtype: np.dtype[Any]) -> int:
    """Return the largest whole number up to which a floating-point type keeps all."""
    return min(LARGEST_EXACT, (1 << int(np.finfo(dtype).nmant) + 1) - 1)


def describe_label(dtype: np.dtype[Any]) -> str:
    """Return how a message ends that refuses a floating-point number as a label."""
    digits = min(53, np.finfo(dtype).nmant + 1)
    return (
        "A label is text, a whole number or a boolean; a floating-point number "
        f"{'of this type ' if digits < 53 else ''}must be below 2^{digits}, or labels that differ "
        "become one."
    )


def _refuse_missing(column: str, row: int) -> NoReturn:
    raise InvalidParameter(f"The {column} has no value in row {row}.", loc=(column, row))


def _refuse_type(dtype: np.dtype[Any], column: str, loc: Loc | None = None) -> NoReturn:
    raise InvalidParameter(
        f"The {column} column has type {dtype}. Use numbers, booleans or strings.",
        loc=(column,) if loc is None else loc,
        value=str(dtype),
    )
