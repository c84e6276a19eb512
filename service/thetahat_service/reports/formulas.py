"""Formulas as trees for the typesetter: MathML without its names and attributes."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final
from xml.etree import ElementTree as ET

from latex2mathml.converter import convert

Node = dict[str, Any]
"""``t`` is the sort of a node, ``c`` its parts, ``s`` its text; others are options of a sort."""

WITH_LIMITS: Final = frozenset({"max", "min", "arg max", "arg min", "argmin", "argmax", "sup"})
ACCENTS: Final = {"^": "hat", "~": "tilde", "¯": "bar", "―": "bar", "‾": "bar"}
CLOSING: Final = frozenset({")", "]", "}"})
NARROW_SPACE: Final = 0.17
_EM: Final = re.compile(r"(-?[0-9.]+)em")


@lru_cache(maxsize=512)
def parse_formula(formula: str) -> Node | None:
    """Return a LaTeX formula as a tree; None where it cannot be converted.

    Formulas come from the registry of methods, never from a request.
    """
    try:
        root = ET.fromstring(convert(formula, display="block"))  # noqa: S314 - made from our own text
    except Exception:  # noqa: BLE001 - the converter raises errors of many classes
        return None
    return _read_row(list(root))


def _read(element: ET.Element) -> Node:
    """Return the tree of one element."""
    tag = element.tag.rpartition("}")[2]
    text = (element.text or "").strip("\n")
    parts = list(element)
    if tag in {"mi", "mo", "mn", "mtext"}:
        return _read_text(tag, text, element)
    if tag == "mspace":
        match = _EM.fullmatch(element.get("width", ""))
        return {"t": "space", "w": float(match[1]) if match else NARROW_SPACE}
    if tag == "mfrac":
        sort = "binom" if element.get("linethickness") == "0" else "frac"
        return {"t": sort, "c": [_read(part) for part in parts]}
    if tag == "mover" and (accent := ACCENTS.get((parts[1].text or "").strip())):
        return {"t": accent, "c": [_read(parts[0])]}
    sorts = {"msub", "msup", "msubsup", "munder", "mover", "munderover", "msqrt", "mroot"}
    if tag in sorts:
        return {"t": tag[1:], "c": [_read(part) for part in parts]}
    row = _read_row(parts)
    return {"t": "inline", "c": [row]} if element.get("displaystyle") == "false" else row


def _read_row(parts: list[ET.Element]) -> Node:
    """Return elements that stand side by side; what is inside growing brackets becomes one part."""
    rows: list[list[Node]] = [[]]
    for part in parts:
        node = _read(part)
        is_fence = part.get("stretchy") == "true"
        if is_fence and _is_closing(part) and len(rows) > 1:
            inside = [*rows.pop(), node]
            rows[-1].append({"t": "grow", "c": inside})
        elif is_fence and not _is_closing(part):
            rows.append([node])
        else:
            rows[-1].append(node)
    return {"t": "row", "c": [node for row in rows for node in row]}


def _is_closing(part: ET.Element) -> bool:
    return part.get("form") == "postfix" or (part.text or "").strip() in CLOSING


def _read_text(tag: str, text: str, element: ET.Element) -> Node:
    text = text.lstrip("\\").replace("*", "∗").replace("~", "∼")
    if tag in {"mn", "mtext"}:
        return {"t": "text", "s": text}
    if len(text) > 1:
        return {"t": "op", "s": text, "limits": text in WITH_LIMITS}
    if tag == "mi" and element.get("mathvariant") == "normal":
        return {"t": "upright", "s": text}
    return {"t": "symbol", "s": text}
