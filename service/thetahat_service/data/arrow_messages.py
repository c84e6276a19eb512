"""The lengths of an Arrow file's batches, read before any batch is decoded.

pyarrow does not limit what it allocates while it reads a batch, so the lengths are read from the
messages' flatbuffers first. Only the needed fields are read; pyarrow has verified that the offsets
are inside the buffer.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

import pyarrow as pa

from thetahat_service.data.base import FileLimits
from thetahat_service.errors import InvalidFile, TooLarge

ARROW_FILE: Final = b"ARROW1"
"""How an Arrow file begins and ends; an Arrow stream does not."""

# Positions of fields in Arrow's File.fbs and Message.fbs, and the values of MessageHeader.
FOOTER_BLOCKS: Final = (2, 3)  # of dictionaries, and of record batches
BLOCK_BYTES: Final = 24
MESSAGE_HEADER_TYPE: Final = 1
MESSAGE_HEADER: Final = 2
DICTIONARY_DATA: Final = 1
BATCH_LENGTH: Final = 0
BATCH_BUFFERS: Final = 2
BUFFER_BYTES: Final = 16
BATCH_COMPRESSION: Final = 3
DICTIONARY: Final = 2
RECORD_BATCH: Final = 3
NOT_COMPRESSED: Final = -1
"""The unpacked size of a buffer that its writer found not worth compressing."""


def check_messages(source: pa.NativeFile, limits: FileLimits) -> int:
    """Refuse batches with more rows than a data set may have; return the bytes they unpack to.

    Batches that are not compressed unpack to nothing: they are used where they lie.
    """
    try:
        return sum(_check_message(message, limits) for message in _list_messages(source))
    except (struct.error, IndexError, EOFError):
        raise InvalidFile("A message of the Arrow file is damaged.") from None


def is_arrow_file(source: pa.NativeFile) -> bool:
    """Return whether the content has the form of files, not of streams."""
    source.seek(0)
    found: bytes = source.read(len(ARROW_FILE))
    source.seek(0)
    return found == ARROW_FILE


def _list_messages(source: pa.NativeFile) -> Iterator[pa.ipc.Message]:
    """Yield the messages of a stream, or those that the footer of a file lists."""
    if not is_arrow_file(source):
        yield from pa.ipc.MessageReader.open_stream(source)
        return
    end = source.size() - len(ARROW_FILE) - 4
    source.seek(end)
    length = struct.unpack("<I", source.read(4))[0]
    source.seek(end - length)
    footer = source.read(length)
    root = struct.unpack_from("<I", footer, 0)[0]
    for number in FOOTER_BLOCKS:
        for at in _list_places(footer, root, number, BLOCK_BYTES):
            source.seek(struct.unpack_from("<q", footer, at)[0])
            yield pa.ipc.read_message(source)


def _check_message(message: pa.ipc.Message, limits: FileLimits) -> int:
    """Return the bytes that a message unpacks to; refuse one with too many rows."""
    length, unpacked = _read_batch_header(message)
    if length > limits.cells:
        raise TooLarge(
            f"A batch has {length} rows, more than the limit of {limits.cells} for a data set."
        )
    return unpacked


def _read_batch_header(message: pa.ipc.Message) -> tuple[int, int]:
    """Return the number of rows in a message's batch, and the bytes that it unpacks to."""
    buffer = message.metadata.to_pybytes()
    root = struct.unpack_from("<I", buffer, 0)[0]
    at = _find_field(buffer, root, MESSAGE_HEADER_TYPE)
    kind = buffer[at] if at else 0
    if kind not in {DICTIONARY, RECORD_BATCH}:
        return 0, 0
    batch = _follow_offset(buffer, _find_field(buffer, root, MESSAGE_HEADER))
    if kind == DICTIONARY:
        batch = _follow_offset(buffer, _find_field(buffer, batch, DICTIONARY_DATA))
    at = _find_field(buffer, batch, BATCH_LENGTH)
    length = struct.unpack_from("<q", buffer, at)[0] if at else 0
    if not _find_field(buffer, batch, BATCH_COMPRESSION):
        return length, 0
    return length, _sum_unpacked(buffer, batch, memoryview(message.body or b""))


def _sum_unpacked(buffer: bytes, batch: int, body: memoryview) -> int:
    """Return the sum of the unpacked sizes that the compressed buffers of a batch begin with."""
    total = 0
    for at in _list_places(buffer, batch, BATCH_BUFFERS, BUFFER_BYTES):
        start, length = struct.unpack_from("<qq", buffer, at)
        size = struct.unpack_from("<q", body, start)[0] if length else 0
        if size < NOT_COMPRESSED:
            raise IndexError(size)
        total += max(size, 0)
    return total


def _list_places(buffer: bytes, table: int, number: int, size: int) -> range:
    """Return the positions of the structs of some bytes in a table's field."""
    at = _find_field(buffer, table, number)
    if not at:
        return range(0)
    vector = _follow_offset(buffer, at)
    n = struct.unpack_from("<I", buffer, vector)[0]
    return range(vector + 4, vector + 4 + size * n, size)


def _find_field(buffer: bytes, table: int, number: int) -> int:
    """Return the position of a table's field; 0 if it is left out."""
    vtable = table - struct.unpack_from("<i", buffer, table)[0]
    place = 4 + 2 * number
    if place >= struct.unpack_from("<H", buffer, vtable)[0]:
        return 0
    offset = struct.unpack_from("<H", buffer, vtable + place)[0]
    return table + offset if offset else 0


def _follow_offset(buffer: bytes, at: int) -> int:
    """Follow an offset to a table."""
    return int(at + struct.unpack_from("<I", buffer, at)[0])
