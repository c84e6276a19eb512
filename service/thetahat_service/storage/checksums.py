"""SHA-256 checksums of stored files, computed when a file is written and verified when it is read.

The name of a data set is its SHA-256, the names of other files contain the first half of theirs,
and a converted table ends with one. So no file needs a second one or a row for its checksum.
SHA-256 reads 1.6 GiB a second. CRC-32 would read 3.1, but data sets need a digest anyway, and one
rule for all files is worth a third of a second per GiB, once per process.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path, PurePosixPath
from typing import IO, Final

from thetahat_service.errors import DamagedFile

TABLE_SUFFIX: Final = ".arrow"
TABLE_MARK: Final = b"thetahat-sha256:"
TRAILER_LENGTH: Final = len(TABLE_MARK) + hashlib.sha256().digest_size
MAX_REMEMBERED: Final = 10_000
PIECE: Final = 1024 * 1024
_HALF_DIGEST: Final = 32  # hexadecimal digits in the names of files
_DATASET_NAME: Final = re.compile(r"datasets/[0-9a-f]{2}/([0-9a-f]{64})")
_NAME_WITH_DIGEST: Final = re.compile(r".*\.([0-9a-f]{32})(\.[a-z]+)?")

_Signature = tuple[int, int, int, int]
_VERIFIED: Final[dict[Path, _Signature]] = {}


def compute_sha256(file: IO[bytes], size: int | None = None) -> bytes:
    """Return the SHA-256 of a file from its beginning, or of its first ``size`` bytes."""
    file.seek(0)
    digest = hashlib.sha256()
    remaining = size
    while piece := file.read(PIECE if remaining is None else min(PIECE, remaining)):
        digest.update(piece)
        remaining = None if remaining is None else remaining - len(piece)
    return digest.digest()


def add_digest(name: str, file: IO[bytes]) -> str:
    """Return a name with the digest of the file's content, such as ``1-2.DIGEST.npz``."""
    path = PurePosixPath(name)
    digest = compute_sha256(file).hex()[:_HALF_DIGEST]
    return str(path.with_name(f"{path.stem}.{digest}{path.suffix}"))


def is_named_by_content(name: str) -> bool:
    """Return whether a file of this name always has the same content."""
    return bool(_DATASET_NAME.fullmatch(name) or _NAME_WITH_DIGEST.fullmatch(name))


def append_digest(file: IO[bytes]) -> None:
    """Append its digest to a converted table, which readers leave out."""
    file.flush()
    digest = compute_sha256(file)
    file.seek(0, os.SEEK_END)
    file.write(TABLE_MARK + digest)
    file.flush()


def compute_table_size(path: Path) -> int:
    """Return the number of bytes of a converted table without the digest at its end."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - TRAILER_LENGTH))
        has_digest = file.read().startswith(TABLE_MARK)
    return size - TRAILER_LENGTH if has_digest else size


def verify(path: Path, name: str) -> None:
    """Raise ``DamagedFile`` if a file does not match its checksum.

    A file that this process has verified, and that has not changed since, is not read again.
    ``name`` is its name in the file store, which says what its checksum is.
    """
    state = path.stat()
    signature = (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
    if _VERIFIED.get(path) == signature:
        return
    if not _is_as_written(path, name):
        raise DamagedFile(f"The stored file {name} does not match its checksum.", name=name)
    if len(_VERIFIED) >= MAX_REMEMBERED:
        _VERIFIED.clear()
    _VERIFIED[path] = signature


def _is_as_written(path: Path, name: str) -> bool:
    """Return whether a file matches the checksum that its name or its end holds."""
    with path.open("rb") as file:
        if name.endswith(TABLE_SUFFIX):
            size = path.stat().st_size - TRAILER_LENGTH
            if size < 0:
                return False
            digest = compute_sha256(file, size)
            file.seek(size)
            return file.read() == TABLE_MARK + digest
        if match := _DATASET_NAME.fullmatch(name):
            return compute_sha256(file).hex() == match[1]
        if match := _NAME_WITH_DIGEST.fullmatch(name):
            return compute_sha256(file).hex().startswith(match[1])
    return True  # written by a release without checksums
