"""The header of a NumPy array file."""

from __future__ import annotations

import io
import math
import tokenize
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.lib import format as npy_format

from thetahat_service.data.base import read_parser_reason
from thetahat_service.errors import InvalidFile

LONGEST_HEADER: Final = 64 * 1024  # bytes, where a plain array has 128
_LISTED: Final = 5
_READERS: Final = {
    (1, 0): npy_format.read_array_header_1_0,
    (2, 0): npy_format.read_array_header_2_0,
}


@dataclass(frozen=True, slots=True)
class Header:
    """The shape and type of an array, and the number of bytes of its header."""

    shape: tuple[int, ...]
    fortran_order: bool
    dtype: np.dtype[np.generic]
    offset: int

    @property
    def n_bytes(self) -> int:
        """Bytes of the whole file: the header and the values."""
        return self.offset + math.prod(self.shape) * self.dtype.itemsize


def read_header(head: bytes, noun: str = "The file") -> Header:
    """Read the header from the first bytes; numpy parses it as a literal and unpickles nothing.

    ``head`` has the first ``LONGEST_HEADER`` bytes of the array's file, or all of them; an error
    message begins with ``noun``, the noun for the file.
    """
    file = io.BytesIO(head)
    try:
        read: Any = _READERS.get(npy_format.read_magic(file), _refuse_version)
        shape, fortran, dtype = read(file)
    except Exception as error:  # noqa: BLE001 - numpy's parser raises what its input makes of it
        unfinished = isinstance(error, tokenize.TokenError)
        reason = "its header breaks off" if unfinished else read_parser_reason(error)
        raise InvalidFile(f"{noun} is not a NumPy array that can be read: {reason}.") from None
    if any(isinstance(length, bool) or length < 0 for length in shape):
        raise InvalidFile(f"{noun} has the shape {shape}; every length must be a whole number.")
    return Header(shape, fortran, dtype, file.tell())


def describe_type(dtype: np.dtype[np.generic]) -> str:
    """Return the words for a type that is refused; numpy calls every record ``void``."""
    if dtype.names is None:
        return f"has the type {dtype.name}, which is not supported"
    more = len(dtype.names) - _LISTED
    fields = ", ".join(map(repr, dtype.names[:_LISTED])) + (f" and {more} more" if more > 0 else "")
    return (
        f"is one of records, with the fields {fields}, and records are not supported; save a "
        "table of them as CSV or Parquet, or each field as an array of an NPZ"
    )


def _refuse_version(_file: io.BytesIO) -> tuple[tuple[int, ...], bool, np.dtype[np.generic]]:
    raise ValueError("the version of the NumPy format is not supported")
