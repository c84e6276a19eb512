"""Frames and arrays: to upload, and made of results.

Frames need the package ``narwhals``, which works with those of pandas, polars and pyarrow; arrays
of NumPy need nothing else.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from importlib import import_module
from io import BytesIO
from typing import Any, Final, Literal, Protocol, TypeAlias

from thetahat_client.result_types import (
    ComparisonJson,
    ModelsResult,
    ResultJson,
    has_models,
    list_comparisons,
    read_result,
)

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


FrameCell: TypeAlias = str | float | None
"""A cell of a frame that is made of a result."""

IntervalColumn: TypeAlias = Literal[
    "target", "estimate", "standard_error", "lower", "upper", "level", "method", "variance"
]

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


def models_frame(result: ResultJson, backend: str = "pandas") -> Any:
    """Return one row per model and target: mean, standard error and recommended interval.

    Parameters
    ----------
    result : Mapping
        A result, as ``Client.result`` returns it.
    backend : str
        ``pandas``, ``polars`` or ``pyarrow``.
    """
    rows: list[Mapping[str, FrameCell]] = [
        {"model": name, **{key: interval.get(key) for key in _INTERVAL}}
        for name, model in _read_models_result(result)["models"].items()
        for interval in model["recommended"].values()
    ]
    return make_frame(_arrange_columns(rows, ("model", *_INTERVAL)), backend)


def comparisons_frame(result: ResultJson, backend: str = "pandas") -> Any:
    """Return one row per pair of models: difference a minus b, interval, p-value, verdict."""
    typed_result = read_result(result)
    pairs = list_comparisons(typed_result) if has_models(typed_result) else []
    rows = [_build_comparison_row(pair) for pair in pairs]
    return make_frame(_arrange_columns(rows, _COMPARISON), backend)


def _read_models_result(result: ResultJson) -> ModelsResult:
    typed_result = read_result(result)
    if not has_models(typed_result):
        message = f"The result of kind {typed_result['kind']} has no models."
        raise ValueError(message)
    return typed_result


def _build_comparison_row(pair: ComparisonJson) -> Mapping[str, FrameCell]:
    interval, verdict = pair["interval"], pair["verdict"]
    return {
        "a": pair["a"],
        "b": pair["b"],
        "difference": pair["difference"],
        "lower": None if interval is None else interval["lower"],
        "upper": None if interval is None else interval["upper"],
        "target": None if interval is None else interval["target"],
        "p_value": verdict["p_value"],
        "p_value_adjusted": verdict["p_value_adjusted"],
        "decision": verdict["decision"],
    }


def make_frame(columns: Mapping[str, Sequence[FrameCell]], backend: str = "pandas") -> Any:
    """Return a native frame of pandas, polars or pyarrow with these columns."""
    return _import_narwhals().from_dict(dict(columns), backend=backend).to_native()


def _import_narwhals() -> Any:
    """Return the package narwhals, which only those who use frames need."""
    try:
        return import_module("narwhals")
    except ImportError:
        message = "Frames need the package narwhals: pip install 'thetahat-client[frames]'."
        raise ImportError(message) from None


_INTERVAL: Final[tuple[IntervalColumn, ...]] = (
    *("target", "estimate", "standard_error", "lower", "upper", "level", "method", "variance"),
)
_COMPARISON: Final = (
    *("a", "b", "difference", "lower", "upper", "target"),
    *("p_value", "p_value_adjusted", "decision"),
)


def _arrange_columns(
    rows: Sequence[Mapping[str, FrameCell]], names: Sequence[str]
) -> dict[str, list[FrameCell]]:
    return {name: [row[name] for row in rows] for name in names}
