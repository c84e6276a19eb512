"""The lengths of an Arrow stream's batches, read before any batch is decoded.

pyarrow does not limit what it allocates while it reads a batch, so the lengths are read from the
messages' flatbuffers first. Only the needed fields are read; pyarrow has verified that the offsets
are inside the buffer.
"""

from __future__ import annotations

import struct
from typing import Final

import pyarrow as pa

from thetahat_service.data.base import FileLimits
from thetahat_service.errors import InvalidFile, TooLarge

# Positions of fields in Arrow's Message.fbs, and the values of its MessageHeader union.
MESSAGE_HEADER_TYPE: Final = 1
MESSAGE_HEADER: Final = 2
DICTIONARY_DATA: Final = 1
BATCH_LENGTH: Final = 0
BATCH_COMPRESSION: Final = 3
DICTIONARY: Final = 2
RECORD_BATCH: Final = 3


def check_messages(source: pa.NativeFile, limits: FileLimits) -> None:
    """Refuse compressed batches, and batches with more rows than a data set may have."""
    for message in pa.ipc.MessageReader.open_stream(source):
        try:
            length, is_compressed = _read_batch_header(message.metadata.to_pybytes())
        except (struct.error, IndexError):
            raise InvalidFile("A message of the Arrow stream is damaged.") from None
        if is_compressed:
            raise InvalidFile(
                "The Arrow stream is compressed. Send it uncompressed, or as Parquet."
            )
        if length > limits.cells:
            raise TooLarge(
                f"A batch has {length} rows, more than the limit of {limits.cells} for a data set."
            )


def _read_batch_header(buffer: bytes) -> tuple[int, bool]:
    """Return the number of rows in a message's batch, and whether it is compressed."""
    message = struct.unpack_from("<I", buffer, 0)[0]
    at = _find_field(buffer, message, MESSAGE_HEADER_TYPE)
    kind = buffer[at] if at else 0
    if kind not in {DICTIONARY, RECORD_BATCH}:
        return 0, False
    batch = _follow_offset(buffer, _find_field(buffer, message, MESSAGE_HEADER))
    if kind == DICTIONARY:
        batch = _follow_offset(buffer, _find_field(buffer, batch, DICTIONARY_DATA))
    at = _find_field(buffer, batch, BATCH_LENGTH)
    length = struct.unpack_from("<q", buffer, at)[0] if at else 0
    return length, bool(_find_field(buffer, batch, BATCH_COMPRESSION))


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
