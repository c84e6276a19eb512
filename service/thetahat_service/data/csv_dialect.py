"""The dialect of a text table: delimiter, header and decimal mark."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from thetahat_service.data.base import MAX_NAME, check_names
from thetahat_service.errors import InvalidFile

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_BYTES = 256 * 1024
SAMPLE_ROWS = 100
CHUNK = 1024 * 1024
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+")
AMBIGUOUS_NUMBER = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
COMMENT = "#"
BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Dialect:
    """The dialect of a text table.

    Parameters
    ----------
    delimiter : str
        One of comma, semicolon, tab and bar.
    decimal : str
        Point or comma.
    header : tuple of str
        The names in the file, which may be empty.
    comments : int
        Number of lines before the header that begin with ``#``.
    """

    delimiter: str
    decimal: str
    header: tuple[str, ...]
    comments: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names; an unnamed one, such as R's row names, is named by its position."""
        return tuple(name or f"column_{i}" for i, name in enumerate(self.header))


def check_text(path: Path) -> None:
    """Refuse a file that is not UTF-8 or has NUL bytes, and name the byte."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    before = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            n_undecoded = len(decoder.getstate()[0])
            nul = chunk.find(b"\0")
            try:
                decoder.decode(chunk if nul < 0 else chunk[:nul])
            except UnicodeDecodeError as error:
                place = before - n_undecoded + error.start
                raise InvalidFile(
                    f"The text is not UTF-8: byte {place} is 0x{error.object[error.start]:02x}. "
                    "Name its encoding, as in Content-Type: text/csv; charset=windows-1252."
                ) from None
            if nul >= 0:
                raise InvalidFile(f"The text has a NUL byte at byte {before + nul}.")
            before += len(chunk)
    unfinished = decoder.getstate()[0]
    if unfinished:
        raise InvalidFile(
            f"The text is not UTF-8: it is cut off at byte {before - len(unfinished)}."
        )


def check_closed(path: Path, last: str) -> None:
    """Refuse a text that ends inside quotes, so that its last value ``last`` swallows later rows.

    Such a text ends with a quotation mark and the value; if the quotes are closed, a quotation mark
    or a new line follows. Only the last column needs this check: quotes that stay open in another
    column make the row too short.
    """
    opened = b'"' + last.replace('"', '""').encode()
    with path.open("rb") as file:
        start = max(0, file.seek(0, io.SEEK_END) - len(opened) - 1)
        file.seek(start)
        before, end = file.read(1), file.read()
    if end == opened and before != b'"':
        raise InvalidFile(
            f"The text ends inside quotes: the quotation mark at byte {start + 1} is never closed."
        )


def detect_dialect(path: Path) -> Dialect:
    """Return the dialect of a text table, from its first rows."""
    sample = _read_sample(path)
    _check_not_json(sample)
    comments, sample = _skip_comments(sample)
    candidates = {delimiter: _read_records(sample, delimiter) for delimiter in DELIMITERS}
    delimiter = max(DELIMITERS, key=lambda d: _fit(candidates[d]))  # of equals the first: comma
    records = candidates[delimiter]
    if not records:
        raise InvalidFile("The file has no header: its first line must name the columns.")
    header = tuple(records[0])
    if all(NUMBER.fullmatch(name.strip()) for name in header):
        raise InvalidFile(
            f"The first line must name the columns, but it has numbers: {', '.join(header)[:80]}."
        )
    rows = records[1:]
    if delimiter != "," and len(records) > SAMPLE_ROWS:  # a decimal comma may come late
        rows = _read_records(sample, delimiter, max_records=len(sample))[1:]
    dialect = Dialect(delimiter, _detect_decimal_mark(delimiter, rows, header), header, comments)
    check_names(dialect.names)
    return dialect


def _check_not_json(sample: str) -> None:
    """Refuse JSON Lines and JSON that were sent as text."""
    first = sample.lstrip().partition("\n")[0].strip()
    if not first.startswith(("{", "[")):
        return
    try:
        value = json.loads(first)
    except ValueError:
        value = None
    if isinstance(value, dict):
        raise InvalidFile(
            "The file has an object of JSON in each line. Send it as JSON Lines, with the ending "
            ".jsonl or Content-Type: application/jsonl."
        )
    if value is not None or re.fullmatch(r"[{\[]|\[\s*[{\[].*", first):
        raise InvalidFile(
            "The file is JSON and not a text table. Send one object of JSON in each line, with the "
            "ending .jsonl or Content-Type: application/jsonl."
        )


def _skip_comments(sample: str) -> tuple[int, str]:
    """Return the number of comment lines before the header, and the text after them."""
    lines = sample.splitlines(keepends=True)
    n = next((i for i, line in enumerate(lines) if not line.startswith(COMMENT)), len(lines))
    return n, "".join(lines[n:])


def count_columns_by_space(sample: str) -> int:
    """Return the number of columns of a table whose columns are separated by spaces, or 0.

    Such a table has no other delimiter and no quotes, every line has as many words, and at least
    one column has only numbers: a column of text with spaces is not taken for several.
    """
    _, text = _skip_comments(sample)
    lines = [line.split() for line in text.splitlines() if line.strip()][: SAMPLE_ROWS + 1]
    if len(lines) < 2 or any(mark in text for mark in (*DELIMITERS, '"')):
        return 0
    width = len(lines[0])
    if width < 2 or any(len(line) != width for line in lines):
        return 0
    has_numbers = any(all(NUMBER.fullmatch(line[i]) for line in lines[1:]) for i in range(width))
    return width if has_numbers else 0


def build_tabs_path(path: Path) -> Path:
    """Return the path of the temporary copy of a text with tabs in the place of spaces."""
    return path.with_name(path.name + ".tabs")


@contextmanager
def replace_spaces_by_tabs(text: Path, original: Path) -> Iterator[tuple[Path, bool]]:
    """Yield the path of the text, and whether it is a copy with tabs for spaces between columns."""
    if not count_columns_by_space(_read_sample(text)):
        yield text, False
        return
    copy = build_tabs_path(original)
    try:
        with text.open(encoding="utf-8-sig") as lines, copy.open("w", encoding="utf-8") as target:
            for line in lines:
                is_comment = line.startswith(COMMENT)
                target.write(line if is_comment else "\t".join(line.split()) + "\n")
        yield copy, True
    finally:
        copy.unlink(missing_ok=True)


def _read_sample(path: Path) -> str:
    """Return the first complete lines of a text, without its byte order mark."""
    with path.open("rb") as file:
        raw = file.read(SAMPLE_BYTES)
    text = raw.decode("utf-8", errors="ignore").removeprefix(BYTE_ORDER_MARK)
    if len(raw) < SAMPLE_BYTES:
        return text
    complete_lines, newline, _ = text.rpartition("\n")
    if not newline:
        raise InvalidFile(f"The first line is longer than {SAMPLE_BYTES} bytes.")
    return complete_lines + newline


def _read_records(sample: str, delimiter: str, max_records: int = SAMPLE_ROWS) -> list[list[str]]:
    """Return the first records of a sample, split at a delimiter."""
    records: list[list[str]] = []
    try:
        for record in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter):
            if record:
                records.append(record)
            if len(records) > max_records:
                break
    except csv.Error as error:
        if not records:
            raise InvalidFile(f"The first line cannot be read: {error}.") from None
    return records


def _fit(records: list[list[str]]) -> tuple[float, int]:
    """Return the share of rows as wide as the header, and the width, to compare delimiters."""
    if not records or len(records[0]) < 2 or any(len(name) > MAX_NAME for name in records[0]):
        return (0.0, 0)
    width = len(records[0])
    alike = sum(len(record) == width for record in records[1:])
    return ((alike + 1) / len(records), width)


def _detect_decimal_mark(delimiter: str, records: list[list[str]], header: Sequence[str]) -> str:
    """Return the decimal mark: the comma if some numbers have a comma and none has a point."""
    if delimiter == ",":
        return "."
    cells = [cell.strip() for record in records for cell in record]
    with_comma = any(COMMA_NUMBER.fullmatch(cell) for cell in cells)
    with_point = any("." in cell and NUMBER.fullmatch(cell) for cell in cells)
    if not with_comma or with_point:
        return "."
    commas = [cell for cell in cells if COMMA_NUMBER.fullmatch(cell)]
    if all(AMBIGUOUS_NUMBER.fullmatch(cell) for cell in commas) and not _has_thousands(cells):
        row, column = next(
            (i, j)
            for i, record in enumerate(records)
            for j, cell in enumerate(record)
            if AMBIGUOUS_NUMBER.fullmatch(cell.strip())
        )
        raise build_ambiguous_number_error(
            commas[0], header[column] if column < len(header) else "", row
        )
    return ","


def _has_thousands(cells: list[str]) -> bool:
    return any(re.fullmatch(r"[+-]?\d{1,3}(\.\d{3})+,\d+", cell) for cell in cells)


def build_ambiguous_number_error(text: str, column: str, row: int) -> InvalidFile:
    """Return the refusal of a number whose comma may be a decimal mark or of thousands."""
    without, with_point = text.replace(",", ""), text.replace(",", ".")
    return InvalidFile(
        f"Column {column!r} has {text} in row {row}, which may be {with_point} or {without}: no "
        "other number of the column shows which. Write the numbers with a decimal point and "
        "without marks for thousands."
    )
