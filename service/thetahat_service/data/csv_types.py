"""Detecting the types of a text table's columns from all rows, in bounded memory."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from thetahat_service.data.arrow_arrays import make_arrow_array
from thetahat_service.data.csv_dialect import Dialect

BLOCK_BYTES = 4 * 1024 * 1024
MISSING = ["", "NA", "NaN"]
TRUE = ["true", "True", "TRUE"]
FALSE = ["false", "False", "FALSE"]
PLAIN = (pa.int64(), pa.float64(), pa.bool_(), pa.string())


def open_table(
    path: Path, dialect: Dialect, types: dict[str, pa.DataType]
) -> arrow_csv.CSVStreamingReader:
    """Open a text table to be read block by block."""
    return arrow_csv.open_csv(
        path,
        read_options=arrow_csv.ReadOptions(block_size=BLOCK_BYTES, skip_rows=dialect.comments),
        parse_options=arrow_csv.ParseOptions(
            delimiter=dialect.delimiter,
            newlines_in_values=True,
            # In a table of one column an empty line is a missing value.
            ignore_empty_lines=len(dialect.header) > 1,
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=types,
            null_values=MISSING,
            true_values=TRUE,
            false_values=FALSE,
            strings_can_be_null=True,
            decimal_point=dialect.decimal,
        ),
    )


def guess_types(path: Path, dialect: Dialect) -> dict[str, pa.DataType] | None:
    """Return the types of the first block; None if a column has no values in it."""
    with open_table(path, dialect, {}) as reader:
        types = {field.name: field.type for field in reader.schema}
    if any(pa.types.is_null(kind) for kind in types.values()):
        return None
    return {name: kind if kind in PLAIN else pa.string() for name, kind in types.items()}


def find_types(path: Path, dialect: Dialect) -> dict[str, pa.DataType]:
    """Return the narrowest type of each column that fits all of its rows."""
    texts = dict.fromkeys(dialect.header, pa.string())
    narrowest: dict[str, pa.DataType | None] = dict.fromkeys(dialect.header)
    with open_table(path, dialect, texts) as reader:
        for batch in reader:
            for name in dialect.header:
                values = pc.drop_null(batch.column(name))
                if len(values):
                    narrowest[name] = _widen(narrowest[name], values, dialect.decimal)
    return {name: kind or pa.float64() for name, kind in narrowest.items()}


def _widen(kind: pa.DataType | None, values: pa.Array, decimal: str) -> pa.DataType:
    """Return the narrowest type that fits the earlier values and these."""
    if kind == pa.string():
        return kind
    trimmed = pc.utf8_trim_whitespace(values)
    if kind in {None, pa.bool_()} and _are_booleans(trimmed):
        return pa.bool_()
    if kind in {None, pa.int64()} and _can_cast(trimmed, pa.int64()):
        return pa.int64()
    if kind != pa.bool_() and _are_numbers(trimmed, decimal):
        return pa.float64()
    return pa.string()


def _are_booleans(values: pa.Array) -> bool:
    return bool(pc.all(pc.is_in(values, value_set=make_arrow_array([*TRUE, *FALSE]))).as_py())


def _are_numbers(values: pa.Array, decimal: str) -> bool:
    if decimal != ".":
        values = pc.replace_substring(values, pattern=decimal, replacement=".")
    return _can_cast(values, pa.float64())


def _can_cast(values: pa.Array, kind: pa.DataType) -> bool:
    try:
        values.cast(kind)
    except pa.ArrowInvalid:
        return False
    return True
