"""Texts that are packed with gzip, or alone in a ZIP archive, by what they contain."""

from __future__ import annotations

import gzip
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from thetahat_service.data.base import FileLimits, check_expansion, read_parser_reason
from thetahat_service.data.zip_members import LOCAL_MAGIC, ZIP_ERRORS
from thetahat_service.errors import InvalidFile

CHUNK: Final = 1024 * 1024
_GZIP: Final = b"\x1f\x8b"


def build_unpacked_path(path: Path) -> Path:
    """Return the path of the temporary copy of a text that was packed."""
    return path.with_name(path.name + ".unpacked")


@contextmanager
def unpack_text(path: Path, limits: FileLimits, longest_line: int) -> Iterator[Path]:
    """Yield the path of the text: the file itself, or a temporary unpacked copy beside it.

    Raises ``InvalidFile`` for damaged data, for an archive of several files and for a first line
    over ``longest_line`` bytes, and ``TooLarge`` for data that unpack to far more bytes than they
    have; each as soon as it is known.
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
                    _copy(packed, copy, path, limits, longest_line)
            else:
                with zipfile.ZipFile(path) as archive, _open_single(archive) as packed:
                    check_expansion(path, archive.getinfo(packed.name or "").file_size, limits)
                    _copy(packed, copy, path, limits, longest_line)
        except (*ZIP_ERRORS, gzip.BadGzipFile, zlib.error) as error:
            reason = read_parser_reason(error)
            raise InvalidFile(f"The file is packed and cannot be unpacked: {reason}.") from None
        yield copy
    finally:
        copy.unlink(missing_ok=True)


def _open_single(archive: zipfile.ZipFile) -> IO[bytes]:
    """Open the only file of an archive."""
    members = [m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith("__")]
    if any(member.filename.startswith(("xl/", "content.xml")) for member in members):
        raise InvalidFile("The file is a workbook. Save its sheet as CSV UTF-8, and send that.")
    if len(members) != 1:
        raise InvalidFile(
            f"The file is a ZIP archive of {len(members)} files, and may hold only one. Send each "
            "file on its own."
        )
    return archive.open(members[0])


def _copy(
    packed: IO[bytes] | gzip.GzipFile,
    copy: Path,
    path: Path,
    limits: FileLimits,
    longest_line: int,
) -> None:
    """Unpack piece by piece; refuse the text as soon as it is too long, or its first line is."""
    unpacked, has_line = 0, False
    with copy.open("wb") as target:
        while piece := packed.read(CHUNK):
            has_line = has_line or b"\n" in piece
            unpacked += len(piece)
            if not has_line and unpacked > longest_line:
                raise InvalidFile(f"The first line is longer than {longest_line} bytes.")
            check_expansion(path, unpacked, limits)
            target.write(piece)
