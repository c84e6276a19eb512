"""Texts that are packed with gzip, or alone in a ZIP archive, by what they contain."""

from __future__ import annotations

import gzip
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from thetahat_service.data.base import FileLimits, check_expansion
from thetahat_service.data.zip_members import LOCAL_MAGIC, ZIP_ERRORS
from thetahat_service.errors import InvalidFile

CHUNK: Final = 1024 * 1024
_GZIP: Final = b"\x1f\x8b"


def build_unpacked_path(path: Path) -> Path:
    """Return the path of the temporary copy of a text that was packed."""
    return path.with_name(path.name + ".unpacked")


@contextmanager
def unpack_text(path: Path, limits: FileLimits) -> Iterator[Path]:
    """Yield the path of the text: the file itself, or a temporary unpacked copy beside it.

    Raises ``InvalidFile`` for damaged data and for an archive of several files, and ``TooLarge``
    for data that unpack to far more bytes than they have.
    """
    with path.open("rb") as file:
        head = file.read(len(LOCAL_MAGIC))
    if not head.startswith((_GZIP, LOCAL_MAGIC)):
        yield path
        return
    copy = build_unpacked_path(path)
    try:
        try:
            if head.startswith(_GZIP):
                with gzip.open(path) as packed:
                    _copy(packed, copy, path, limits)
            else:
                with zipfile.ZipFile(path) as archive, _open_single(archive) as packed:
                    _copy(packed, copy, path, limits)
        except (*ZIP_ERRORS, gzip.BadGzipFile, zlib.error) as error:
            raise InvalidFile(f"The file is packed and cannot be unpacked: {error}.") from None
        yield copy
    finally:
        copy.unlink(missing_ok=True)


def _open_single(archive: zipfile.ZipFile) -> IO[bytes]:
    """Open the only file of an archive."""
    members = [m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith("__")]
    if len(members) != 1:
        raise InvalidFile(
            f"The file is a ZIP archive of {len(members)} files, and may hold only one. Send each "
            "file on its own."
        )
    return archive.open(members[0])


def _copy(packed: IO[bytes] | gzip.GzipFile, copy: Path, path: Path, limits: FileLimits) -> None:
    """Unpack piece by piece; ``TooLarge`` as soon as there are too many bytes."""
    unpacked = 0
    with copy.open("wb") as target:
        while piece := packed.read(CHUNK):
            unpacked += len(piece)
            check_expansion(path, unpacked, limits)
            target.write(piece)
