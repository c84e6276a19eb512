"""Reading columns of a stored data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from thetahat.tables.sparse import SparseColumns
from thetahat_service.data.base import GROUPS, MATRIX, SPARSE, ColumnValues
from thetahat_service.data.formats import find_format
from thetahat_service.errors import FieldError, InvalidRequest, Unavailable
from thetahat_service.json_types import ColumnDescription

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

    def locate(self) -> Path:
        """Return the path of the file, which is present and, if it is stored, undamaged."""
        ...


@dataclass(frozen=True, slots=True)
class DatasetFileContent:
    """The file of a data set, with the format and columns that its upload detected."""

    media_type: str
    columns: Sequence[ColumnDescription]
    path: Path | None

    def locate(self) -> Path:
        """Return the path of the file; ``Unavailable`` if there is none."""
        return require_file(self.path)


def read_columns(file: ReadableFile, names: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    """Read some columns, or all; none may be a group of sparse columns or a matrix.

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
    columns = {}
    for name, column in read_features(file, names).items():
        if isinstance(column, SparseColumns) or column.ndim == 2:
            group = GROUPS[SPARSE if isinstance(column, SparseColumns) else MATRIX]
            message = f"The column {name!r} is {group}, which can only be features."
            raise InvalidRequest(message, errors=(FieldError(("columns",), message, name),))
        columns[name] = column
    return columns


def read_features(
    file: ReadableFile, names: Sequence[str] | None = None
) -> dict[str, ColumnValues]:
    """Read some columns, or all; like ``read_columns``, but with sparse groups and matrices."""
    all_names = [str(column["name"]) for column in file.columns]
    requested = list(dict.fromkeys(all_names if names is None else names))
    check_columns(all_names, requested)
    return find_format(file.media_type).read_columns(file.locate(), requested)


def read_head(file: ReadableFile, rows: int) -> dict[str, ColumnValues]:
    """Read the first rows of all columns of a file whose checksum the caller has verified."""
    names = [str(column["name"]) for column in file.columns]
    if file.path is None:
        raise Unavailable("The file of the data set is not in the file store.")
    return find_format(file.media_type).read_head(file.path, names, rows)


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
