"""Columns of Arrow tables: their types in the API, and their values as numpy arrays."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
import pyarrow as pa

from thetahat.values.json_values import JsonValue
from thetahat_service.data import arrow_functions as pc
from thetahat_service.data.base import MOST_LEFT_OUT, FileLimits, check_names
from thetahat_service.errors import InvalidFile, TooLarge
from thetahat_service.json_types import ColumnDescription, JsonObject

_FLOAT64: Final = pa.float64()
_DIGITS_OF_DOUBLE: Final = 15
SMALL_FLOATS: Final[dict[pa.DataType, type[np.generic]]] = {
    pa.float32(): np.float32,
    pa.float16(): np.float16,
}


def list_column_types(schema: pa.Schema) -> tuple[tuple[ColumnDescription, ...], JsonObject]:
    """Return name and type of each column, and what is left out: lists, objects and bytes.

    Other types that are not supported, such as durations, are refused: they may be losses.
    """
    check_names(schema.names)
    columns: list[ColumnDescription] = []
    left_out: list[JsonValue] = []
    for column in schema:
        kind = find_wire_type(column.type)
        if kind is None and _has_no_values(column.type):
            left_out.append(column.name)
            continue
        if kind is None:
            raise InvalidFile(
                f"The column {column.name!r} has the type {column.type}, which is not supported. "
                "Use numbers, booleans, text, dates or times."
            )
        columns.append({"name": column.name, "type": kind})
    if not columns:
        raise InvalidFile("The columns are all lists, objects or bytes.")
    return tuple(columns), {"left_out": left_out[:MOST_LEFT_OUT]} if left_out else {}


def _has_no_values(kind: pa.DataType) -> bool:
    """Return whether a type has lists, objects or bytes; run-end encoding may have numbers."""
    checks = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
    is_nested = pa.types.is_nested(kind) and not pa.types.is_run_end_encoded(kind)
    return is_nested or any(check(kind) for check in checks)


@lru_cache(maxsize=256)  # a table may have 16 000 columns of one type
def find_wire_type(kind: pa.DataType) -> str | None:
    """Return ``number``, ``integer``, ``boolean`` or ``string``; None for anything else."""
    if pa.types.is_dictionary(kind):
        return find_wire_type(kind.value_type)
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind):
        return "integer"
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind):
        return "number"
    if is_text(kind) or pa.types.is_date(kind) or pa.types.is_time(kind):
        return "string"
    return "string" if pa.types.is_timestamp(kind) else None


def is_text(kind: pa.DataType) -> bool:
    """Return whether a type holds strings."""
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def check_values(batch: pa.RecordBatch, limits: FileLimits) -> None:
    """Refuse values that Arrow finds invalid, texts that are too long, and unreadable times."""
    batch.validate(full=True)
    for field, column in zip(batch.schema, batch.columns, strict=True):
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if is_text(kind):
            check_text_lengths(field.name, column, limits)
        elif find_wire_type(kind) == "string" or pa.types.is_decimal(kind):
            to_numpy(pa.chunked_array([column]))


def check_text_lengths(name: str, column: pa.Array, limits: FileLimits) -> None:
    """Refuse a column with a text of too many bytes."""
    texts = column.dictionary if pa.types.is_dictionary(column.type) else column
    if texts.nbytes <= limits.cell_bytes:
        return
    if pa.types.is_string_view(texts.type):
        texts = pc.cast(texts, pa.large_string())
    longest = pc.max(pc.binary_length(texts)).as_py() or 0
    if longest > limits.cell_bytes:
        raise TooLarge(
            f"The column {name[:80]!r} has a text of {longest} bytes, more than the limit of "
            f"{limits.cell_bytes}."
        )


def to_numpy(column: pa.ChunkedArray) -> np.ndarray:
    """Return a column as a numpy array, without a copy if the layout in memory allows it.

    It is (n,) float64 for numbers, with NaN where a value is missing; int64 for integers and bool
    for booleans that are complete (float64 if not); objects, str or None, for text, dates and times
    (ISO 8601).
    """
    kind = column.type
    if kind == _FLOAT64:  # at once, because a table may have 16 000 such columns
        return _convert_numbers(column, np.float64)
    if pa.types.is_dictionary(kind) and not is_text(kind.value_type):
        column, kind = pc.cast(column, kind.value_type), kind.value_type
    wire = find_wire_type(kind)
    if wire == "string":
        return _convert_strings(column)
    if wire == "number" or column.null_count:
        if pa.types.is_boolean(kind):
            column = pc.cast(column, pa.int8())
        return _convert_numbers(pc.cast(column, pa.float64(), safe=False), np.float64)
    if wire == "boolean":
        return _convert_numbers(column, np.bool_)
    return _convert_integers(column)


def to_labels(column: pa.ChunkedArray) -> np.ndarray:
    """Return a column as labels, which stay different wherever the file has different values.

    They are (n,) as ``to_numpy`` returns them, but whole numbers and booleans of an incomplete
    column are objects with None where a value is missing. Whole numbers beyond int64, and decimals
    of more digits than a double keeps, are text. Numbers of fewer digits than a double has keep
    their type.
    """
    kind = column.type
    if kind in SMALL_FLOATS:
        return _convert_numbers(column, SMALL_FLOATS[kind])
    if pa.types.is_dictionary(kind) and not is_text(kind.value_type):
        column, kind = pc.cast(column, kind.value_type), kind.value_type
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        try:
            column = pc.cast(column, pa.int64())
        except pa.ArrowInvalid:  # beyond int64, or with a fraction
            if pa.types.is_decimal(kind) and kind.precision <= _DIGITS_OF_DOUBLE:
                return to_numpy(column)
            return _convert_strings(pc.cast(column, pa.string()))
    elif not pa.types.is_boolean(kind):
        return to_numpy(column)
    if not column.null_count:
        return to_numpy(column)
    return np.fromiter(column.to_pylist(), dtype=object, count=len(column))


def _convert_integers(column: pa.ChunkedArray) -> np.ndarray:
    try:
        return _convert_numbers(pc.cast(column, pa.int64()), np.int64)
    except pa.ArrowInvalid:  # unsigned, and beyond the signed range
        return _convert_numbers(pc.cast(column, pa.float64(), safe=False), np.float64)


def _convert_numbers(column: pa.ChunkedArray, dtype: type[np.generic]) -> np.ndarray:
    parts = [_read_numbers(chunk).astype(dtype, copy=False) for chunk in column.chunks]
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0, dtype=dtype)


def _read_numbers(chunk: pa.Array) -> np.ndarray:
    """Return numbers or booleans from their place in memory, with NaN where one is missing.

    ``to_numpy`` does it too, and imports pandas where that is installed.
    """
    if pa.types.is_boolean(chunk.type):
        chunk = pc.cast(chunk, pa.uint8())
    dtype = np.dtype(chunk.type.to_pandas_dtype())
    if not len(chunk):
        return np.empty(0, dtype)
    start, stop = chunk.offset, chunk.offset + len(chunk)
    validity, content = chunk.buffers()
    values: np.ndarray = np.frombuffer(content, dtype)[start:stop]
    values.setflags(write=False)
    if chunk.null_count:
        bits = np.frombuffer(validity, np.uint8)
        present = np.unpackbits(bits, count=stop, bitorder="little")[start:].astype(np.bool_)
        values = np.where(present, values, np.nan)
    return values


def _convert_strings(column: pa.ChunkedArray) -> np.ndarray:
    """Return strings with one object per distinct value, so repeated labels take little room."""
    if pa.types.is_timestamp(column.type):
        column = _cast_to_microseconds(column)
    if not pa.types.is_dictionary(column.type):
        if not is_text(column.type):
            column = pc.cast(column, pa.string())
        if pa.types.is_string_view(column.type):
            column = pc.cast(column, pa.large_string())
        column = pc.dictionary_encode(column)
    parts = [_share_objects(chunk) for chunk in column.chunks]
    return np.concatenate(parts) if parts else np.empty(0, dtype=object)


def _cast_to_microseconds(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return times in microseconds, so that equal times are equal strings whatever their file.

    Times that microseconds cannot represent keep their own unit.
    """
    try:
        return pc.cast(column, pa.timestamp("us"))
    except pa.ArrowInvalid:
        return pc.cast(column, pa.timestamp(column.type.unit))


def _share_objects(chunk: pa.DictionaryArray) -> np.ndarray:
    values = np.empty(len(chunk.dictionary) + 1, dtype=object)
    values[:-1] = chunk.dictionary.to_pylist()
    codes = _read_numbers(pc.cast(chunk.indices, pa.int64()))
    if chunk.null_count:
        codes = np.where(np.isnan(codes), len(values) - 1, codes).astype(np.int64)
    strings: np.ndarray = values[codes]
    return strings
