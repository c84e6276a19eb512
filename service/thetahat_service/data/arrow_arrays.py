"""Arrow arrays from numpy arrays and lists.

``pyarrow.array`` imports pandas if it is installed, which makes a worker's first evaluation a
second slower; these functions do not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

NUMBERS = "iuf"  # kinds of numpy's types with the same memory layout in Arrow


def make_arrow_array(values: np.ndarray | Sequence[str | int | float]) -> pa.Array:
    """Return an Arrow array of values without missing ones; a numeric array is not copied."""
    if isinstance(values, np.ndarray):
        return _convert_numbers(values) if values.dtype.kind in NUMBERS else pa.array(values)
    if values and all(type(value) is str for value in values):
        return _convert_strings([str(value) for value in values])
    if values and all(type(value) is int and abs(value) < 2**63 for value in values):
        return _convert_numbers(np.array(values, dtype=np.int64))
    return pa.array(values)


def _convert_numbers(values: np.ndarray) -> pa.Array:
    contiguous = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
    kind = pa.from_numpy_dtype(contiguous.dtype)
    return pa.Array.from_buffers(kind, len(contiguous), [None, pa.py_buffer(contiguous)])


def _convert_strings(values: Sequence[str]) -> pa.Array:
    encoded = [value.encode() for value in values]
    sizes = np.array([len(text) for text in encoded])
    if sizes.sum() >= 2**31:
        return pa.array(values)
    offsets = np.zeros(len(values) + 1, dtype=np.int32)
    np.cumsum(sizes, out=offsets[1:])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(values), buffers)
