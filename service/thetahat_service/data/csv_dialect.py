"""The dialect of a text table: delimiter, header and quotes."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from thetahat.tables.column_profiles import PLAIN_NUMBER
from thetahat_service.data.base import MAX_NAME, check_names
from thetahat_service.errors import InvalidFile

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_BYTES = 256 * 1024
SAMPLE_ROWS = 100
CHUNK = 1024 * 1024
OF_NUMBERS = re.compile(r"[+-]?[0-9.,;+-]+(?:[eE][+-]?[0-9]+)?")
"""A number, or several of them that were not split."""
SEPARATOR_LINE = re.compile(r"\"?sep=([,;\t|])\"?[ ,;]*\r?\n", re.IGNORECASE)
"""What Excel writes before the header."""
PROMPTFOO_PARTS = frozenset({"Status", "Score", "Grader Reason", "Comment"})
"""Columns that follow each column of outputs in the CSV files of promptfoo."""
PROMPTFOO_CELL = re.compile(r"\[(PASS|FAIL|ERROR)\]")
"""The begin of its outputs where the file has no such columns."""
PROMPTFOO = (
    "The file is a CSV export of promptfoo, whose outputs and scores stand side by side under the "
    "same names. Write the results as JSON, which is read: promptfoo export eval ID -o FILE.json, "
    "or promptfoo eval -o FILE.json."
)
ESCAPED_QUOTE = re.compile(r"\\\"(?![\"\s,;|]|$)")
"""A quotation mark in the middle of a text: not the end of one that ends with a backslash."""
WORD = re.compile(r"[^\"]+|\"[^\"]*\"")
"""A word without quotes, or inside them."""
COMMENT = "#"
AROUND_NAMES = string.whitespace + "\ufeff\u200b\u200e\u200f\u2060\u00a0"
"""Blanks and characters that nobody sees, which are no part of a column's name."""
BYTE_ORDER_MARK = "\ufeff"


class Dialect(NamedTuple):
    """The dialect of a text table."""

    delimiter: str
    """One of comma, semicolon, tab and bar."""
    header: tuple[str, ...]
    """The names in the file, which may be empty, without blanks around them."""
    lines_before_rows: int
    """Number of lines up to the end of the header."""
    comments: int = 0
    """Number of lines before the header that begin with ``#``."""
    has_unnamed_last: bool = False
    """Whether all rows have one cell more than the header, which must be empty."""
    has_escapes: bool = False
    """Whether quotation marks inside quotes follow a backslash."""

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
                    "Save it as UTF-8, or name its encoding, as in Content-Type: text/csv; "
                    "charset=windows-1252."
                ) from None
            if nul >= 0:
                raise InvalidFile(
                    f"The text has a NUL byte at byte {before + nul}, as UTF-16 has and files that "
                    "are no text. Save it as CSV UTF-8."
                )
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
    comments, rest = _skip_comments(sample)
    named = SEPARATOR_LINE.match(rest)
    if named is not None:
        rest = rest[named.end() :]
    has_escapes = ESCAPED_QUOTE.search(rest) is not None

    def split(text: str) -> tuple[str, list[list[str]], int]:
        candidates = {
            delimiter: _read_records(text, delimiter, has_escapes=has_escapes)
            for delimiter in (DELIMITERS if named is None else named[1])
        }
        chosen = max(candidates, key=lambda d: _fit(candidates[d][0]))  # of equals the first: comma
        if not _fit(candidates[chosen][0])[1]:
            _check_no_title(records for records, _ in candidates.values())
        return chosen, *candidates[chosen]

    delimiter, records, header_lines = _split_commented_header(sample, comments, split) or split(
        rest
    )
    if not records:
        raise InvalidFile("The file has no header: its first line must name the columns.")
    header = [name.strip(AROUND_NAMES) for name in records[0]]
    _check_one_name(header, records[1:])
    if all(map(OF_NUMBERS.fullmatch, header)):
        raise InvalidFile(
            f"The first line must name the columns, but it has numbers: {', '.join(header)[:80]}."
        )
    _check_header_quotes(header)
    if _is_of_promptfoo(header):
        raise InvalidFile(PROMPTFOO)
    has_unnamed_last = _count_cells(records) == len(header) + 1
    if has_unnamed_last:
        header.append("")
    elif not header[-1] and _count_cells(records) == len(header) - 1:
        del header[-1]
    dialect = Dialect(
        delimiter,
        tuple(header),
        comments + (named is not None) + header_lines,
        comments,
        has_unnamed_last,
        has_escapes,
    )
    check_names(dialect.names)
    return dialect


def _split_commented_header(
    sample: str, comments: int, split: Callable[[str], tuple[str, list[list[str]], int]]
) -> tuple[str, list[list[str]], int] | None:
    """Return the records from the last comment line on, if it has the names of the columns.

    NumPy writes ``# a,b``, and people name the column of row numbers ``#``. The line after it must
    have numbers and no names. The header then takes no lines but those of comments.
    """
    if not comments:
        return None
    lines = sample.splitlines(keepends=True)
    first = lines[comments - 1].lstrip(f"{COMMENT} ")
    delimiter, records, _ = split("".join([first, *lines[comments:]]))
    if len(records) < 2 or len(records[0]) < 2 or _count_cells(records) != len(records[0]):
        return None
    names, cells = records[0], [cell.strip() for cell in records[1]]
    if any(map(OF_NUMBERS.fullmatch, names)) or not any(map(OF_NUMBERS.fullmatch, cells)):
        return None
    return delimiter, [[names[0] or COMMENT, *names[1:]], *records[1:]], 0


def _check_no_title(candidates: Iterable[list[list[str]]]) -> None:
    """Refuse a line above the names of the columns that is no part of the table."""
    for records in candidates:
        width = _count_cells(records)
        if records and len(records[0]) == 1 and width is not None and width > 2:
            raise InvalidFile(
                f"The first line has one cell, {records[0][0][:80]!r}, and the others {width}: "
                "a title seems to stand above the names of the columns. Remove it."
            )


def _check_one_name(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Refuse a title that a spreadsheet wrote as a row, with empty cells beside it."""
    unnamed = range(1, len(header))
    if len(header) < 3 or not header[0] or any(header[i] for i in unnamed):
        return
    filled = [i for i in unnamed if any(len(row) > i and row[i].strip() for row in rows)]
    if len(filled) > 1:
        raise InvalidFile(
            f"The first line has one name, {header[0][:80]!r}, and {len(filled)} other columns "
            "have values: a title seems to stand above the names of the columns. Remove it."
        )


def _count_cells(records: list[list[str]]) -> int | None:
    """Return the number of cells that every row has; None if they differ or there are no rows."""
    widths = {len(record) for record in records[1:]}
    return widths.pop() if len(widths) == 1 else None


def _check_header_quotes(header: list[str]) -> None:
    """Refuse names in quotes after a blank: such quotes would be part of the name."""
    quoted = next((name for name in header if len(name) > 1 and name[0] == name[-1] == '"'), None)
    if quoted is not None:
        raise InvalidFile(
            f"The header has a blank before the quotation mark of {quoted[:80]}, so that they "
            "would be part of the name. Remove the blanks after the delimiters."
        )


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

    Such a table has no other delimiter and no quotes but around words, every line has as many
    words, and at least one column has only numbers: a column of text with spaces is not taken for
    several. The header may lack a name of the first column, as R and pandas write row names.
    """
    text = "\n".join(line for line in sample.splitlines() if not line.startswith(COMMENT))
    lines = [line.split() for line in text.splitlines() if line.strip()][: SAMPLE_ROWS + 1]
    if len(lines) < 2 or any(mark in text for mark in DELIMITERS):
        return 0
    width, named = len(lines[1]), len(lines[0])
    if named < 2 or width - named not in {0, 1} or any(len(line) != width for line in lines[1:]):
        return 0
    if '"' in text and not all(WORD.fullmatch(word) for line in lines for word in line):
        return 0
    columns = zip(*lines[1:], strict=True)
    return width if any(all(map(PLAIN_NUMBER.fullmatch, cells)) for cells in columns) else 0


def build_tabs_path(path: Path) -> Path:
    """Return the path of the temporary copy of a text with tabs in the place of spaces."""
    return path.with_name(path.name + ".tabs")


@contextmanager
def replace_spaces_by_tabs(text: Path, original: Path) -> Iterator[tuple[Path, bool]]:
    """Yield the path of the text, and whether it is a copy with tabs for spaces between columns."""
    sample = _read_sample(text)
    width = count_columns_by_space(sample)
    if not width:
        yield text, False
        return
    copy = build_tabs_path(original)
    try:
        with text.open(encoding="utf-8-sig") as lines, copy.open("w", encoding="utf-8") as target:
            is_header = True
            for line in lines:
                words = line.split()
                if line.startswith(COMMENT):
                    # A comment before the rows may name the columns, as NumPy writes it.
                    named = [line.lstrip(COMMENT).split(), words] if is_header else []
                    header = next((n for n in named if len(n) == width), None)
                    joined = COMMENT + "\t".join(header or []).removeprefix(COMMENT)
                    target.write(line if header is None else f"{joined}\n")
                    continue
                lacks_name = is_header and words and len(words) < width
                target.write("\t" * bool(lacks_name) + "\t".join(words) + "\n")
                is_header = is_header and not words
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


def _read_records(sample: str, delimiter: str, *, has_escapes: bool) -> tuple[list[list[str]], int]:
    """Return the first records of a sample, split at a delimiter, and the lines of the header."""
    records: list[list[str]] = []
    header_lines = 0
    reader = csv.reader(
        io.StringIO(sample, newline=""),
        delimiter=delimiter,
        escapechar="\\" if has_escapes else None,
    )
    try:
        for record in reader:
            is_comment = records and record and record[0].startswith(COMMENT)
            if record and not (is_comment and len(record) != len(records[0])):
                header_lines = header_lines or reader.line_num
                records.append(record)
            if len(records) > SAMPLE_ROWS:
                break
    except csv.Error as error:
        if not records:
            raise InvalidFile(f"The first line cannot be read: {error}.") from None
    return records, header_lines


def _fit(records: list[list[str]]) -> tuple[float, int]:
    """Return the share of rows as wide as the header, and the width, to compare delimiters."""
    if not records or len(records[0]) < 2 or any(len(name) > MAX_NAME for name in records[0]):
        return (0.0, 0)
    width = len(records[0])
    n_cells = _count_cells(records)
    if n_cells == width + 1 or (not records[0][-1] and n_cells == width - 1):
        return (1.0, width)  # a delimiter at the end of the header's line or of the others
    alike = sum(len(record) == width for record in records[1:])
    return ((alike + 1) / len(records), width)


def _is_of_promptfoo(header: Sequence[str]) -> bool:
    """Return whether a header is that of a CSV export of promptfoo."""
    has_provider = any(re.match(r"\[[^\]]+\] ", name) for name in header)
    return has_provider and len(PROMPTFOO_PARTS.intersection(header)) > 1
