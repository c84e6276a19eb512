"""Values and texts shortened for error documents, as valid JSON whatever a client sent."""

from __future__ import annotations

import math
from typing import Any
from uuid import UUID

MAX_TEXT = 200
MAX_ITEMS = 10
MAX_DEPTH = 3
LARGEST_INT = 2**63
MAX_BITS = 1024


def shorten_value(value: Any, depth: int = 0) -> Any:
    """Return a value cut to a readable size, with NaN and infinities as strings."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return _shorten_integer(int(value))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _name_non_finite(value)
    if isinstance(value, str | UUID):
        return shorten_text(str(value), MAX_TEXT)
    if depth >= MAX_DEPTH:
        return "..."
    if isinstance(value, dict):
        pairs = list(value.items())[:MAX_ITEMS]
        shortened = {"...": f"{len(value) - MAX_ITEMS} more"} if len(value) > MAX_ITEMS else {}
        return {
            shorten_text(str(key), MAX_TEXT): shorten_value(item, depth + 1) for key, item in pairs
        } | shortened
    if isinstance(value, list | tuple | set | frozenset):
        items = [shorten_value(item, depth + 1) for item in list(value)[:MAX_ITEMS]]
        return items if len(value) <= MAX_ITEMS else [*items, "..."]
    item = getattr(value, "item", None)  # a numpy scalar
    return shorten_value(item(), depth + 1) if callable(item) else type(value).__name__


def shorten_text(text: str, max_length: int) -> str:
    """Return text that is valid UTF-8 and not longer than ``max_length``."""
    text = text if len(text) <= max_length else text[: max_length - 3] + "..."
    return text.encode("utf-8", "replace").decode()


def _shorten_integer(value: int) -> int | str:
    if -LARGEST_INT <= value < LARGEST_INT:
        return value
    bits = value.bit_length()
    return str(value) if bits <= MAX_BITS else f"an integer of {bits} bits"


def _name_non_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
