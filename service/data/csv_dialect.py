"""The dialect of a text table: delimiter, header and decimal mark."""

from __future__ import annotations

import codecs
import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path

from service.data.base import MAX_NAME, check_names
from service.errors import InvalidFile

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_BYTES = 256 * 1024
SAMPLE_ROWS = 100
CHUNK = 1024 * 1024
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+")
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
    """

    delimiter: str
    decimal: str
    header: tuple[str, ...]

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
            held = len(decoder.getstate()[0])
            nul = chunk.find(b"\0")
            try:
                decoder.decode(chunk if nul < 0 else chunk[:nul])
            except UnicodeDecodeError as error:
                place = before - held + error.start
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
    sample = _sample(path)
    candidates = {delimiter: _records(sample, delimiter) for delimiter in DELIMITERS}
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
        rows = _records(sample, delimiter, most=len(sample))[1:]
    dialect = Dialect(delimiter, _decimal(delimiter, rows), header)
    check_names(dialect.names)
    return dialect


def _sample(path: Path) -> str:
    with path.open("rb") as file:
        raw = file.read(SAMPLE_BYTES)
    text = raw.decode("utf-8", errors="ignore").removeprefix(BYTE_ORDER_MARK)
    if len(raw) < SAMPLE_BYTES:
        return text
    complete_lines, newline, _ = text.rpartition("\n")
    if not newline:
        raise InvalidFile(f"The first line is longer than {SAMPLE_BYTES} bytes.")
    return complete_lines + newline


def _records(sample: str, delimiter: str, most: int = SAMPLE_ROWS) -> list[list[str]]:
    records: list[list[str]] = []
    try:
        for record in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter):
            if record:
                records.append(record)
            if len(records) > most:
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


def _decimal(delimiter: str, records: list[list[str]]) -> str:
    """Return the decimal mark: the comma if some numbers have a comma and none has a point."""
    if delimiter == ",":
        return "."
    cells = [cell.strip() for record in records for cell in record]
    with_comma = any(COMMA_NUMBER.fullmatch(cell) for cell in cells)
    with_point = any("." in cell and NUMBER.fullmatch(cell) for cell in cells)
    return "," if with_comma and not with_point else "."
