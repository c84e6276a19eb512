"""Writing an upload to a file while it arrives, with its size and digest."""

from __future__ import annotations

import asyncio
import hashlib
from typing import IO

from thetahat_service.errors import InvalidFile, TooLarge, Unavailable

PIECE = 1024 * 1024  # bytes written at once, in a thread


def check_length(length: int, limit: int) -> None:
    """Raise ``TooLarge`` for a length over the limit."""
    if length > limit:
        raise TooLarge(f"The file is larger than the limit of {limit} bytes.")


class Receiver:
    """Writes the bytes of an upload to a file.

    Parameters
    ----------
    file : binary file
        The file to write; the caller keeps or deletes it.
    limit : int
        Most bytes.
    """

    def __init__(self, file: IO[bytes], limit: int) -> None:
        self._file = file
        self._limit = limit
        self._digest = hashlib.sha256()
        self._pending: list[bytes] = []
        self._pending_size = 0
        self.size = 0

    async def add(self, data: bytes) -> None:
        """Add bytes; they are written in a thread, a mebibyte at a time."""
        self.size += len(data)
        check_length(self.size, self._limit)
        self._pending.append(data)
        self._pending_size += len(data)
        if self._pending_size >= PIECE:
            await self._write()

    async def finish(self) -> str:
        """Write the rest and return the SHA-256 of all bytes."""
        if self.size == 0:
            raise InvalidFile("The file is empty.")
        await self._write()
        return self._digest.hexdigest()

    async def _write(self) -> None:
        pending, self._pending, self._pending_size = self._pending, [], 0
        await asyncio.to_thread(self._write_now, pending)

    def _write_now(self, pending: list[bytes]) -> None:
        data = b"".join(pending)
        self._digest.update(data)
        try:
            self._file.write(data)
        except OSError as error:
            raise Unavailable(f"The file cannot be stored: {error.strerror}.") from error
