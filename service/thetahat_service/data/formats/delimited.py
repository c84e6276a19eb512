"""Text tables: converted once to an Arrow file that can be mapped into memory.

Parsing text costs some 200 ns a cell, and every chunk of an evaluation would pay it again. So an
upload is converted once, block by block, to an uncompressed Arrow file: workers map it into memory,
share its pages, and copy only the columns they need. It takes about as much disk as the text.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import IO, ClassVar, Final

import pyarrow as pa

from thetahat_service.data import arrow_functions as pc
from thetahat_service.data.base import (
    EMPTY_ROWS,
    MISSING,
    WRITTEN,
    FileLimits,
    Inspected,
    check_not_empty,
    check_size,
)
from thetahat_service.data.csv_columns import (
    ColumnSurvey,
    Survey,
    convert_booleans,
    describe_survey,
    read_texts,
    survey_columns,
)
from thetahat_service.data.csv_dialect import (
    SAMPLE_BYTES,
    Dialect,
    check_closed,
    check_text,
    detect_dialect,
    replace_spaces_by_tabs,
)
from thetahat_service.data.csv_numbers import (
    MISSING_TEXT,
    PLAIN_FORM,
    NumberForm,
    drop_marks,
    drop_missing,
)
from thetahat_service.data.encodings import UTF_8, convert_to_utf_8
from thetahat_service.data.packing import unpack_text
from thetahat_service.data.tables import TEXT_TABLE, MappedFormat, build_text_name, list_columns
from thetahat_service.errors import InvalidFile
from thetahat_service.json_types import JsonObject

UNEQUAL_ROW: Final = re.compile(
    r"CSV parse error: Row #(\d+): Expected (\d+) columns, got (\d+): (.*)", re.DOTALL
)
"""What Arrow says of a row that has more or fewer cells than the header."""


class Delimited(MappedFormat):
    """CSV and similar: a header; comma, semicolon, tab or bar; UTF-8 by default.

    Parameters
    ----------
    encoding : str
        From the request; with UTF-8, a file with a byte order mark of UTF-16 is UTF-16.
    """

    media_type: ClassVar[str] = "text/csv"
    title: ClassVar[str] = "CSV"

    def __init__(self, encoding: str = UTF_8) -> None:
        self.encoding = encoding
        start = f".{encoding}.table" if encoding != UTF_8 else ".table"
        self.table_suffix = f"{start}{TEXT_TABLE}"

    def set_encoding(self, encoding: str) -> Delimited:
        """Return the format for texts in that encoding."""
        return Delimited(encoding)

    def inspect(self, path: Path, limits: FileLimits, table: IO[bytes]) -> Inspected:
        """Read the whole text, and write its table."""
        with (
            unpack_text(path, limits, SAMPLE_BYTES, self.media_type) as unpacked,
            convert_to_utf_8(unpacked, self.encoding, path) as (utf_8, encoding),
            replace_spaces_by_tabs(_check(utf_8), path) as (text, by_space),
        ):
            dialect = detect_dialect(text)
            check_size(1, len(dialect.header), limits)
            try:
                survey = survey_columns(text, dialect, limits)
                schema = _write_table(text, dialect, survey, table)
            except pa.ArrowInvalid as error:
                raise InvalidFile(_explain(str(error))) from None
            check_not_empty(survey.rows)
            if survey.last is not None:
                check_closed(text, survey.last)
        details = {
            "encoding": encoding,
            "delimiter": " " if by_space else dialect.delimiter,
            "decimal": survey.decimal,
            "missing": list(MISSING),
            **_describe(dialect, survey),
        }
        return Inspected(survey.rows, list_columns(schema), details, has_table=True)


def _explain(error: str) -> str:
    """Return why a text is no table, in words of ours where a row has too many or few cells."""
    found = UNEQUAL_ROW.match(error)
    if found is None:
        return f"The text is not a table: {error}."
    row, width, cells, text = found.groups()
    return (
        f"Row {row} of the text, where the first line is 1, has {cells} "
        f"{'cell' if cells == '1' else 'cells'}, and the header has {width}: {text[:80]!r}. Put a "
        "cell that has the delimiter in quotes; if a cell is missing, leave it empty."
    )


def _check(text: Path) -> Path:
    check_text(text)
    return text


def _describe(dialect: Dialect, survey: Survey) -> JsonObject:
    """Return what else was understood of a text, where it is not an ordinary one."""
    plain = NumberForm(survey.decimal, is_percent=False, is_grouped=False)
    numbers: JsonObject = {
        c.name: {"decimal": c.form.decimal, "divided_by": 100 if c.form.is_percent else 1}
        for c in survey.columns
        if c.form not in {plain, PLAIN_FORM}
    }
    found: JsonObject = {
        "comment_lines": dialect.comments + survey.comments,
        EMPTY_ROWS: survey.empty_rows,
        "numbers": numbers,
        WRITTEN: {c.name: c.describe_numbers() for c in survey.columns if c.are_letters},
    }
    return {**{name: of for name, of in found.items() if of}, **describe_survey(survey.columns)}


def _write_table(path: Path, dialect: Dialect, survey: Survey, table: IO[bytes]) -> pa.Schema:
    """Write the table, without columns that have neither a name nor a value."""
    columns, left = survey.columns, survey.rows
    chosen = [c for c, name in zip(columns, dialect.header, strict=True) if name or c.has_values]
    if dialect.has_unnamed_last and columns[-1].has_values:
        width = len(dialect.header)
        raise InvalidFile(
            f"Every row has {width} cells, and the header has {width - 1}, as where R writes the "
            "names of rows. Name all columns in the first line (in R: col.names = NA), or remove a "
            "title above the names."
        )
    texts = [place for place, c in enumerate(chosen) if c.needs_text]
    schema = pa.schema(
        [
            *((c.name, pa.string() if c.are_letters else c.kind) for c in chosen),
            *((build_text_name(chosen[place].name), pa.string()) for place in texts),
        ]
    )
    with pa.ipc.new_file(table, schema) as writer:
        for read in read_texts(path, dialect):
            batch = read[:left]
            left -= batch.num_rows
            converted = [_convert(c, batch.column(c.name)) for c in chosen]
            for place in texts:
                cells = batch.column(chosen[place].name)
                converted.append(pc.if_else(pc.is_valid(converted[place]), cells, MISSING_TEXT))
            writer.write_batch(pa.RecordBatch.from_arrays(converted, schema=schema))
    return schema


def _convert(column: ColumnSurvey, texts: pa.Array) -> pa.Array:
    """Return the values of some cells of a column."""
    if column.kind == pa.string() and column.are_padded:
        return drop_marks(texts)
    if column.has_labels or column.are_letters:
        return texts
    texts = drop_missing(texts)
    if column.kind == pa.string():
        return texts
    if column.kind == pa.bool_():
        return convert_booleans(texts)
    return column.form.parse(texts, column.kind)


METHOD = Delimited()
