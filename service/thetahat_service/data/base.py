"""The protocol of a file format, and checks that all formats share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, ClassVar, Final, NamedTuple, Protocol, runtime_checkable

import numpy as np

from thetahat.tables.sparse import SparseColumns
from thetahat_service.errors import InvalidFile, TooLarge
from thetahat_service.json_types import ColumnDescription, JsonObject

if TYPE_CHECKING:
    from thetahat_service.settings import Settings

SPARSE: Final = "sparse"
"""The type, in the API, of a group of sparse columns."""
MATRIX: Final = "matrix"
"""The type, in the API, of an (n, p) array that is one column."""
GROUPS: Final = {SPARSE: "a group of sparse columns", MATRIX: "a matrix"}
"""The types of what stands for many columns and can only be features, as messages call them."""
WRITTEN: Final = "numbers_as_text"
"""The detail of a file with the columns of text that are numbers, and how these are written."""
EMPTY_ROWS: Final = "empty_rows_at_end"
"""The detail of a text table with the number of rows after the last one that has a value."""
UNFINISHED: Final = "unfinished"
"""The detail of a log with a sentence, if its evaluation did not end or is not to be used."""
FORM: Final = "form"
"""The detail of a file of JSON that is a table: how its rows and columns are written."""
MISSING: Final = ("", "NA", "NaN")
"""Missing in every column of a text table."""

ColumnValues = np.ndarray | SparseColumns
"""A column of (n,) values, an (n, p) matrix, or a group of p sparse columns."""
MAX_NAME = 1000  # characters of a column's name
MAX_NAMES = 4_000_000  # characters of all columns' names, which are kept in one row of the database
FREE_BYTES: Final = 64 * 1024 * 1024
"""Number of bytes that every file may unpack to, however small it is."""
MOST_LEFT_OUT: Final = 20
"""Most names of columns that are left out, of those that a file is said to have."""


class FileLimits(NamedTuple):
    """The limits for the content of a file; the defaults are those of the settings."""

    cells: int = 200_000_000
    """Most rows x columns, and most stored values of a sparse matrix."""
    columns: int = 50_000
    """Most columns, a group of sparse columns and a matrix counting as one."""
    cell_bytes: int = 1_048_576
    """Most bytes of one text."""
    expansion: int = 1000
    """Most bytes that a compressed file may unpack to, for each of its own bytes."""


@dataclass(frozen=True, slots=True)
class Inspected:
    """The rows, columns and format details of a checked file."""

    rows: int
    """At least 1."""
    columns: tuple[ColumnDescription, ...]
    """``{"name", "type"}``; type is ``number``, ``integer``, ``boolean`` or ``string``, ``sparse``
    for a group of sparse columns, and ``matrix`` for an array that is one column."""
    details: JsonObject = field(default_factory=dict)
    """Properties of the file, as JSON values."""
    has_table: bool = False
    """Whether a table was written to the second file."""


def read_file_limits(settings: Settings) -> FileLimits:
    """Return the limits for the content of a file from the settings."""
    return FileLimits(
        cells=settings.max_cells,
        columns=settings.max_columns,
        cell_bytes=settings.max_cell_bytes,
        expansion=settings.max_expansion,
    )


class Format(Protocol):
    """A file format for tables."""

    media_type: ClassVar[str]
    title: ClassVar[str]

    @property
    def table_suffix(self) -> str:
        """The file name ending of the converted table of a file that is not read in place.

        Empty if the file is read in place. Each format and encoding has its own ending, because
        the same bytes can be read as several formats.
        """
        ...

    def inspect(self, path: Path, limits: FileLimits, table: IO[bytes]) -> Inspected:
        """Check a whole file in bounded memory; raise ``InvalidFile`` if it is invalid."""
        ...

    def read_columns(
        self, path: Path, names: Sequence[str], rows: int | None = None
    ) -> dict[str, ColumnValues]:
        """Read some columns of an inspected file, or their first rows."""
        ...

    def read_labels(self, path: Path, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Read some columns of an inspected file as labels: none goes through float64."""
        ...


@runtime_checkable
class TextFormat(Format, Protocol):
    """A text format that may have several encodings."""

    def set_encoding(self, encoding: str) -> Format:
        """Return the format for texts in that encoding."""
        ...


def check_size(
    rows: int, columns: int, limits: FileLimits, *, matrix_columns: int = 0, advice: str = ""
) -> None:
    """Refuse a table that is empty or has too many columns or cells, before it is decoded.

    ``matrix_columns`` are those of matrices, which count as cells only; ``advice`` ends the message
    about too many columns.
    """
    if columns + matrix_columns == 0:
        raise InvalidFile("The file has no columns.")
    width = columns + matrix_columns
    if rows * width > limits.cells:
        raise TooLarge(
            f"The table has {rows} rows x {width} columns = {rows * width} cells, more than "
            f"the limit of {limits.cells}."
        )
    if columns > limits.columns:
        raise TooLarge(
            f"The table has {columns} columns, more than the limit of {limits.columns}.{advice}"
        )


def check_expansion(path: Path, unpacked: int, limits: FileLimits) -> None:
    """Refuse a compressed file that unpacks to far more bytes than it has."""
    packed = path.stat().st_size
    if unpacked > max(FREE_BYTES, packed * limits.expansion):
        raise TooLarge(
            f"The file has {packed} bytes and unpacks to {unpacked}, more than {limits.expansion} "
            "times its size. Upload it uncompressed."
        )


def read_parser_reason(error: BaseException) -> str:
    """Return what a library says about a file, without a full stop; its errors may have no text."""
    reason = str(error).strip().partition("\n")[0].rstrip(".")
    if reason:
        return reason
    if isinstance(error, MemoryError | RecursionError):
        return "it is nested too deeply or needs too much memory"
    return f"it ends or changes where it must not ({type(error).__name__})"


def check_not_empty(rows: int) -> None:
    """Refuse a table without rows."""
    if rows == 0:
        raise InvalidFile("The file has no rows.")


def check_names(names: Sequence[str]) -> None:
    """Refuse column names that are repeated, empty, too long or no valid text."""
    earlier_names: set[str] = set()
    length = sum(map(len, names))
    if length > MAX_NAMES:
        raise TooLarge(
            f"The names of the columns have {length} characters in all, more than the limit of "
            f"{MAX_NAMES}."
        )
    for position, name in enumerate(names):
        if name in earlier_names:
            raise InvalidFile(
                f"Two columns have the name {name[:80]!r}. Give each its own name; if names stand "
                "in several lines, join them into one line."
            )
        if not name:
            raise InvalidFile(
                f"Column {position} has no name. Give it one; if it is the index of a table, save "
                "the table without it (index=False in pandas)."
            )
        if len(name) > MAX_NAME or "\0" in name or not _is_text(name):
            raise InvalidFile(
                f"The name of column {position} must be at most {MAX_NAME} characters of text, "
                f"not {name[:80]!r}."
            )
        earlier_names.add(name)


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
