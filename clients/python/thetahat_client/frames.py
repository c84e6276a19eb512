"""Frames and arrays, as files that are uploaded.

Frames need the package ``narwhals``, which works with those of pandas, polars and pyarrow; arrays
of NumPy need nothing else.
"""

from __future__ import annotations

import struct
from importlib import import_module
from io import BytesIO
from typing import Any, Final, Protocol, TypeAlias

PARQUET: Final = "application/vnd.apache.parquet"
NPY: Final = "application/x-npy"
CSV: Final = "text/csv"
HEADER_BLOCK: Final = 64
NUMBERS: Final = "biuf"


class Array(Protocol):
    """What is needed of a NumPy array."""

    @property
    def dtype(self) -> Any:
        """Type of the numbers."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of rows and columns."""

    def tobytes(self) -> bytes:
        """Return the numbers row by row."""


FrameOrArray: TypeAlias = Any
"""A frame of pandas, polars or pyarrow, or an ``Array``."""


def write_table(table: FrameOrArray) -> tuple[bytes, str]:
    """Return a frame or an array as the bytes of a file, and its media type.

    A frame becomes Parquet, or CSV where the frame's library cannot write Parquet.
    """
    if hasattr(table, "__array_interface__"):
        return write_npy(table), NPY
    frame = _import_narwhals().from_native(table, eager_only=True)
    file = BytesIO()
    try:
        frame.write_parquet(file)
    except ImportError:  # pandas without pyarrow
        return frame.write_csv().encode(), CSV
    return file.getvalue(), PARQUET


def write_npy(array: Array) -> bytes:
    """Return an array of numbers in NumPy's file format, version 1.0."""
    if array.dtype.kind not in NUMBERS:
        message = f"The array has entries of type {array.dtype}; only numbers can be uploaded."
        raise TypeError(message)
    header = f"{{'descr': {array.dtype.str!r}, 'fortran_order': False, 'shape': {array.shape}, }}"
    filler = -(10 + len(header) + 1) % HEADER_BLOCK
    text = header + " " * filler + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + array.tobytes()


def _import_narwhals() -> Any:
    """Return the package narwhals, which only those who use frames need."""
    try:
        return import_module("narwhals")
    except ImportError:
        message = "Frames need the package narwhals: pip install 'thetahat-client[frames]'."
        raise ImportError(message) from None
