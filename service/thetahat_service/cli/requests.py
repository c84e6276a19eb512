"""Reading the JSON of requests from files or standard input."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from thetahat_service.cli.failures import UserError
from thetahat_service.json_keys import find_repeated_key

if TYPE_CHECKING:
    from thetahat.values.json_values import JsonValue

JSON_LINES: Final = (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class NamedRequest:
    """A request, and where it was read, for messages."""

    place: str
    body: dict[str, JsonValue]


def read_request(name: str) -> dict[str, JsonValue]:
    """Return the request in a file, or on standard input if the name is ``-``."""
    place, text = _read(name)
    return _parse_object(text, place)


def read_requests(names: Sequence[str]) -> list[NamedRequest]:
    """Return the requests in files, in their order.

    A file has one JSON object, or one object in each line if its name ends in ``.jsonl`` or
    ``.ndjson``. Standard input (``-``) may have either.
    """
    return [request for name in names for request in _read_all(name)]


def _read_all(name: str) -> list[NamedRequest]:
    place, text = _read(name)
    has_lines = name.lower().endswith(JSON_LINES) or (name == "-" and _are_lines(text))
    if not has_lines:
        return [NamedRequest(place, _parse_object(text, place))]
    lines = [(i, line) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise UserError(f"{place} has no request.")
    places = [(f"{place}, line {i}", line) for i, line in lines]
    return [NamedRequest(at, _parse_object(line, at)) for at, line in places]


def _read(name: str) -> tuple[str, str]:
    """Return what a file is called in messages, and its text."""
    if name == "-":
        return "Standard input", _decode(sys.stdin.buffer.read(), "Standard input")
    return name, _decode(Path(name).read_bytes(), name)


def _decode(content: bytes, place: str) -> str:
    """Return the text of JSON in UTF-8, or in UTF-16 as PowerShell writes it."""
    encoding = json.detect_encoding(content)
    try:
        return content.decode(encoding)
    except UnicodeError as error:
        raise UserError(f"{place} is not text in {encoding}: {error}. Save it as UTF-8.") from None


def _are_lines(text: str) -> bool:
    """Return whether a text has several JSON values, the first of which is a line."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2:
        return False
    try:
        json.loads(lines[0])
    except ValueError:
        return False
    return True


def _parse_object(text: str, place: str) -> dict[str, JsonValue]:
    try:
        request = json.loads(text, parse_constant=_refuse_constant)
        repeated = find_repeated_key(text)
    except ValueError as error:
        raise UserError(f"{place} is not JSON: {error}") from None
    if repeated is not None:
        raise UserError(f"{place} has the key {repeated!r} twice in one object. Keep one.")
    if not isinstance(request, dict):
        raise UserError(f"{place} must hold one JSON object, the request.")
    return request


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
