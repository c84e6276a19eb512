"""JSON Lines: an object of JSON in each line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, ClassVar, Final

from thetahat_service.data.base import FileLimits, Inspected
from thetahat_service.data.encodings import UTF_8, convert_to_utf_8
from thetahat_service.data.json_rows import parse_json, write_rows
from thetahat_service.data.packing import unpack_text
from thetahat_service.data.tables import TEXT_TABLE, ConvertedFormat
from thetahat_service.errors import InvalidFile
from thetahat_service.json_types import JsonObject

LONGEST_LINE: Final = 64 * 1024 * 1024


class JsonLines(ConvertedFormat):
    """An object in each line; members of objects inside it are columns too (``doc.topic``)."""

    media_type: ClassVar[str] = "application/jsonl"
    title: ClassVar[str] = "JSON Lines"
    endings: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")
    table_suffix = f".jsonl{TEXT_TABLE}"

    def inspect(self, path: Path, limits: FileLimits, table: IO[bytes]) -> Inspected:
        """Read the file twice: first for its columns, then to write the table."""
        with (
            unpack_text(path, limits) as unpacked,
            convert_to_utf_8(unpacked, UTF_8, path) as (text, _),
        ):
            return write_rows(lambda: _read_rows(text), limits, table)


def _read_rows(path: Path) -> Iterator[JsonObject]:
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                raise InvalidFile(f"Line {number} is longer than {LONGEST_LINE} bytes.")
            line = line.removeprefix(b"\xef\xbb\xbf").strip()
            if not line:
                continue
            row = parse_json(line, f"Line {number}")
            if not isinstance(row, dict):
                raise InvalidFile(f'Line {number} is not an object of JSON, such as {{"loss": 1}}.')
            yield row


METHOD = JsonLines()
