"""Tables from rows that are objects of JSON, whose columns and types are known only at the end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import IO, Final

import orjson
import pyarrow as pa

from thetahat.common_names import MISSING_MARKS
from thetahat.values.json_values import LARGEST_EXACT, JsonValue
from thetahat_service.data.arrow_columns import check_text_lengths
from thetahat_service.data.base import (
    MOST_LEFT_OUT,
    FileLimits,
    Inspected,
    check_names,
    check_not_empty,
    check_size,
)
from thetahat_service.data.list_scores import split_list
from thetahat_service.data.tables import build_text_name, get_number_name, list_columns
from thetahat_service.errors import InvalidFile
from thetahat_service.json_keys import find_repeated_key, has_each_key_once
from thetahat_service.json_types import JsonObject
from thetahat_service.process.memory import MEBIBYTE, has_room_for

ROWS_AT_ONCE: Final = 10_000
DEEPEST: Final = 8
LARGEST_WHOLE: Final = 2**63
ORJSON_SHARE: Final = 36
"""Most memory that orjson takes, in lengths of the text: 12 that it reserves, and the values of
``[[],[],...``. It crashes where it gets none for a value; ``json`` raises ``MemoryError``."""
_ONE_DIGIT: Final = bytes.maketrans(b"123456789", b"0" * 9)
_NUMBERS: Final = (pa.int64(), pa.float64())
Row = JsonObject


def parse_json(text: bytes, place: str) -> JsonValue:
    """Return the value of a JSON text, which may have NaN and Infinity as Python writes them.

    Raises ``InvalidFile`` if the text is not JSON, or an object in it has a key twice.
    """
    value: JsonValue
    try:
        value = json.loads(text) if _needs_python(text) else orjson.loads(text)
    except ValueError as first:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise InvalidFile(f"{place} is not JSON: {first}.") from None
    # Of 300 MB of messages the quick check takes 2.0 s, and parsing them again 0.6 s; of long lists
    # of numbers, which have few keys, parsing takes seven times as long and all the memory again.
    if len(text) <= MEBIBYTE or not has_each_key_once(text, value):
        try:
            repeated = find_repeated_key(text)
        except RecursionError:
            raise InvalidFile(f"{place} is nested too deeply.") from None
        if repeated is not None:
            raise InvalidFile(f"{place} has the key {repeated!r} twice in one object. Keep one.")
    return value


def _needs_python(text: bytes) -> bool:
    """Return whether orjson has no memory for a text, or would round a number of 19 digits."""
    if len(text) > MEBIBYTE and not has_room_for(ORJSON_SHARE * len(text)):
        return True
    # Ten times as fast as the regular expression [0-9]{19}.
    return b"0" * 19 in text.translate(_ONE_DIGIT)


def flatten(value: JsonObject, prefix: str = "", depth: int = 1) -> Iterator[tuple[str, JsonValue]]:
    """Yield the members of an object, those of objects inside it as ``outer.inner``.

    Scores that are lists are two members.
    """
    for key, member in value.items():
        name = f"{prefix}{key}"
        if isinstance(member, Mapping) and depth < DEEPEST:
            yield from flatten(member, f"{name}.", depth + 1)
        else:
            yield from split_list(name, member)


@dataclass(slots=True)
class _JsonSurvey:
    """The columns of all rows: their types, and those that are left out."""

    rows: int = 0
    kinds: dict[str, pa.DataType | None] = field(default_factory=dict)
    """Type by name, in order of first appearance; None while a column has only missing values."""
    left_out: dict[str, int] = field(default_factory=dict)
    """Columns with lists, or with objects that are nested too deeply, and the first such row."""
    large: set[str] = field(default_factory=set)
    """Names of columns with whole numbers that a double may not keep."""
    marks: dict[str, Counter[str]] = field(default_factory=dict)
    """How often texts that mark missing numbers occur in a column, by name."""

    def add(self, row: Row, limits: FileLimits) -> None:
        self.rows += 1
        seen: set[str] = set()
        for name, value in flatten(row):
            if name in seen:
                raise InvalidFile(
                    f"Row {self.rows - 1} has two members that are the column {name!r}: one of "
                    "that name, and one inside another object. Rename one of them."
                )
            seen.add(name)
            if isinstance(value, (list, Mapping)):
                self.left_out.setdefault(name, self.rows - 1)
                continue
            is_mark = isinstance(value, str) and value.lower() in MISSING_MARKS
            kind = None if is_mark else _find_type(value)
            if isinstance(value, str) and is_mark:
                self.marks.setdefault(name, Counter())[value] += 1
            if isinstance(value, int) and abs(value) > LARGEST_EXACT:
                self.large.add(name)
            earlier = self.kinds.setdefault(name, kind)
            if earlier != kind and kind is not None:
                self.kinds[name] = kind if earlier is None else _choose_wider(earlier, kind)
        check_size(self.rows, max(1, len(self.kinds)), limits)

    def build_schema(self) -> pa.Schema:
        names = [name for name in self.kinds if name not in self.left_out]
        check_names(names)
        kinds = {name: self._choose_type(name) for name in names}
        texts = [name for name in names if name in self.large and kinds[name] == pa.float64()]
        return pa.schema(
            [*kinds.items(), *((build_text_name(name), pa.string()) for name in texts)]
        )

    def _choose_type(self, name: str) -> pa.DataType:
        kind = self.kinds[name]
        if name in self.marks and kind not in _NUMBERS:
            return pa.string()
        return kind or pa.float64()

    def describe(self) -> JsonObject:
        """Return what is left out."""
        among_numbers: JsonObject = {
            name: row for name, row in self.left_out.items() if self.kinds.get(name) in _NUMBERS
        }
        return {
            **({"left_out": list(self.left_out)[:MOST_LEFT_OUT]} if self.left_out else {}),
            **({"lists_among_numbers": among_numbers} if among_numbers else {}),
        }

    def list_marks(self, schema: pa.Schema) -> JsonObject:
        """Return the marks of missing values in columns of numbers, by name."""
        return {
            name: dict(counts)
            for name, counts in self.marks.items()
            if name not in self.left_out and schema.field(name).type in _NUMBERS
        }


def write_rows(
    read: Callable[[], Iterable[Row]], limits: FileLimits, table: IO[bytes]
) -> Inspected:
    """Read the rows twice, first for their columns and then to write them as a table.

    Numbers, booleans and texts are columns, members of objects too (``doc.topic``). Columns with
    lists are left out and named in the details. A column of several types is text.
    """
    from thetahat_service.data.written_numbers import WrittenNumbers  # noqa: PLC0415 - a command with a request needs none

    survey = _JsonSurvey()
    for row in read():
        survey.add(row, limits)
    check_not_empty(survey.rows)
    schema = survey.build_schema()
    if not len(schema):
        raise InvalidFile("The rows have no numbers, texts or booleans.")
    written = WrittenNumbers()
    rows = (dict(flatten(row)) for row in read())
    with pa.ipc.new_file(table, schema) as writer:
        while part := list(islice(rows, ROWS_AT_ONCE)):
            batch = _build_batch(part, schema, limits)
            writer.write_batch(batch)
            written.add(batch)
    columns = list_columns(schema)
    details = {**survey.describe(), **written.describe(survey.list_marks(schema))}
    return Inspected(survey.rows, columns, details, has_table=True)


def _build_batch(
    rows: list[dict[str, JsonValue]], schema: pa.Schema, limits: FileLimits
) -> pa.RecordBatch:
    """Return rows as a batch of the table."""
    columns = []
    for column in schema:
        try:
            name = get_number_name(column.name)
            values = [_convert(row.get(name), column.type) for row in rows]
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
    """Return the column type of a value; None for null and NaN."""
    if value is None or value != value:  # noqa: PLR0124 - NaN
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
    """Return a value as the type of its column needs it; a mark among numbers is missing."""
    if value is None or value != value or (kind in _NUMBERS and isinstance(value, str)):  # noqa: PLR0124 - NaN
        return None
    if kind == pa.float64() and isinstance(value, int | float):
        return float(value)
    if kind == pa.string() and not isinstance(value, str):
        return json.dumps(value)
    return value
