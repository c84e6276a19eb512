"""Values as an error document may show them: short, and valid JSON whatever a client sent."""

from __future__ import annotations

import math
from typing import Any
from uuid import UUID

LONGEST_TEXT = 200
LONGEST_LIST = 10
DEEPEST = 3
LARGEST_INT = 2**63
MANY_BITS = 1024


def presentable(value: Any, depth: int = 0) -> Any:
    """Return a value cut to a readable size, with NaN and infinities as strings."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return _integer(int(value))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _non_finite(value)
    if isinstance(value, str | UUID):
        return shortened(str(value), LONGEST_TEXT)
    if depth >= DEEPEST:
        return "..."
    if isinstance(value, dict):
        pairs = list(value.items())[:LONGEST_LIST]
        cut = {"...": f"{len(value) - LONGEST_LIST} more"} if len(value) > LONGEST_LIST else {}
        return {shortened(str(k), LONGEST_TEXT): presentable(v, depth + 1) for k, v in pairs} | cut
    if isinstance(value, list | tuple | set | frozenset):
        shown = [presentable(v, depth + 1) for v in list(value)[:LONGEST_LIST]]
        return shown if len(value) <= LONGEST_LIST else [*shown, "..."]
    item = getattr(value, "item", None)  # a numpy scalar
    return presentable(item(), depth + 1) if callable(item) else type(value).__name__


def shortened(text: str, longest: int) -> str:
    """Return text that is valid UTF-8 and not long."""
    text = text if len(text) <= longest else text[: longest - 3] + "..."
    return text.encode("utf-8", "replace").decode()


def _integer(value: int) -> int | str:
    if -LARGEST_INT <= value < LARGEST_INT:
        return value
    bits = value.bit_length()
    return str(value) if bits <= MANY_BITS else f"an integer of {bits} bits"


def _non_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
