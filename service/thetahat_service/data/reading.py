"""Reading columns of a stored data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np

from thetahat.tables.sparse import SparseColumns
from thetahat_service.data.base import GROUPS, WRITTEN, ColumnValues
from thetahat_service.data.formats import find_format
from thetahat_service.errors import FieldError, InvalidRequest, Unavailable
from thetahat_service.json_types import ColumnDescription, JsonObject

_NUMBERS: Final = ("integer", "number")
LISTED = 20  # how many columns a refusal lists


class ReadableFile(Protocol):
    """The properties of a data set that reading it needs."""

    @property
    def media_type(self) -> str:
        """The canonical media type."""
        ...

    @property
    def columns(self) -> Sequence[ColumnDescription]:
        """``{"name", "type"}`` of each column."""
        ...

    @property
    def path(self) -> Path | None:
        """The path of the file."""
        ...

    @property
    def details(self) -> JsonObject:
        """The properties that its upload found."""
        ...

    def locate(self) -> Path:
        """Return the path of the file, which is present and, if it is stored, undamaged."""
        ...


@dataclass(frozen=True, slots=True)
class DatasetFileContent:
    """The file of a data set, with the format and columns that its upload detected."""

    media_type: str
    columns: Sequence[ColumnDescription]
    path: Path | None
    details: JsonObject = field(default_factory=dict)

    def locate(self) -> Path:
        """Return the path of the file; ``Unavailable`` if there is none."""
        return require_file(self.path)


def read_columns(file: ReadableFile, names: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    """Read some columns, or all, for roles that need numbers where a column has them.

    None may be a group of sparse columns or a matrix. Numbers that are written as text are numbers
    here; as labels and as features they are the text of the file.

    Returns
    -------
    dict of ndarray
        By name, in the order of ``names``: (n,) float64 for numbers, with NaN where a value is
        missing; int64 for integers and bool for booleans that are complete (float64 if not);
        objects, str or None, for text. Arrays may be maps of the file and must not be written to.

    Raises
    ------
    InvalidRequest
        A name that is not a column, or is a group of sparse columns or a matrix.
    """
    types = {str(column["name"]): column["type"] for column in file.columns}
    columns = _read_stored(file, names)
    _refuse_groups(types, [*columns])
    plain = {name: c for name, c in columns.items() if not isinstance(c, SparseColumns)}
    written = {name: form for name, form in _find_written(file).items() if name in plain}
    if written:
        from thetahat_service.data.written_numbers import parse_written  # noqa: PLC0415 - seldom needed

        plain |= {name: parse_written(plain[name], form) for name, form in written.items()}
    return plain


def find_types(file: ReadableFile) -> dict[str, str]:
    """Return the type of each column, as ``read_columns`` reads it, by name."""
    types = {str(column["name"]): str(column["type"]) for column in file.columns}
    return types | {name: form["type"] for name, form in _find_written(file).items()}


def _find_written(file: ReadableFile) -> Mapping[str, Any]:
    """Return how the numbers of columns of text are written, by name."""
    forms: Mapping[str, Any] | Any = file.details.get(WRITTEN)
    return forms if isinstance(forms, Mapping) else {}


def read_labels(
    file: ReadableFile, names: Sequence[str], *, are_compared: bool = False
) -> dict[str, np.ndarray]:
    """Read some columns as labels, which stay different where the file has different values.

    Parameters
    ----------
    are_compared : bool
        Whether the labels of the columns are compared with each other, as classes with predicted
        classes: if those of one column are the texts of whole numbers (01), so are those of the
        others.

    Returns
    -------
    dict of ndarray
        By name, (n,): int64 for whole numbers, bool, or objects (int, bool or str, None where a
        value is missing). Only numbers with fractions and those of floating-point columns are
        float64.
    """
    types = {str(column["name"]): column["type"] for column in file.columns}
    requested = list(dict.fromkeys(names))
    check_columns(list(types), requested)
    _refuse_groups(types, requested)
    labels = find_format(file.media_type).read_labels(file.locate(), requested)
    if are_compared and any(map(_are_written_numbers, labels.values())):
        numbers = [name for name in requested if types[name] in _NUMBERS]
        labels |= {name: _write_whole_numbers(labels[name]) for name in numbers}
    return labels


def _are_written_numbers(labels: np.ndarray) -> bool:
    """Return whether labels are whole numbers, and some of them texts."""
    if labels.dtype.kind != "O":
        return False
    has_texts = False
    for label in labels:
        if isinstance(label, str):
            has_texts = True
            if not label.strip().lstrip("+-").isdigit():
                return False
    return has_texts


def _write_whole_numbers(labels: np.ndarray) -> np.ndarray:
    """Return labels with whole numbers as their text."""
    if labels.dtype.kind == "f":
        return labels
    written = (str(v) if isinstance(v, int) else v for v in labels.tolist())
    return np.fromiter(written, dtype=object, count=len(labels))


def _refuse_groups(types: Mapping[str, str], names: Sequence[str]) -> None:
    """Refuse a column that is a group of sparse columns or a matrix."""
    for name in names:
        if types[name] in GROUPS:
            message = f"The column {name!r} is {GROUPS[types[name]]}, which can only be features."
            raise InvalidRequest(message, errors=(FieldError(("columns",), message, name),))


def read_features(
    file: ReadableFile, names: Sequence[str] | None = None
) -> dict[str, ColumnValues]:
    """Read some columns, or all; like ``read_columns``, but with sparse groups and matrices.

    NA and NaN in a text table are missing in a feature, which has no labels.
    """
    columns = _read_stored(file, names)
    marks = file.details.get("missing")
    if isinstance(marks, Sequence):
        for name, column in columns.items():
            if not isinstance(column, SparseColumns) and column.dtype.kind == "O":
                kept = (None if value in marks else value for value in column.tolist())
                columns[name] = np.fromiter(kept, dtype=object, count=len(column))
    return columns


def _read_stored(file: ReadableFile, names: Sequence[str] | None = None) -> dict[str, ColumnValues]:
    all_names = [str(column["name"]) for column in file.columns]
    requested = list(dict.fromkeys(all_names if names is None else names))
    check_columns(all_names, requested)
    return find_format(file.media_type).read_columns(file.locate(), requested)


def read_head(file: ReadableFile, rows: int) -> dict[str, ColumnValues]:
    """Read the first rows of all columns of a file whose checksum the caller has verified."""
    names = [str(column["name"]) for column in file.columns]
    if file.path is None:
        raise Unavailable("The file of the data set is not in the file store.")
    return find_format(file.media_type).read_columns(file.path, names, rows)


def check_columns(all_names: Sequence[str], requested: Sequence[str]) -> None:
    """Refuse names that are not columns."""
    existing = set(all_names)
    unknown = [name for name in requested if name not in existing]
    if unknown:
        listed = ", ".join(all_names[:LISTED])
        suffix = f" and {len(all_names) - LISTED} more" if len(all_names) > LISTED else ""
        faults = tuple(
            FieldError(
                ("columns",),
                f"There is no column {name!r}. The columns are {listed}{suffix}.",
                name,
            )
            for name in unknown
        )
        raise InvalidRequest(faults[0].message, errors=faults)


def require_file(path: Path | None) -> Path:
    """Return the path of a file that exists; ``Unavailable`` if it does not."""
    if path is None or not path.is_file():
        raise Unavailable("The file of the data set is not in the file store.")
    return path
