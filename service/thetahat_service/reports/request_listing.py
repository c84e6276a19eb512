"""A request as JSON on few lines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from thetahat.values.json_values import JsonValue

LINE: Final = 92
MAX_LETTERS: Final = 8000
"""Length from which long lists of a request are shortened."""
MAX_ITEMS: Final = 8
MAX_LISTS: Final = 2
"""Lists of a list, or of an object with only lists: they are alike."""
MAX_LINES: Final = 150


def list_request(request: Mapping[str, JsonValue]) -> tuple[str, bool]:
    """Return a request as indented JSON, and whether it is whole.

    A list or an object that fits on one line stands on one line, and long lists of numbers and
    texts fill their lines.
    """
    text = _write(request, 0)
    if len(text) <= MAX_LETTERS:
        return text, True
    lines = _write(_shorten(request), 0).split("\n")
    if len(lines) > MAX_LINES:
        lines = [*lines[:MAX_LINES], "..."]
    return "\n".join(lines), False


def _write(value: Any, indent: int, room: int = LINE) -> str:
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) <= room or not value or not isinstance(value, dict | list):
        return flat
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        opening, closing = "{", "}"
        parts = [
            f"{name}: {_write(member, indent + 2, LINE - indent - len(name) - 5)}"
            for name, member in (
                (json.dumps(key, ensure_ascii=False), each) for key, each in value.items()
            )
        ]
    else:
        opening, closing = "[", "]"
        parts = [_write(each, indent + 2, LINE - indent - 3) for each in value]
        if not any(isinstance(each, dict | list) for each in value):
            parts = _fill(parts, LINE - indent - 3)
    return f"{opening}\n{inner}" + f",\n{inner}".join(parts) + f"\n{' ' * indent}{closing}"


def _fill(parts: Sequence[str], room: int) -> list[str]:
    """Return lines of as many parts as there is room for."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 2 <= room:
            lines[-1] += f", {part}"
        else:
            lines.append(part)
    return lines


def _shorten(value: Any) -> Any:
    """Return a JSON value with its long lists and texts shortened."""
    if isinstance(value, dict):
        n_shown = len(value)
        if len(value) > MAX_ITEMS and all(isinstance(entry, list) for entry in value.values()):
            n_shown = MAX_LISTS
        shown = {key: _shorten(entry) for key, entry in list(value.items())[:n_shown]}
        left_out = len(value) - n_shown
        return {**shown, "...": f"and {left_out} more"} if left_out else shown
    if isinstance(value, str) and len(value) > 500:
        return f"{value[:500]}..."
    if not isinstance(value, list):
        return value
    are_lists = len(value) > MAX_ITEMS and all(isinstance(each, list) for each in value)
    items = [_shorten(each) for each in value[: MAX_LISTS if are_lists else MAX_ITEMS]]
    left_out = len(value) - len(items)
    return [*items, f"... and {left_out} more"] if left_out else items
