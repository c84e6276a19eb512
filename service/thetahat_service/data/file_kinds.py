"""What files of other programs are, by their first bytes, and what to do with them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

from thetahat_service.errors import InvalidFile

HEAD_BYTES: Final = 512


class FileKind(NamedTuple):
    """A kind of file that is not read."""

    pattern: bytes
    """What its first bytes match."""
    title: str
    """What it is."""
    advice: str
    """What to do with it."""


_SHEET: Final = "Save its sheet as CSV UTF-8, and send that."
_FRAME: Final = "Open it where it is from, or with pandas, and save the table as CSV or Parquet."
_TABLE: Final = "Send the table itself as CSV."
_UNPACK: Final = "Unpack it, and send what is inside."
KINDS: Final = (
    FileKind(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a workbook of Excel (.xls)", _SHEET),
    FileKind(rb"SQLite format 3\x00", "an SQLite database", "Export its table as CSV."),
    FileKind(rb"\x80[\x02-\x05]", "a pickle of Python", _FRAME),
    FileKind(rb"\$FL[23]", "an SPSS file (.sav)", _FRAME),
    FileKind(rb"<stata_dta>|[\x69-\x73][\x01\x02]\x01\x00", "a Stata file (.dta)", _FRAME),
    FileKind(rb"\x00{12}\xc2\xea\x81\x60", "a SAS file (.sas7bdat)", _FRAME),
    FileKind(rb"RD[AX][23]\n[ABX]\n|X\n\x00\x00\x00", "an R file (.rds, .rda)", _FRAME),
    FileKind(rb"MATLAB 5\.0 MAT", "a MATLAB file (.mat)", _FRAME),
    FileKind(rb"\x89HDF\r\n", "an HDF5 file", _FRAME),
    FileKind(rb"FEA1[\x00-\x08]", "a Feather file of version 1", "Save it as Parquet."),
    FileKind(rb"Obj\x01", "an Avro file", _FRAME),
    FileKind(rb"%PDF-", "a PDF", _TABLE),
    FileKind(rb"\s*(?i:<!doctype html|<html|<table|<\?xml)", "HTML or XML", _TABLE),
    FileKind(rb"\\documentclass|\\begin\{|%[^\n]*\n\\begin\{", "LaTeX", _TABLE),
    FileKind(rb"\s*(?i:@relation)\s", "ARFF", _TABLE),
    FileKind(
        rb"(\xef\xbb\xbf)?\s*[^\n]*\|[^\n]*\n[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*\|[-:| \t]*(\r?\n|$)",
        "a table in Markdown",
        "Save it as CSV: without the line of dashes, and without the bars at both ends of each "
        "line. The bars between cells may stay.",
    ),
    FileKind(
        rb"\s*\+-[-+]*\+[ \t]*\r?\n|[^\n]*\|[^\n]*\n-+(\+-+)+[ \t]*\r?\n",
        "a table with drawn lines, as clients of databases print it",
        "Export it as CSV.",
    ),
    FileKind(rb"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    FileKind(rb"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    FileKind(rb".{257}ustar", "a tar archive", _UNPACK),
    FileKind(
        rb"\x1f\x8b\x08|BZh\d1AY&SY|\xfd7zXZ\x00|\x28\xb5\x2f\xfd",
        "a file packed with gzip, bzip2, xz or Zstandard",
        _UNPACK,
    ),
    FileKind(rb"PK\x05\x06", "an empty ZIP archive", "Pack the file again."),
)
"""Kinds of files that are not read; the first that fits names a file."""

READABLE: Final[dict[str, tuple[tuple[bytes, ...], str, str]]] = {
    "application/vnd.apache.parquet": ((b"PAR1",), "Parquet", ".parquet"),
    "application/x-npy": ((b"\x93NUMPY",), "an array of NumPy", ".npy"),
    "application/vnd.apache.arrow.stream": (
        (b"\xff\xff\xff\xff", b"ARROW1"),
        "an Arrow file",
        ".arrow",
    ),
}
"""The first bytes, the name and the ending of kinds that are read, by media type."""


def check_kind(path: Path, media_type: str) -> None:
    """Refuse a file whose first bytes are those of another kind than its media type."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    for kind in KINDS:
        if re.match(kind.pattern, head, re.DOTALL):
            raise InvalidFile(f"The file is {kind.title}, which is not read. {kind.advice}")
    for other, (magic, title, ending) in READABLE.items():
        if other != media_type and head.startswith(magic):
            raise InvalidFile(
                f"The file is {title}, but was sent as {media_type}. Send it with the ending "
                f"{ending} or Content-Type: {other}."
            )
