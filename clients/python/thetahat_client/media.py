"""Files to upload: their media type, and their bytes for every attempt."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    from thetahat_client.transport import Body

MEDIA_TYPES: Final = {
    ".csv": "text/csv",
    ".tsv": "text/csv",
    ".txt": "text/csv",
    ".parquet": "application/vnd.apache.parquet",
    ".pq": "application/vnd.apache.parquet",
    ".arrows": "application/vnd.apache.arrow.stream",
    ".arrow": "application/vnd.apache.arrow.stream",
    ".feather": "application/vnd.apache.arrow.stream",
    ".ipc": "application/vnd.apache.arrow.stream",
    ".npy": "application/x-npy",
    ".npz": "application/x-npz",
    ".libsvm": "text/x-libsvm",
    ".svm": "text/x-libsvm",
    ".svmlight": "text/x-libsvm",
    ".jsonl": "application/jsonl",
    ".ndjson": "application/jsonl",
    ".eval": "application/vnd.inspect-ai.log",
    ".json": "application/json",
}
PACKED: Final = (".gz", ".zip", ".bz2", ".xz", ".zst")
"""Endings of packed texts, after that of the text or alone."""
OF_OTHER_PROGRAMS: Final = frozenset(
    (
        *(".xls", ".xlsx", ".xlsm", ".ods", ".pkl", ".pickle", ".sav"),
        *(".dta", ".sas7bdat", ".sqlite", ".sqlite3", ".db", ".rds", ".rda", ".rdata", ".mat"),
        *(".h5", ".hdf5", ".orc", ".avro", ".pdf", ".html", ".htm", ".xml", ".tex", ".arff"),
        *(".md", ".dat", ".7z", ".rar", ".tar"),
    )
)
"""Endings of files that are sent as text, so that the service says what they are."""
PIECE_BYTES: Final = 256 * 1024

Source = str | os.PathLike[str] | bytes | BinaryIO


def guess_media_type(*names: str | None) -> str:
    """Return the media type for the first known ending of the names.

    Of a packed text, it is that of the ending before ``.gz`` and so on, and CSV without one.
    """
    for name in names:
        path = Path((name or "").lower())
        is_packed = path.suffix in PACKED
        ending = path.with_suffix("").suffix if is_packed else path.suffix
        media_type = MEDIA_TYPES.get(ending)
        if media_type is not None:
            return media_type
        if ending in OF_OTHER_PROGRAMS or (is_packed and not ending):
            return MEDIA_TYPES[".csv"]
    from thetahat_client.errors import UnknownMediaType  # noqa: PLC0415 - seldom needed

    known_types = ", ".join(MEDIA_TYPES)
    raise UnknownMediaType(
        f"The media type of {next(filter(None, names), None)!r} is unknown: the name ends in none "
        f"of {known_types}. Name the file so, or give media_type."
    )


def read_name(source: Source) -> str | None:
    """Return the name of a source's file, without its folder; None if it has none."""
    if isinstance(source, bytes):
        return None
    if isinstance(source, str | os.PathLike):
        return Path(source).name
    name = getattr(source, "name", None)
    return Path(name).name if isinstance(name, str) else None


def make_body(source: Source) -> tuple[Body, bool]:
    """Return a function that reads the body in pieces, and whether it can be called twice."""
    if isinstance(source, bytes):
        return (lambda: source), True
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if not path.is_file():
            raise FileNotFoundError(f"There is no file {path}.")
        return (lambda: _read_path(path)), True
    if not source.seekable():
        return (lambda: _read_pieces(source)), False
    start = source.tell()

    def read_from_start() -> Iterator[bytes]:
        source.seek(start)
        return _read_pieces(source)

    return read_from_start, True


def _read_path(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from _read_pieces(file)


def _read_pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(PIECE_BYTES):
        yield piece
