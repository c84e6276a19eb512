"""Files on their way to the service: what type they are, and their bytes for every attempt."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from thetahat_client.transport import Body

MEDIA_TYPES: Final = {
    ".csv": "text/csv",
    ".tsv": "text/csv",
    ".txt": "text/csv",
    ".parquet": "application/vnd.apache.parquet",
    ".pq": "application/vnd.apache.parquet",
    ".arrows": "application/vnd.apache.arrow.stream",
    ".npy": "application/x-npy",
    ".npz": "application/x-npz",
    ".libsvm": "text/x-libsvm",
    ".svmlight": "text/x-libsvm",
}
PIECE: Final = 256 * 1024  # bytes

Source = str | os.PathLike[str] | bytes | BinaryIO


def media_type_of(name: str | None) -> str:
    """Return the media type that a file's name tells; ``ValueError`` when it tells none."""
    ending = Path(name or "").suffix.lower()
    if ending not in MEDIA_TYPES:
        known = ", ".join(MEDIA_TYPES)
        message = f"give media_type: the name {name!r} does not end in one of {known}"
        raise ValueError(message)
    return MEDIA_TYPES[ending]


def name_of(source: Source) -> str | None:
    """Return what a source is called, without its folder."""
    if isinstance(source, bytes):
        return None
    if isinstance(source, str | os.PathLike):
        return Path(source).name
    name = getattr(source, "name", None)
    return Path(name).name if isinstance(name, str) else None


def body_of(source: Source) -> tuple[Body, bool]:
    """Return what makes the body, and whether it can do so twice; nothing is read whole."""
    if isinstance(source, bytes):
        return (lambda: source), True
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if not path.is_file():
            message = f"there is no file {path}"
            raise FileNotFoundError(message)
        return (lambda: _pieces_of_path(path)), True
    if not source.seekable():
        return (lambda: _pieces(source)), False
    start = source.tell()

    def again() -> Iterator[bytes]:
        source.seek(start)
        return _pieces(source)

    return again, True


def _pieces_of_path(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from _pieces(file)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece
