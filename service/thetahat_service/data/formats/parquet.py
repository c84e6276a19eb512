"""Parquet: the footer is checked for its size, then all pages are read once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, ClassVar, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from thetahat_service.data.arrow_columns import (
    check_values,
    is_text,
    list_column_types,
    to_labels,
    to_numpy,
)
from thetahat_service.data.base import (
    ColumnValues,
    FileLimits,
    Inspected,
    check_expansion,
    check_not_empty,
    check_size,
    read_parser_reason,
)
from thetahat_service.data.file_kinds import check_kind
from thetahat_service.data.written_numbers import WrittenNumbers
from thetahat_service.errors import InvalidFile
from thetahat_service.json_types import JsonObject

BATCH_ROWS = 65_536
BATCH_CELLS = 4_000_000


_CELLS_READ_TOGETHER: Final = 1_000_000
"""Eight megabytes. Reading 16 000 columns of 72 rows one by one took four times as long."""


class Parquet:
    """Apache Parquet, flat columns."""

    media_type: ClassVar[str] = "application/vnd.apache.parquet"
    title: ClassVar[str] = "Parquet"
    table_suffix: ClassVar[str] = ""

    def inspect(self, path: Path, limits: FileLimits, table: IO[bytes]) -> Inspected:
        """Check the footer, then the pages; text stays in its dictionary, so it cannot swell."""
        del table
        check_kind(path, self.media_type)
        try:
            with _open(path) as file:
                footer = file.metadata
                check_size(footer.num_rows, footer.num_columns, limits)
                check_not_empty(footer.num_rows)
                unpacked = sum(_group_bytes(footer, i) for i in range(footer.num_row_groups))
                check_expansion(path, unpacked, limits)
                columns, left_out = list_column_types(file.schema_arrow)
                details = {"row_groups": footer.num_row_groups, "written_by": footer.created_by}
            rows, written = _check_pages(path, [column["name"] for column in columns], limits)
        except MemoryError:  # also one of Arrow's exceptions
            raise
        except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
            reason = read_parser_reason(error)
            raise InvalidFile(f"The file is not Parquet that can be read: {reason}.") from None
        if rows != footer.num_rows:
            raise InvalidFile(f"The footer declares {footer.num_rows} rows, but there are {rows}.")
        return Inspected(rows, columns, {**details, **left_out, **written})

    def read_columns(
        self, path: Path, names: Sequence[str], rows: int | None = None
    ) -> dict[str, ColumnValues]:
        """Read a few columns at a time: memory holds the result and little more."""
        columns: dict[str, ColumnValues] = {}
        with _open(path) as file:
            if rows is not None:
                head = next(file.iter_batches(batch_size=rows, columns=list(names)))
                return {name: to_numpy(pa.chunked_array([head.column(name)])) for name in names}
            step = max(1, _CELLS_READ_TOGETHER // max(1, file.metadata.num_rows))
            for first in range(0, len(names), step):
                names_together = list(names[first : first + step])
                table = file.read(columns=names_together)
                columns |= {name: to_numpy(table.column(name)) for name in names_together}
        return columns

    def read_labels(self, path: Path, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Read labels from their own type."""
        with _open(path) as file:
            return {name: to_labels(file.read(columns=[name]).column(name)) for name in names}


def _open(path: Path) -> pq.ParquetFile:
    """Open with text columns as dictionaries: a value repeated a million times is kept once."""
    with pq.ParquetFile(path, memory_map=True) as plain:
        texts = [field.name for field in plain.schema_arrow if is_text(field.type)]
    return pq.ParquetFile(
        path, memory_map=True, read_dictionary=texts, page_checksum_verification=True
    )


def _group_bytes(footer: pq.FileMetaData, group: int) -> int:
    row_group = footer.row_group(group)
    return sum(row_group.column(i).total_uncompressed_size for i in range(row_group.num_columns))


def _check_pages(path: Path, names: Sequence[str], limits: FileLimits) -> tuple[int, JsonObject]:
    """Read every page of some columns; return the rows, and details about numbers as text."""
    rows, written = 0, WrittenNumbers()
    with _open(path) as file:
        size = max(1, min(BATCH_ROWS, BATCH_CELLS // file.metadata.num_columns))
        for batch in file.iter_batches(batch_size=size, columns=list(names)):
            check_values(batch, limits)
            written.add(batch)
            rows += batch.num_rows
    return rows, written.describe()


METHOD = Parquet()
