"""The arrays of an NPZ file, unpacked to disk and mapped into memory; never unpickled."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, Final

import numpy as np

from thetahat_service.data.base import FileLimits, check_expansion, read_parser_reason
from thetahat_service.data.npy_header import LONGEST_HEADER, Header, describe_type, read_header
from thetahat_service.data.zip_members import ZIP_ERRORS
from thetahat_service.errors import InvalidFile, TooLarge, Unavailable

MOST_ARRAYS: Final = 200  # each needs an open file while the archive is read
LONGEST_READ: Final = 4 * 1024 * 1024
"""Most bytes of the archive in one read; its table of contents needs a single read."""
CHUNK: Final = 1024 * 1024
MAX_BYTES_PER_CELL: Final = 16
"""Most bytes of a stored value of a sparse matrix: itself, and its column."""

_ENDING: Final = ".npy"
_BROKEN: Final = (*ZIP_ERRORS, OSError, OverflowError, ValueError)
"""Exceptions of ``zipfile`` for an archive that is cut off, encrypted or invalid."""


class _LimitedFile(io.FileIO):
    """A file that refuses to read very large pieces, whatever a header claims."""

    def read(self, size: int | None = -1) -> bytes:
        """Return up to ``size`` bytes."""
        if size is not None and size > LONGEST_READ:
            raise InvalidFile(f"The archive has a part of {size} bytes that is not an array.")
        return super().read(size) or b""


@contextmanager
def unpack_arrays(path: Path, limits: FileLimits) -> Iterator[dict[str, np.ndarray]]:
    """Yield the arrays of an NPZ by name, mapped from temporary files beside it.

    The unpacked size that the archive declares is checked before anything is unpacked, and an array
    with another size than it declares is refused.

    Raises
    ------
    InvalidFile
        Not an NPZ, cut off, encrypted, or an array that cannot be read as numbers or text.
    TooLarge
        It would unpack to more bytes than the limits of cells and of expansion allow.
    """
    with ExitStack() as stack:
        arrays = {}
        try:
            archive = stack.enter_context(zipfile.ZipFile(stack.enter_context(_LimitedFile(path))))
            for name, member in _list_members(archive, path, limits).items():
                with archive.open(member) as packed:
                    head = packed.read(LONGEST_HEADER)
                    header = read_header(head, f"The array {name!r}")
                    _check(name, header, member.file_size, limits)
                    file = stack.enter_context(tempfile.TemporaryFile(dir=path.parent))
                    _write(file, head[header.offset :])
                    while piece := packed.read(CHUNK):
                        _write(file, piece)
                arrays[name] = _map_array(file, header)
        except _BROKEN as error:
            reason = read_parser_reason(error)
            raise InvalidFile(f"The file is not an NPZ that can be read: {reason}.") from None
        yield arrays


def _list_members(
    archive: zipfile.ZipFile, path: Path, limits: FileLimits
) -> dict[str, zipfile.ZipInfo]:
    """Return the members of an archive by array name, after the unpacked size is checked."""
    members = {}
    infos = archive.infolist()
    if len(infos) > MOST_ARRAYS:
        raise TooLarge(f"The archive has {len(infos)} arrays; at most {MOST_ARRAYS} are allowed.")
    unpacked_bytes = sum(info.file_size for info in infos)
    max_bytes = limits.cells * MAX_BYTES_PER_CELL
    if unpacked_bytes > max_bytes:
        raise TooLarge(
            f"The archive unpacks to {unpacked_bytes} bytes; at most {max_bytes} are allowed."
        )
    check_expansion(path, unpacked_bytes, limits)
    for info in infos:
        name = info.filename.removesuffix(_ENDING)
        if name == info.filename or name in members:
            fault = "occurs twice" if name in members else "is not an array"
            raise InvalidFile(f"The archive's part {info.filename[:80]!r} {fault}.")
        members[name] = info
    return members


def _check(name: str, header: Header, size: int, limits: FileLimits) -> None:
    dtype = header.dtype
    if dtype.kind == "O":
        raise InvalidFile(
            f"The array {name!r} has Python objects, which only pickle can read. Save it as "
            "numbers or as text."
        )
    longest = limits.cell_bytes if dtype.kind in "US" else 8
    if dtype.kind not in "fiubUS" or dtype.itemsize > longest:
        raise InvalidFile(
            f"The array {name!r} {describe_type(dtype)}. Save numbers of up to 64 bits, booleans "
            "or text."
        )
    if header.n_bytes != size:
        raise InvalidFile(
            f"The array {name!r} of shape {header.shape} and type {dtype.name} needs "
            f"{header.n_bytes} bytes, but it has {size}."
        )


def _write(file: IO[bytes], piece: bytes) -> None:
    try:
        file.write(piece)
        file.flush()
    except OSError as error:
        raise Unavailable(f"The file cannot be unpacked: {error.strerror}.") from error


def _map_array(file: IO[bytes], header: Header) -> np.ndarray:
    order: Any = "F" if header.fortran_order else "C"
    if 0 in header.shape or header.dtype.itemsize == 0:
        return np.empty(header.shape, header.dtype)
    # A plain view of the map: the class memmap makes each slice of it slow.
    return np.asarray(np.memmap(file, header.dtype, mode="r", shape=header.shape, order=order))
