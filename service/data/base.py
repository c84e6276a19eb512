"""The protocol of a file format, and checks that all formats share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, ClassVar, Final, Protocol, runtime_checkable

import numpy as np

from service.errors import InvalidFile, TooLarge
from thetahat.tables.sparse import SparseColumns

SPARSE: Final = "sparse"
"""The type, in the API, of a group of sparse columns."""
ColumnValues = np.ndarray | SparseColumns
"""(n,) values, or (n, p) of them."""
MAX_NAME = 1000  # characters of a column's name


@dataclass(frozen=True, slots=True)
class Inspected:
    """The rows, columns and format details of a checked file.

    Parameters
    ----------
    rows : int
        At least 1.
    columns : tuple of mapping
        ``{"name", "type"}``; type is ``number``, ``integer``, ``boolean`` or ``string``, and
        ``sparse`` for a group of sparse columns.
    details : mapping
        What was found out about the format, as JSON values.
    has_table : bool
        Whether a table was written to the second file.
    """

    rows: int
    columns: tuple[dict[str, str], ...]
    details: Mapping[str, Any] = field(default_factory=dict)
    has_table: bool = False


class Format(Protocol):
    """A file format for tables."""

    media_type: ClassVar[str]
    title: ClassVar[str]
    endings: ClassVar[tuple[str, ...]]

    @property
    def table_suffix(self) -> str:
        """The file name ending of the converted table of a file that is not read in place.

        Empty if the file is read in place. Each format and encoding has its own ending, because
        the same bytes can be read as several formats.
        """
        ...

    def inspect(self, path: Path, max_cells: int, table: IO[bytes]) -> Inspected:
        """Check a whole file in bounded memory; raise ``InvalidFile`` if it is invalid."""
        ...

    def columns(self, path: Path, names: Sequence[str]) -> dict[str, ColumnValues]:
        """Read some columns of an inspected file."""
        ...

    def head(self, path: Path, names: Sequence[str], rows: int) -> dict[str, ColumnValues]:
        """Read the first rows of some columns."""
        ...


@runtime_checkable
class TextFormat(Format, Protocol):
    """A text format that may have several encodings."""

    def in_encoding(self, encoding: str) -> Format:
        """Return the format for texts in that encoding."""
        ...


def check_size(rows: int, columns: int, max_cells: int) -> None:
    """Refuse a table that is empty or has too many cells, before it is decoded."""
    if columns == 0:
        raise InvalidFile("The file has no columns.")
    if rows * columns > max_cells:
        raise TooLarge(
            f"The table has {rows} rows x {columns} columns = {rows * columns} cells; "
            f"a data set may have {max_cells}."
        )


def check_not_empty(rows: int) -> None:
    """Refuse a table without rows."""
    if rows == 0:
        raise InvalidFile("The file has no rows.")


def check_names(names: Sequence[str]) -> None:
    """Refuse column names that are repeated, empty, too long or no valid text."""
    seen: set[str] = set()
    for position, name in enumerate(names):
        if name in seen:
            raise InvalidFile(f"Two columns have the name {name[:80]!r}.")
        if not name or len(name) > MAX_NAME or "\0" in name or not _is_text(name):
            raise InvalidFile(
                f"The name of column {position} must be 1 to {MAX_NAME} characters of text, "
                f"not {name[:80]!r}."
            )
        seen.add(name)


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
