"""Texts that are packed (gzip, bzip2, xz, Zstandard, a ZIP archive), by what they contain."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

import pyarrow as pa

from thetahat_service.data.base import FileLimits, check_expansion, read_parser_reason
from thetahat_service.data.file_kinds import check_kind
from thetahat_service.data.zip_members import LOCAL_MAGIC, ZIP_ERRORS
from thetahat_service.errors import InvalidFile

CHUNK: Final = 1024 * 1024
OPENERS: Final[dict[bytes, Callable[[Path], Any]]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"\x28\xb5\x2f\xfd": lambda path: pa.CompressedInputStream(pa.OSFile(str(path)), "zstd"),
}
"""By the first bytes of what each unpacks."""
_BZIP2: Final = slice(4, 10), b"1AY&SY"
"""What follows the first bytes of bzip2, which a text may have, too."""
_UNPACKING_ERRORS: Final = (
    *(*ZIP_ERRORS, gzip.BadGzipFile, lzma.LZMAError, zlib.error),
    *(pa.ArrowException, OSError, ValueError),
)
LISTED: Final = 5


def build_unpacked_path(path: Path) -> Path:
    """Return the path of the temporary copy of a text that was packed."""
    return path.with_name(path.name + ".unpacked")


@contextmanager
def unpack_text(
    path: Path, limits: FileLimits, longest_line: int, media_type: str
) -> Iterator[Path]:
    """Yield the path of the text: the file itself, or a temporary unpacked copy beside it.

    Raises ``InvalidFile`` for damaged data, for an archive of several files, for a first line over
    ``longest_line`` bytes and for what is no text, and ``TooLarge`` for data that unpack to far
    more bytes than they have; each as soon as it is known.
    """
    with path.open("rb") as file:
        head = file.read(_BZIP2[0].stop)
    opener = next((o for magic, o in OPENERS.items() if head.startswith(magic)), None)
    if opener is bz2.open and head[_BZIP2[0]] != _BZIP2[1]:
        opener = None
    if opener is None and not head.startswith(LOCAL_MAGIC):
        check_kind(path, media_type)
        yield path
        return
    copy = build_unpacked_path(path)
    try:
        try:
            if opener is not None:
                with opener(path) as packed:
                    _copy(packed, copy, path, limits, longest_line)
            else:
                with zipfile.ZipFile(path) as archive, _open_single(archive) as packed:
                    check_expansion(path, archive.getinfo(packed.name or "").file_size, limits)
                    _copy(packed, copy, path, limits, longest_line)
        except _UNPACKING_ERRORS as error:
            reason = read_parser_reason(error)
            raise InvalidFile(f"The file is packed and cannot be unpacked: {reason}.") from None
        check_kind(copy, media_type)
        yield copy
    finally:
        copy.unlink(missing_ok=True)


def _open_single(archive: zipfile.ZipFile) -> IO[bytes]:
    """Open the only file of an archive; what systems add for themselves is none."""
    members = [m for m in archive.infolist() if not (m.is_dir() or _is_hidden(m.filename))]
    names = [member.filename for member in members]
    if any(name.startswith(("xl/", "content.xml")) for name in names):
        raise InvalidFile("The file is a workbook. Save its sheet as CSV UTF-8, and send that.")
    if names and all(name.endswith(".npy") for name in names):
        raise InvalidFile("The file is an NPZ archive. Send it with the ending .npz.")
    if len(members) != 1:
        listed = ", ".join(repr(name[-80:]) for name in names[:LISTED])
        more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
        raise InvalidFile(
            f"The file is a ZIP archive of {len(members)} files, and may hold only one"
            f"{': ' if names else ''}{listed}{more}. Send each file on its own."
        )
    return archive.open(members[0])


def _is_hidden(name: str) -> bool:
    """Return whether a member is what a system keeps of a folder, such as __MACOSX/._x.csv."""
    last = name.rpartition("/")[2].lower()
    return name.startswith("__") or last.startswith(".") or last in {"thumbs.db", "desktop.ini"}


def _copy(
    packed: Any,
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
