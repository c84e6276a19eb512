"""The members of ZIP archives, also those compressed with Zstandard (method 93)."""

from __future__ import annotations

import struct
import zipfile
import zlib
from typing import Final

import pyarrow as pa

ZSTANDARD: Final = 93
LOCAL_HEADER: Final = struct.Struct("<4s5H3I2H")
LOCAL_MAGIC: Final = b"PK\x03\x04"
ENCRYPTED: Final = 0x1
ZIP_ERRORS: Final = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError)
"""What damaged, encrypted and unusually compressed archives raise."""


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the unpacked bytes of a member; never more than the archive declares for it.

    ``zipfile`` of Python 3.13 and earlier knows no Zstandard, in which newer releases of inspect_ai
    can write their logs. Raises ``BadZipFile`` if the member is damaged, encrypted, or unpacks to
    another size than the archive declares.
    """
    member = archive.getinfo(name)
    if member.compress_type != ZSTANDARD:
        return archive.read(member)
    if member.flag_bits & ENCRYPTED:
        raise zipfile.BadZipFile(f"{name!r} is encrypted")
    content = _unpack(_read_packed(archive, member), member)
    if len(content) != member.file_size or zlib.crc32(content) != member.CRC:
        message = f"{name!r} does not unpack to the {member.file_size} bytes that it should have"
        raise zipfile.BadZipFile(message)
    return content


def _read_packed(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the member as it is stored; its sizes are those of the table of contents."""
    file = archive.fp
    if file is None:
        raise ValueError("The archive is closed.")
    file.seek(member.header_offset)
    header = file.read(LOCAL_HEADER.size)
    if len(header) == LOCAL_HEADER.size:
        magic, *_, name_length, extra_length = LOCAL_HEADER.unpack(header)
        if magic == LOCAL_MAGIC:
            file.seek(name_length + extra_length, 1)
            packed = file.read(member.compress_size)
            if len(packed) == member.compress_size:
                return packed
    raise zipfile.BadZipFile(f"{member.filename!r} is not where the table of contents says")


def _unpack(packed: bytes, member: zipfile.ZipInfo) -> bytes:
    """Return the unpacked bytes, at most one more than the archive declares."""
    try:
        with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
            content: bytes = stream.read(member.file_size + 1)
    except (OSError, pa.ArrowException) as error:
        raise zipfile.BadZipFile(f"{member.filename!r} cannot be unpacked ({error})") from None
    return content
