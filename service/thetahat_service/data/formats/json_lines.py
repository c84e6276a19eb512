"""JSON Lines: an object of JSON in each line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, ClassVar, Final

from thetahat_service.data.base import FileLimits, Inspected
from thetahat_service.data.encodings import UTF_8, convert_to_utf_8
from thetahat_service.data.evaluation_tools.base import write_tool_rows
from thetahat_service.data.evaluation_tools.recognition import find_tool
from thetahat_service.data.json_rows import parse_json, write_rows
from thetahat_service.data.packing import unpack_text
from thetahat_service.data.tables import TEXT_TABLE, MappedFormat
from thetahat_service.errors import InvalidFile
from thetahat_service.json_types import JsonObject

LONGEST_LINE: Final = 32 * 1024 * 1024
"""Bytes; a list of numbers this long is parsed, twice, in 1.4 s (64 MiB: 2.7 s)."""
CHUNK: Final = 1024 * 1024
_LINE: Final = re.compile(rb"[^\s][^\n]*")
"""A line that is not blank, without blanks before it."""


class JsonLines(MappedFormat):
    """An object in each line; members of objects inside it are columns too (``doc.topic``).

    Lines that an evaluation tool writes are read as its result files are.
    """

    media_type: ClassVar[str] = "application/jsonl"
    title: ClassVar[str] = "JSON Lines"
    table_suffix = f".jsonl{TEXT_TABLE}"

    def inspect(self, path: Path, limits: FileLimits, table: IO[bytes]) -> Inspected:
        """Read the file twice: first for its columns, then to write the table."""
        with (
            unpack_text(path, limits, LONGEST_LINE, self.media_type) as unpacked,
            convert_to_utf_8(unpacked, UTF_8, path) as (text, _),
        ):
            tool = find_tool(next(_read_rows(text), None))
            if tool is not None:
                return write_tool_rows(tool, lambda: _read_rows(text), limits, table)
            return write_rows(lambda: _read_rows(text), limits, table)


def _read_rows(path: Path) -> Iterator[JsonObject]:
    for number, line in _read_lines(path):
        text = line.removeprefix(b"\xef\xbb\xbf").strip()
        if not text:
            continue
        row = parse_json(text, f"Line {number}")
        if not isinstance(row, dict):
            raise InvalidFile(f'Line {number} is not an object of JSON, such as {{"loss": 1}}.')
        yield row


def _read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield each line that is not blank with its number; blank ones are passed over in chunks."""
    number = 1
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            if not chunk.endswith(b"\n"):
                chunk += file.readline(LONGEST_LINE + 1)
            read_to = 0
            for line in _LINE.finditer(chunk):
                number += chunk.count(b"\n", read_to, line.start())
                read_to = line.start()
                if line.end() - line.start() > LONGEST_LINE:
                    raise InvalidFile(f"Line {number} is longer than {LONGEST_LINE} bytes.")
                yield number, line[0]
            number += chunk.count(b"\n", read_to)


METHOD = JsonLines()
