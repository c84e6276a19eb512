"""A reader of the small part of YAML that the compose file uses; a whole parser would be a
dependency for one test."""

from __future__ import annotations

import re
from typing import Any

LINE = re.compile(r"^(?P<indent> *)(?:(?P<item>- )?(?:(?P<key>[\w.<-]+):(?: |$))?(?P<value>.*))$")


def outline(text: str) -> dict[str, Any]:
    """Return the mappings of a document as nested dicts, and lists of words as lists.

    It reads block mappings, block lists of scalars, and scalars; anchors are followed where they
    are merged (``<<: *name``). Anything else raises ``ValueError``.
    """
    lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if _says_something(line)]
    mapping, rest = _block(lines, 0, {})
    if rest or not isinstance(mapping, dict):
        message = f"line {rest[0][0] if rest else 1} does not belong to the document's mapping"
        raise ValueError(message)
    return mapping


def _says_something(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _block(
    lines: list[tuple[int, str]], indent: int, anchors: dict[str, Any]
) -> tuple[Any, list[tuple[int, str]]]:
    mapping: dict[str, Any] = {}
    words: list[str] = []
    while lines:
        number, line = lines[0]
        match = LINE.match(line)
        if match is None or "\t" in line:
            message = f"line {number} is not understood: {line}"
            raise ValueError(message)
        depth = len(match["indent"])
        if depth < indent:
            break
        if depth > indent:
            message = f"line {number} is indented by {depth}, not {indent}"
            raise ValueError(message)
        lines = lines[1:]
        if match["item"]:
            words.append(line.strip()[2:])
        else:
            lines = _entry(mapping, match, lines, indent, anchors)
    return (words or mapping), lines


def _entry(
    mapping: dict[str, Any],
    match: re.Match[str],
    lines: list[tuple[int, str]],
    indent: int,
    anchors: dict[str, Any],
) -> list[tuple[int, str]]:
    key, value = match["key"], match["value"].strip()
    if key is None or key in mapping:
        message = f"a key is missing or said twice: {match[0]}"
        raise ValueError(message)
    if key == "<<":
        mapping |= anchors[value.removeprefix("*")]
    elif value.startswith("*"):
        mapping[key] = anchors[value[1:]]
    elif value and not value.startswith("&"):
        mapping[key] = value
    else:
        mapping[key], lines = _block(lines, indent + 2, anchors)
        if value:
            anchors[value[1:]] = mapping[key]
    return lines
