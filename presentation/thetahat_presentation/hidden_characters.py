r"""Characters that cannot be seen, or that change the order of others, are shown as escapes.

A name such as ``"new\u202ewon"`` could otherwise make a page say what its result does not: a
right-to-left mark reverses the letters after it, and a zero-width space makes two names alike.
Every text that people read goes through here once, where a document, a figure, a report or a page
is complete; JSON keeps names as they were sent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, TypeVar

Value = TypeVar("Value")

_HIDDEN: Final = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters other than tab and line end
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, fillers
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, ends of lines, order of letters
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"  # blanks that look like spaces, variants
    "\ud800-\udfff"  # halves of characters, which no UTF-8 can hold
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "]"
)
_OF_A_LINE: Final = re.compile(f"{_HIDDEN.pattern[:-1]}\t\n]")


def show_hidden(text: str) -> str:
    r"""Return a text in which each hidden character is an escape, such as ``\u202e``.

    Tabs and line ends stay.
    """
    return _HIDDEN.sub(_escape, text)


def show_hidden_in(value: Value, *, keeps_lines: bool = False) -> Value:
    """Return lists, mappings and dataclasses in which no text has hidden characters.

    Keys of mappings and everything that is no text stay. ``value`` is not changed. With
    ``keeps_lines`` tabs and line ends stay. Else they are escapes, too: each text is one line.
    """
    pattern = _HIDDEN if keeps_lines else _OF_A_LINE
    return _replace_in(value, pattern)  # type: ignore[no-any-return]


def _replace_in(value: Any, pattern: re.Pattern[str]) -> Any:
    shown = value
    if isinstance(value, str):
        shown = pattern.sub(_escape, value)
    elif isinstance(value, Mapping):
        shown = {key: _replace_in(each, pattern) for key, each in value.items()}
    elif isinstance(value, list | tuple):
        parts = (_replace_in(each, pattern) for each in value)
        shown = type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    elif is_dataclass(value) and not isinstance(value, type):
        before = {field.name: getattr(value, field.name) for field in fields(value)}
        after = {name: _replace_in(each, pattern) for name, each in before.items()}
        changed = {name: each for name, each in after.items() if each != before[name]}
        shown = replace(value, **changed) if changed else value
    return shown


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape", "surrogatepass").decode()
