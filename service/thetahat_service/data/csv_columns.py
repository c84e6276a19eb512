"""The types of a text table's columns and the form of its numbers, found from all rows.

The table is read as text. All columns share one decimal mark, unless a column shows another one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import pyarrow as pa
from pyarrow import csv as arrow_csv

from thetahat.common_names import FALSE_WORDS, MISSING_MARKS, TRUE_WORDS
from thetahat.tables.columns import MOST_NAMED_CELLS, MOST_OTHER_CELLS
from thetahat.values.json_values import LARGEST_EXACT
from thetahat_service.data import arrow_functions as pc
from thetahat_service.data.arrow_arrays import make_arrow_array
from thetahat_service.data.arrow_columns import check_text_lengths, find_wire_type
from thetahat_service.data.base import FileLimits, check_size
from thetahat_service.data.csv_dialect import COMMENT, Dialect
from thetahat_service.data.csv_numbers import (
    EITHER,
    FRACTION,
    GROUPED,
    MISSING_TEXT,
    NUMBER,
    PLAIN_FORM,
    NumberForm,
    are_matched,
    cast_numbers,
    drop_missing,
    remove_signs,
    split_marks,
)
from thetahat_service.errors import InvalidFile
from thetahat_service.json_types import JsonObject

BLOCK_BYTES = 4 * 1024 * 1024
FIRST_ROWS: Final = 200
FEW_CELLS: Final = 20
"""Cells that usually suffice to see the decimal mark of a column."""
FURTHEST: Final = 100
"""How many times larger than all others numbers may be because of a mark of thousands."""

_NOT_FOUND: Final = make_arrow_array([-1])[0]
"""Place of a text that is not in another; a number of Python makes pyarrow import pandas."""
_SHOWS_POINT: Final = re.compile(r"-?[0-9]*\.(?![0-9]{3}$)[0-9]+(?:e-?[0-9]+)?|-?0\.[0-9]+")
_LEADING_ZERO: Final = r"^[+-]?0[0-9]"
"""Whole numbers in whose place stand texts: 01 and 1 are two of them."""
_OTHER_START: Final = r"^(?:\+|[+-]?0[xX])"


def read_texts(
    path: Path, dialect: Dialect, comments: list[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield the cells of a text table as text, block by block; null where one is empty.

    A line among the rows that begins with ``#`` and does not have the cells of a row is a comment.
    Comments are left out, and appended to ``comments``.
    """

    def skip_comment(row: arrow_csv.InvalidRow) -> str:
        if not row.text.startswith(COMMENT) or "\n" in row.text:
            return "error"
        if comments is not None:
            comments.append(row.text)
        return "skip"

    with arrow_csv.open_csv(
        path,
        read_options=arrow_csv.ReadOptions(
            block_size=BLOCK_BYTES,
            skip_rows=dialect.lines_before_rows,
            column_names=dialect.names,
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=dialect.delimiter,
            escape_char="\\" if dialect.has_escapes else False,
            newlines_in_values=True,
            invalid_row_handler=skip_comment,
            # In a table of one column an empty line is a missing value.
            ignore_empty_lines=len(dialect.header) > 1,
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(dialect.names, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
        ),
    ) as reader:
        yield from reader


@dataclass(slots=True)
class ColumnSurvey:
    """A column of a text table, and after ``finish`` its type and the form of its numbers."""

    name: str
    """In the table."""
    kind: pa.DataType = field(default_factory=pa.float64)
    """The narrowest type of all values."""
    form: NumberForm = PLAIN_FORM
    """How its numbers are written."""
    marks: Counter[str] = field(default_factory=Counter)
    """How often each mark of a missing value occurs in a column of numbers."""
    n_numbers: int = 0
    """Number of cells that are numbers."""
    others: list[tuple[int, str]] = field(default_factory=list)
    """(row, text) of the first cells that are not."""
    n_others: int = 0
    """Number of all of them."""
    needs_text: bool = False
    """Whether texts that differ may be one number, so that labels are the texts."""
    are_padded: bool = False
    """Whether they are whole numbers of which some begin with 0, and so texts."""
    differ_by_zeros: bool = False
    """Whether fractions may differ in zeros at their end alone: 1.1 and 1.10."""
    shown: set[str] = field(default_factory=set)
    """The decimal marks that some of its numbers can only have."""
    _either: dict[str, tuple[int, str]] = field(default_factory=dict)
    _far_off: set[str] = field(default_factory=set)
    """Marks that make some numbers far larger than all others if they stand between thousands."""
    _n_percent: int = 0
    _is_text: bool = False
    _truths: frozenset[str] = frozenset()
    """The words for true and false, if the column has no others."""
    _are_integers: bool = True
    _are_whole: bool = True
    _are_grouped: bool = False
    _are_large: bool = False
    _have_leading_zeros: bool = False
    _have_point: set[bool] = field(default_factory=set)

    @property
    def has_values(self) -> bool:
        """Whether some cell has a value."""
        n_values = self.n_numbers + self.n_others + len(self.marks.keys() - {""})
        return self._is_text or bool(self._truths) or n_values > 0

    @property
    def is_text(self) -> bool:
        """Whether it is known to be text."""
        return self._is_text

    @property
    def are_letters(self) -> bool:
        """Whether some of its booleans are t or f, which are text unless a role needs numbers."""
        return self.kind == pa.bool_() and any(len(word) == 1 for word in self._truths)

    @property
    def has_labels(self) -> bool:
        """Whether it is text that is not nearly numbers, in which NA and NaN may be labels."""
        return self.kind == pa.string() and (
            self._is_text or self.n_others >= max(1, self.n_numbers)
        )

    @property
    def is_nearly_numeric(self) -> bool:
        """Whether it is text because of a few cells among numbers."""
        return self.kind == pa.string() and not self._is_text and 0 < self.n_others < self.n_numbers

    def add(self, texts: pa.Array, first_row: int) -> None:
        """Take account of further cells."""
        if texts.null_count == len(texts) or self._is_text:
            return
        found = None if self.n_numbers or self.n_others else _find_truths(texts)
        if found is not None and (found[0] or self._truths):
            self._truths |= found[0]
            self.marks += found[1]
        elif self._truths:
            self._is_text = True
        else:
            self._add_numbers(texts, first_row)

    def _add_numbers(self, texts: pa.Array, first_row: int) -> None:
        """Take account of cells that may be numbers."""
        numbers = self._read_plain_numbers(texts)
        if numbers is None:
            texts, marks = split_marks(texts)
            self.marks += marks
            numbers = self._read_plain_numbers(texts)
        self._are_integers &= numbers is not None and numbers.type == pa.int64()
        if numbers is None:
            self._add_written(texts, first_row)
            return
        self.n_numbers += len(texts) - texts.null_count
        if numbers.type == pa.float64() and "." not in self.shown:
            first = texts[:FEW_CELLS].to_pylist()
            if any(text and _SHOWS_POINT.fullmatch(text) for text in first):
                self.shown.add(".")
            else:
                self._note_decimals(texts, first_row)
        if self._are_whole:
            self._note_whole(texts, numbers)
        if not self._are_whole and not self.differ_by_zeros:
            self.differ_by_zeros = _may_differ_by_zeros(texts, ".")

    def _read_plain_numbers(self, texts: pa.Array) -> pa.Array | None:
        """Return numbers as computers write them, whole ones if all are; None if some are not."""
        whole = cast_numbers(texts, pa.int64()) if self._are_integers else None
        numbers = cast_numbers(texts, pa.float64()) if whole is None else whole
        if numbers is None or (whole is None and pc.any(pc.is_nan(numbers)).as_py()):
            return None  # or with nan, a mark of a missing value
        return numbers

    def _add_written(self, texts: pa.Array, first_row: int) -> None:
        """Take account of cells of which some are no plain numbers."""
        values, is_percent, is_spaced = remove_signs(texts)
        are_numbers = are_matched(values, NUMBER)
        n_numbers = pc.sum(are_numbers).as_py() or 0
        self.n_numbers += n_numbers
        self.n_others += len(texts) - texts.null_count - n_numbers
        if self.n_others > MOST_OTHER_CELLS and self.n_others * 10 > self.n_numbers:
            self._is_text = True
            return
        for row in pc.indices_nonzero(pc.invert(are_numbers)).to_pylist():
            if len(self.others) < MOST_NAMED_CELLS:
                self.others.append((first_row + row, texts[row].as_py()))
        self._n_percent += is_percent
        self._are_grouped |= is_spaced
        self._are_whole &= not is_percent
        self.needs_text = True
        self.differ_by_zeros |= any(_may_differ_by_zeros(values, mark) for mark in ".,")
        self._note_decimals(pc.if_else(are_numbers, values, MISSING_TEXT), first_row)

    def _note_decimals(self, values: pa.Array, first_row: int) -> None:
        """Note which decimal marks the numbers show, and the first that may have either."""
        for mark in ".,":
            is_grouped = pc.any(are_matched(values, GROUPED[mark])).as_py()
            are_either = are_matched(values, EITHER[mark])
            are_fractions = pc.and_(are_matched(values, FRACTION[mark]), pc.invert(are_either))
            self._are_grouped |= bool(is_grouped)
            if is_grouped or pc.any(are_fractions).as_py():
                self.shown.add(mark)
            row = pc.index(are_either, True).as_py()
            if row >= 0:
                self._either.setdefault(mark, (first_row + row, values[row].as_py()))
                if not is_grouped and _are_far_off(values, are_either, mark):
                    self._far_off.add(mark)
            if mark == "," and pc.any(are_fractions).as_py():
                self._are_whole = False

    def _note_whole(self, texts: pa.Array, numbers: pa.Array) -> None:
        """Note whether the numbers are whole, and written in ways that differ more than they do."""
        if numbers.type == pa.float64():
            self._are_whole = pc.all(pc.equal(numbers, pc.round(numbers))).as_py() is not False
            if not self._are_whole:
                return
            texts = pc.utf8_trim_whitespace(texts)
            have_point = are_matched(pc.drop_null(texts), r"[+-]?[0-9]+\.0")
            self._have_point |= {*pc.unique(have_point).to_pylist()}
            if not pc.all(are_matched(texts, r"[+-]?[0-9]+(?:\.0)?")).as_py():
                self._have_point |= {True, False}  # 1e3, or 1.00
        else:
            self._have_point.add(False)
        largest = pc.max(pc.abs(pc.cast(numbers, pa.float64(), safe=False))).as_py()
        self._are_large |= largest is not None and largest > LARGEST_EXACT
        self.needs_text |= bool(
            pc.any(pc.match_substring_regex(texts, pattern=_OTHER_START)).as_py()
        )
        zeros = pc.match_substring_regex(texts, pattern=_LEADING_ZERO)
        self._have_leading_zeros |= bool(pc.any(zeros).as_py())

    def finish(self, shown: set[str], *, is_comma_likely: bool) -> None:
        """Choose type and form.

        ``shown`` are the decimal marks that the whole file shows; with semicolons between columns,
        as programs write them whose decimal mark is the comma, 1.234 alone may be either.
        """
        if self._truths and not self._is_text:
            self.kind = pa.bool_()
            are_both = self._truths & TRUE_WORDS and self._truths & FALSE_WORDS
            has_marks = any(self.marks.keys() - {""})
            self._is_text = self.are_letters and (not are_both or has_marks)
            if not self._is_text:
                return
        is_text = self._is_text or self.n_others or self._is_mixed
        self.are_padded = not is_text and self._have_leading_zeros and self._are_whole
        if is_text or self.are_padded or (self.marks and not self.n_numbers):
            self.kind, self.needs_text = pa.string(), False
            return
        if not self.n_numbers:
            return
        if self._are_integers:
            self.kind = pa.int64()
            return
        decimal = self._choose_decimal(shown, is_comma_likely=is_comma_likely)
        is_grouped = self._are_grouped or bool(self._either.keys() - {decimal})
        self.form = NumberForm(decimal, self._n_percent > 0, is_grouped)
        have_forms = self.needs_text or self._are_large or is_grouped or len(self._have_point) > 1
        are_whole = self._are_whole or is_grouped
        self.needs_text = self.differ_by_zeros or (are_whole and have_forms)

    def describe_numbers(self) -> JsonObject:
        """Return how the numbers of a column of text are written."""
        return {
            "type": find_wire_type(self.kind),
            "decimal": self.form.decimal,
            "divided_by": 100 if self.form.is_percent else 1,
            "has_thousands": self.form.is_grouped,
        }

    @property
    def _is_mixed(self) -> bool:
        """Whether its numbers are not all of one form: 1,5 and 2.5, or 1,534 and 1.432."""
        has_both = not self.shown and len(self._either) > 1
        is_far_off = len(self.shown) == 1 and bool(self._far_off - self.shown)
        has_some_percent = self._n_percent not in {0, self.n_numbers}
        return len(self.shown) > 1 or has_both or is_far_off or has_some_percent

    def _choose_decimal(self, shown: set[str], *, is_comma_likely: bool) -> str:
        if self.shown:
            return next(iter(self.shown))
        if not self._either:
            return "."
        if len(shown) == 1:
            return next(iter(shown))
        if not shown and {*self._either} == {"."} and not is_comma_likely:
            return "."
        row, text = self._either.get(",") or self._either["."]
        raise _build_ambiguous_number_error(text, self.name, row)


class Survey(NamedTuple):
    """What all rows of a text table show."""

    columns: list[ColumnSurvey]
    decimal: str
    """The decimal mark."""
    rows: int
    """Number of rows up to the last one with a value; of a table of one column all rows."""
    empty_rows: int
    """Number of rows after that one, as Excel writes them: delimiters alone."""
    comments: int
    """Number of comments among the rows."""
    last: str | None
    """The last cell."""


def survey_columns(path: Path, dialect: Dialect, limits: FileLimits) -> Survey:
    """Return what a text table has.

    Raises ``InvalidFile`` for a column whose commas or points may be decimal marks or of thousands.
    """
    columns = [ColumnSurvey(name) for name in dialect.names]
    rows = filled = 0
    last: str | None = None
    comments: list[str] = []
    for batch in read_texts(path, dialect, comments):
        check_size(rows + batch.num_rows, len(columns), limits)
        if batch.num_rows:
            last = batch.column(-1)[-1].as_py()
        n_filled = batch.num_rows if len(columns) == 1 else _count_filled_rows(batch)
        filled = rows + n_filled if n_filled else filled
        # A few rows show which columns are text, so that no more of their cells are looked at.
        parts = [batch] if rows else [batch[:FIRST_ROWS], batch[FIRST_ROWS:]]
        for part in parts:
            for column, cells in zip(columns, part.columns, strict=True):
                column.add(drop_missing(cells), rows)
                check_text_lengths(column.name, cells, limits)
            rows += part.num_rows
    shown = find_shown_marks(columns)
    for column in columns:
        column.finish(shown, is_comma_likely=dialect.delimiter == ";")
    decimal = "," if shown == {","} else "."
    return Survey(columns, decimal, filled, rows - filled, len(comments), last)


def _count_filled_rows(batch: pa.RecordBatch) -> int:
    """Return the number of rows up to the last one with a value."""
    if not batch.num_rows or any(column[-1].is_valid for column in batch.columns):
        return int(batch.num_rows)
    places = (pc.indices_nonzero(pc.is_valid(column)) for column in batch.columns)
    return max(rows[-1].as_py() + 1 if len(rows) else 0 for rows in places)


def convert_booleans(texts: pa.Array) -> pa.Array:
    """Return booleans of texts that are all true or false, or missing."""
    texts, _ = split_marks(texts)
    is_true = pc.is_in(texts, value_set=make_arrow_array(sorted(TRUE_WORDS)))
    return pc.if_else(pc.is_valid(texts), is_true, pa.nulls(1, pa.bool_())[0])


def find_shown_marks(columns: Iterable[ColumnSurvey]) -> set[str]:
    """Return the decimal marks that the numbers of a file show."""
    return set().union(*(c.shown for c in columns if c.n_others < c.n_numbers))


def describe_survey(columns: Sequence[ColumnSurvey], marks: JsonObject | None = None) -> JsonObject:
    """Return the marks of missing values among numbers, and the cells that are no numbers.

    The latter are the first ones of each column that is nearly all numbers. ``marks`` are those of
    other columns, by name.
    """
    all_marks: JsonObject = {
        **(marks or {}),
        **{
            c.name: {mark: n for mark, n in c.marks.items() if mark}
            for c in columns
            if (c.are_padded or c.kind in {pa.int64(), pa.float64(), pa.bool_()}) and any(c.marks)
        },
    }
    others: JsonObject = {
        c.name: {
            "numbers": c.n_numbers,
            "others": c.n_others,
            "first": [{"row": row, "value": text[:80]} for row, text in c.others],
        }
        for c in columns
        if c.is_nearly_numeric
    }
    return {
        **({"missing_marks": all_marks} if all_marks else {}),
        **({"not_numbers": others} if others else {}),
    }


def _find_truths(texts: pa.Array) -> tuple[frozenset[str], Counter[str]] | None:
    """Return the words for true and false that texts are, and the marks of missing values.

    None if some text is neither.
    """
    first = pc.drop_null(texts)[0].as_py().strip()
    if first not in TRUE_WORDS | FALSE_WORDS and first.lower() not in MISSING_MARKS:
        return None
    known, marks = split_marks(texts)
    words = frozenset(pc.unique(pc.drop_null(known)).to_pylist())
    return (words, marks) if words <= TRUE_WORDS | FALSE_WORDS else None


def _may_differ_by_zeros(texts: pa.Array, mark: str) -> bool:
    """Return whether some fractions end with a zero, and have more digits than others.

    A last zero as in 1.0, which computers write, does not count.
    """
    ends = pc.filter(texts, pc.ends_with(texts, "0"))
    ends = pc.filter(ends, pc.invert(pc.ends_with(ends, f"{mark}0")))
    if not pc.any(pc.match_substring(ends, mark)).as_py():
        return False
    places = pc.find_substring(texts, mark)
    digits = pc.filter(pc.subtract(pc.binary_length(texts), places), pc.greater(places, _NOT_FOUND))
    lengths = pc.min_max(digits)
    return bool(lengths["min"].as_py() != lengths["max"].as_py())


def _are_far_off(values: pa.Array, are_either: pa.Array, mark: str) -> bool:
    """Return whether numbers such as 1,534 are far larger than all others if they are thousands."""
    without_marks = pc.replace_substring(values, pattern=mark, replacement="")
    written = pc.replace_substring(
        without_marks, pattern="," if mark == "." else ".", replacement="."
    )
    numbers = cast_numbers(written, pa.float64())
    if numbers is None:
        return False
    sizes = pc.abs(numbers)
    largest = pc.max(pc.filter(sizes, pc.invert(are_either))).as_py()
    return largest is not None and pc.min(pc.filter(sizes, are_either)).as_py() > FURTHEST * largest


def _build_ambiguous_number_error(text: str, column: str, row: int) -> InvalidFile:
    """Return the refusal of a number whose mark may be a decimal mark or of thousands."""
    without = text.replace(",", "").replace(".", "")
    return InvalidFile(
        f"Column {column!r} has {text} in row {row}, which may be {text.replace(',', '.')} or "
        f"{without}: no other number shows which. Write the numbers with a decimal point and "
        "without marks for thousands."
    )
