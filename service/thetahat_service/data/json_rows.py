"""Tables from rows that are objects of JSON, whose columns and types are known only at the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Final

import orjson
import pyarrow as pa

from thetahat.values.json_values import JsonValue
from thetahat_service.data.arrow_columns import check_text_lengths
from thetahat_service.data.base import (
    FileLimits,
    Inspected,
    check_names,
    check_not_empty,
    check_size,
)
from thetahat_service.data.tables import list_columns
from thetahat_service.errors import InvalidFile
from thetahat_service.json_types import JsonObject

ROWS_AT_ONCE: Final = 10_000
DEEPEST: Final = 8
LISTED: Final = 20
LARGEST_WHOLE: Final = 2**63
Row = JsonObject


def parse_json(text: bytes, place: str) -> JsonValue:
    """Return the value of a JSON text, which may have NaN and Infinity as Python writes them."""
    value: JsonValue
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as first:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise InvalidFile(f"{place} is not JSON: {first}.") from None
    return value


def flatten(value: JsonObject, prefix: str = "", depth: int = 1) -> Iterator[tuple[str, JsonValue]]:
    """Yield the members of an object, those of objects inside it as ``outer.inner``."""
    for key, member in value.items():
        name = f"{prefix}{key}"
        if isinstance(member, Mapping) and depth < DEEPEST:
            yield from flatten(member, f"{name}.", depth + 1)
        else:
            yield name, member


@dataclass(slots=True)
class _JsonSurvey:
    """The columns of all rows: their types, and those that are left out.

    Parameters
    ----------
    kinds : dict
        Type by name, in order of first appearance; None while a column has only missing values.
    left_out : dict
        Names of columns with lists, or with objects that are nested too deeply.
    """

    rows: int = 0
    kinds: dict[str, pa.DataType | None] = field(default_factory=dict)
    left_out: dict[str, None] = field(default_factory=dict)

    def add(self, row: Row, limits: FileLimits) -> None:
        self.rows += 1
        for name, value in flatten(row):
            if isinstance(value, (list, Mapping)):
                self.left_out[name] = None
                continue
            kind = _find_type(value)
            earlier = self.kinds.setdefault(name, kind)
            if earlier != kind and kind is not None:
                self.kinds[name] = kind if earlier is None else _choose_wider(earlier, kind)
        check_size(self.rows, max(1, len(self.kinds)), limits)

    def build_schema(self) -> pa.Schema:
        names = [name for name in self.kinds if name not in self.left_out]
        check_names(names)
        return pa.schema([(name, self.kinds[name] or pa.float64()) for name in names])


def write_rows(
    read: Callable[[], Iterable[Row]], limits: FileLimits, table: IO[bytes]
) -> Inspected:
    """Read the rows twice, first for their columns and then to write them as a table.

    Numbers, booleans and texts are columns, members of objects too (``doc.topic``). Columns with
    lists are left out and named in the details. A column of several types is text.
    """
    survey = _JsonSurvey()
    for row in read():
        survey.add(row, limits)
    check_not_empty(survey.rows)
    schema = survey.build_schema()
    if not len(schema):
        raise InvalidFile("The rows have no numbers, texts or booleans.")
    with pa.ipc.new_file(table, schema) as writer:
        batch: list[dict[str, JsonValue]] = []
        for row in read():
            batch.append(dict(flatten(row)))
            if len(batch) == ROWS_AT_ONCE:
                writer.write_batch(_build_batch(batch, schema, limits))
                batch.clear()
        if batch:
            writer.write_batch(_build_batch(batch, schema, limits))
    details = {"left_out": list(survey.left_out)[:LISTED]} if survey.left_out else {}
    return Inspected(survey.rows, list_columns(schema), details, has_table=True)


def _build_batch(
    rows: list[dict[str, JsonValue]], schema: pa.Schema, limits: FileLimits
) -> pa.RecordBatch:
    """Return rows as a batch of the table."""
    columns = []
    for column in schema:
        try:
            values = [_convert(row.get(column.name), column.type) for row in rows]
            array = pa.array(values, column.type, from_pandas=True)
        except (OverflowError, UnicodeError, pa.ArrowException) as error:
            raise InvalidFile(
                f"The column {column.name!r} has a value that cannot be kept: {error}."
            ) from None
        if column.type == pa.string():
            check_text_lengths(column.name, array, limits)
        columns.append(array)
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _find_type(value: JsonValue) -> pa.DataType | None:
    """Return the column type of a value; None for null."""
    if value is None:
        return None
    if isinstance(value, bool):
        return pa.bool_()
    if isinstance(value, int) and -LARGEST_WHOLE <= value < LARGEST_WHOLE:
        return pa.int64()
    return pa.float64() if isinstance(value, (int, float)) else pa.string()


def _choose_wider(first: pa.DataType, second: pa.DataType) -> pa.DataType:
    if first == second:
        return first
    return pa.float64() if {first, second} <= {pa.int64(), pa.float64()} else pa.string()


def _convert(value: JsonValue, kind: pa.DataType) -> JsonValue:
    """Return a value as the type of its column needs it."""
    if value is None:
        return None
    if kind == pa.float64() and isinstance(value, int | float):
        return float(value)
    if kind == pa.string() and not isinstance(value, str):
        return json.dumps(value)
    return value
