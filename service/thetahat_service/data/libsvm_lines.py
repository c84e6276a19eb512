"""Lines of a libsvm file: ``label [qid:number] index:value ...  # comment``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

import numpy as np

from thetahat.tables.column_profiles import PLAIN
from thetahat_service.data.sparse_rows import SparseRows, normalise
from thetahat_service.errors import InvalidFile

CHUNK: Final = 4 * 1024 * 1024
LONGEST_LINE: Final = 64 * 1024 * 1024
LARGEST_INDEX: Final = 2**31 - 2
LARGEST_QUERY: Final = 2**63 - 1

_NUMBER: Final = PLAIN.encode()
_HEAD: Final = re.compile(rb"[ \t]*+" + _NUMBER + rb"(?:[ \t]++qid:(\d++))?(?=[ \t]|\Z)")
_ENTRY: Final = re.compile(rb"[ \t]++\d++:" + _NUMBER + rb"(?=[ \t]|\Z)")
_PAIR: Final = re.compile(rb"(\d++):(.*)")
_QUERY: Final = re.compile(rb"qid:\d++")


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Consecutive lines of a file, without empty lines."""

    labels: np.ndarray
    """(n,)."""
    queries: np.ndarray | None
    """(n,) the numbers after ``qid:``; None if no line has one."""
    rows: SparseRows
    """Indices as they are in the file."""


def read_lines(path: Path) -> Iterator[Lines]:
    """Yield the lines of a file piece by piece; ``InvalidFile`` names an invalid line."""
    first_line = 1
    with_query: bool | None = None
    for text in _iterate_pieces(path):
        lines, numbers = ([], []) if text.isspace() else _split_lines(text, first_line)
        first_line += text.count(b"\n")
        if not lines:
            continue
        parsed = _parse(lines, numbers)
        has_query = parsed.queries is not None
        if with_query is not None and has_query != with_query:
            raise InvalidFile(
                f"Line {numbers[0]}: some lines have a qid and others do not. Give every line a "
                "qid, or none."
            )
        with_query = has_query
        yield parsed


def _iterate_pieces(path: Path) -> Iterator[bytes]:
    """Yield the file in pieces of whole lines."""
    line_start = b""
    with path.open("rb") as file:
        while read := file.read(CHUNK):
            complete_lines, newline, cut_line = read.rpartition(b"\n")
            if newline:
                yield line_start + complete_lines + newline
                line_start = cut_line
            else:
                line_start += read
            if len(line_start) > LONGEST_LINE:
                raise InvalidFile(f"A line is longer than {LONGEST_LINE} bytes.")
    if line_start:
        yield line_start + b"\n"


def _split_lines(text: bytes, first_line: int) -> tuple[list[bytes], list[int]]:
    """Return the lines without their comments, and their numbers; empty ones are left out."""
    if b"#" in text:
        text = re.sub(rb"#[^\n]*", b"", text)
    lines = text.replace(b"\r\n", b"\n").split(b"\n")
    numbered_lines = [(line, first_line + at) for at, line in enumerate(lines) if line.strip()]
    return [line for line, _ in numbered_lines], [number for _, number in numbered_lines]


def _parse(lines: list[bytes], numbers: list[int]) -> Lines:
    """Return the labels, queries and entries of lines; ``InvalidFile`` for a bad line."""
    queries = []
    for line, number in zip(lines, numbers, strict=True):
        match = _HEAD.match(line)
        if match is None or _ENTRY.sub(b"", line[match.end() :]).strip(b" \t"):
            _refuse(line, number)
        if match[1] is not None:
            if int(match[1]) > LARGEST_QUERY:
                raise InvalidFile(f"Line {number}: the qid is above {LARGEST_QUERY}.")
            queries.append(int(match[1]))
    if queries and len(queries) < len(lines):
        raise InvalidFile(
            f"Lines {numbers[0]} to {numbers[-1]}: some lines have a qid and others do not. Give "
            "every line a qid, or none."
        )
    text = b"\n".join(lines)
    if queries:
        text = _QUERY.sub(b"", text)
    sizes = np.array([line.count(b":") for line in lines]) - bool(queries)
    labels, rows = _parse_arrays(text, sizes, numbers)
    return Lines(labels, np.array(queries) if queries else None, rows)


def _parse_arrays(
    text: bytes, sizes: np.ndarray, numbers: list[int]
) -> tuple[np.ndarray, SparseRows]:
    """Return the labels and the sparse rows of lines that have no ``qid``."""
    read = np.fromstring(text.replace(b":", b" ").decode("ascii"), dtype=np.float64, sep=" ")
    starts = np.concatenate([[0], np.cumsum(sizes)])
    at_label = 2 * starts[:-1] + np.arange(len(sizes))
    pairs = np.delete(read, at_label).reshape(-1, 2)
    for noun, values, line_of_value in (
        ("a label", read[at_label], np.arange(len(sizes))),
        ("a value", pairs[:, 1], np.repeat(np.arange(len(sizes)), sizes)),
        ("an index", np.where(pairs[:, 0] > LARGEST_INDEX, np.inf, 0), None),
    ):
        unfit = ~np.isfinite(values)
        if unfit.any():
            at = int(np.argmax(unfit))
            if line_of_value is None:
                row = int(np.searchsorted(starts, at, side="right")) - 1
            else:
                row = line_of_value[at]
            raise InvalidFile(f"Line {numbers[row]}: {noun} is out of range.")
    rows, n_repeated = normalise(
        SparseRows(starts, pairs[:, 0].astype(np.int64), np.ascontiguousarray(pairs[:, 1]))
    )
    if n_repeated:
        _refuse_repeated_index(starts, pairs[:, 0], numbers)
    return read[at_label], rows


def _refuse(line: bytes, number: int) -> NoReturn:
    """Raise ``InvalidFile`` with the fault of a line."""
    label, *entries = line.split()
    if re.fullmatch(_NUMBER, label) is None:
        raise InvalidFile(f"Line {number}: the label {_shorten_text(label)} is not a number.")
    for at, entry in enumerate(entries):
        pair = _PAIR.fullmatch(entry)
        if pair is None and not (at == 0 and _QUERY.fullmatch(entry)):
            raise InvalidFile(f"Line {number}: {_shorten_text(entry)} is not index:value.")
        if pair is not None and re.fullmatch(_NUMBER, pair[2]) is None:
            raise InvalidFile(
                f"Line {number}: the value {_shorten_text(pair[2])} of index "
                f"{_shorten_text(pair[1])} is not a finite number."
            )
    raise InvalidFile(f"Line {number} cannot be read: {_shorten_text(line)}.")


def _refuse_repeated_index(starts: np.ndarray, indices: np.ndarray, numbers: list[int]) -> NoReturn:
    row = np.repeat(np.arange(len(numbers)), np.diff(starts))
    order = np.lexsort((indices, row))
    row, indices = row[order], indices[order]
    at = int(np.argmax((np.diff(row) == 0) & (np.diff(indices) == 0)))
    raise InvalidFile(f"Line {numbers[row[at]]} has the index {int(indices[at])} twice.")


def _shorten_text(text: bytes) -> str:
    return repr(text[:40].decode("utf-8", "replace"))
