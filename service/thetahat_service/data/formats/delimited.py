"""Text tables: converted once to an Arrow file that can be mapped into memory.

Parsing text costs some 200 ns a cell, and every chunk of an evaluation would pay it again. So an
upload is converted once, block by block, to an uncompressed Arrow file: workers map it into memory,
share its pages, and copy only the columns they need. It takes about as much disk as the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, ClassVar

import pyarrow as pa

from thetahat_service.data.arrow_columns import check_text_lengths, is_text, list_column_types
from thetahat_service.data.base import (
    ColumnValues,
    FileLimits,
    Inspected,
    check_not_empty,
    check_size,
)
from thetahat_service.data.csv_dialect import (
    Dialect,
    check_closed,
    check_text,
    detect_dialect,
    replace_spaces_by_tabs,
)
from thetahat_service.data.csv_numbers import NumberForm, find_number_forms
from thetahat_service.data.csv_types import MISSING, find_types, guess_types, open_table
from thetahat_service.data.encodings import UTF_8, convert_to_utf_8, detect_encoding_by_mark
from thetahat_service.data.tables import build_table_path, read_table
from thetahat_service.errors import InvalidFile
from thetahat_service.json_types import JsonObject


class Delimited:
    """CSV and similar: a header; comma, semicolon, tab or bar; UTF-8 by default.

    Parameters
    ----------
    encoding : str
        From the request; with UTF-8, a file with a byte order mark of UTF-16 is UTF-16.
    """

    media_type: ClassVar[str] = "text/csv"
    title: ClassVar[str] = "CSV"
    endings: ClassVar[tuple[str, ...]] = (".csv", ".tsv")

    def __init__(self, encoding: str = UTF_8) -> None:
        self.encoding = encoding
        self.table_suffix = f".{encoding}.table.arrow" if encoding != UTF_8 else ".table.arrow"

    def set_encoding(self, encoding: str) -> Delimited:
        """Return the format for texts in that encoding."""
        return Delimited(encoding)

    def inspect(self, path: Path, limits: FileLimits, table: IO[bytes]) -> Inspected:
        """Read the whole text, and write its table."""
        encoding = detect_encoding_by_mark(path) if self.encoding == UTF_8 else self.encoding
        with (
            convert_to_utf_8(path, encoding) as utf_8,
            replace_spaces_by_tabs(_check(utf_8), path) as (text, by_space),
        ):
            dialect = detect_dialect(text)
            check_size(1, len(dialect.header), limits)
            try:
                rows, schema, forms = _convert(text, dialect, limits, table)
            except pa.ArrowInvalid as error:
                raise InvalidFile(f"The text is not a table: {error}.") from None
        check_not_empty(rows)
        details = {
            "encoding": encoding,
            "delimiter": " " if by_space else dialect.delimiter,
            "decimal": dialect.decimal,
            "missing": MISSING,
            **_describe(dialect, forms),
        }
        return Inspected(rows, list_column_types(schema), details, has_table=True)

    def read_columns(self, path: Path, names: Sequence[str]) -> dict[str, ColumnValues]:
        """Map the table; only what has to be converted is copied."""
        return read_table(build_table_path(path, self.table_suffix), names)

    def read_head(self, path: Path, names: Sequence[str], rows: int) -> dict[str, ColumnValues]:
        """Map the table and take the first rows."""
        return read_table(build_table_path(path, self.table_suffix), names, rows)


def _check(text: Path) -> Path:
    check_text(text)
    return text


def _describe(dialect: Dialect, forms: Mapping[str, NumberForm]) -> JsonObject:
    """Return what else was understood of a text, where it is not an ordinary one."""
    numbers = {
        name: {"decimal": form.decimal, "divided_by": 100 if form.is_percent else 1}
        for name, form in forms.items()
    }
    return {
        **({"comment_lines": dialect.comments} if dialect.comments else {}),
        **({"numbers": numbers} if numbers else {}),
    }


def _convert(
    path: Path, dialect: Dialect, limits: FileLimits, table: IO[bytes]
) -> tuple[int, pa.Schema, dict[str, NumberForm]]:
    """Convert with the types of the first block; if a later row differs, with those of all rows."""
    types = guess_types(path, dialect)
    if types is not None:
        try:
            forms = find_number_forms(path, dialect, types)
            return *_write(path, dialect, types, forms, limits, table), forms
        except pa.ArrowInvalid:
            table.seek(0)
            table.truncate()
    types = find_types(path, dialect)
    forms = find_number_forms(path, dialect, types)
    return *_write(path, dialect, types, forms, limits, table), forms


def _write(  # noqa: PLR0913 - what is read, in which way, and what is written
    path: Path,
    dialect: Dialect,
    types: dict[str, pa.DataType],
    forms: Mapping[str, NumberForm],
    limits: FileLimits,
    table: IO[bytes],
) -> tuple[int, pa.Schema]:
    rows, last = 0, None
    with open_table(path, dialect, types) as reader:
        kinds = [pa.float64() if f.name in forms else f.type for f in reader.schema]
        schema = pa.schema(list(zip(dialect.names, kinds, strict=True)))
        with pa.ipc.new_file(table, schema) as writer:
            for batch in reader:
                rows += batch.num_rows
                check_size(rows, len(schema), limits)
                for field, column in zip(schema, batch.columns, strict=True):
                    if is_text(field.type):
                        check_text_lengths(field.name, column, limits)
                columns = [
                    forms[name].parse(column) if name in forms else column
                    for name, column in zip(batch.schema.names, batch.columns, strict=True)
                ]
                writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
                if batch.num_rows:
                    last = batch.column(len(schema) - 1)[-1].as_py()
    if isinstance(last, str):
        check_closed(path, last)
    return rows, schema


METHOD = Delimited()
