"""Sentences for pydantic's validation errors: the field, what it must be, and what it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic_core import ErrorDetails

from thetahat.common_names import COMMON_NAMES
from thetahat.errors import Loc, shorten_value
from thetahat.similar_names import find_similar_name, suggest_name

_PREFIX: Final = "Value error, "
_OBJECT, _LIST, _STRING = "must be an object", "must be a list", "must be a string"
_WHOLE, _NUMBER, _YES_NO = "must be a whole number", "must be a number", "must be true or false"
_TIME: Final = "must be a time in ISO 8601, such as 2026-01-31T12:00:00Z"
_ID: Final = "must be an id (a UUID)"
_RULES: Final[Mapping[str, str]] = {
    "dict_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "dataclass_type": _OBJECT,
    "list_type": _LIST,
    "tuple_type": _LIST,
    "string_type": _STRING,
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": "must be a finite number",
    "bool_type": _YES_NO,
    "bool_parsing": _YES_NO,
    "uuid_type": _ID,
    "uuid_parsing": _ID,
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "greater_than": "must be above {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be below {lt}",
    "less_than_equal": "must be at most {le}",
    "string_pattern_mismatch": "must match {pattern}",
    "datetime_type": _TIME,
    "datetime_parsing": _TIME,
    "datetime_from_date_parsing": _TIME,
    "datetime_object_invalid": _TIME,
}
"""What a field must be, by pydantic's type of the error."""
_SENTENCES: Final[Mapping[str, str]] = {
    "missing": "is missing",
    "too_short": "must have at least {min_length} items, and has {actual_length}",
    "too_long": "may have at most {max_length} items, and has {actual_length}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "may have at most {max_length} characters",
}
"""The rest of a sentence about a field that does not show the value."""
_NAMED: Final = ("literal_error", "enum")
_NOUNS: Final = {"query": "query parameter", "header": "header", "path": "path's part"}
_BRANCH: Final = "must be "


def name_place(loc: Loc) -> str:
    """Return the subject of a sentence about a place of a request."""
    if not loc:
        return "The body"
    if loc[0] in _NOUNS and len(loc) > 1:
        return f"The {_NOUNS[str(loc[0])]} {'.'.join(map(str, loc[1:]))}"
    return f"The field {'.'.join(map(str, loc))}"


def describe_error(item: ErrorDetails, subject: str) -> str:
    """Return one of pydantic's errors as a sentence about the subject."""
    return describe_errors((item,), subject)


def describe_errors(items: Sequence[ErrorDetails], subject: str) -> str:
    """Return errors about one value as a sentence; a union has one for each of its branches."""
    rules = list(dict.fromkeys(filter(None, map(_find_rule, items))))
    if rules:
        branches = [rules[0], *(rule.removeprefix(_BRANCH) for rule in rules[1:])]
        value = items[0]["input"]
        near = suggest_name(*known) if (known := _find_known_names(items)) else ""
        return f"{subject} {' or '.join(branches)}, and is {_describe_value(value)}{near}."
    return _write_sentence(items[0], subject)


def find_proposed_name(items: Sequence[ErrorDetails]) -> str | None:
    """Return the known name that the sentence about errors of one value proposes."""
    return find_similar_name(*known) if (known := _find_known_names(items)) else None


def _find_known_names(items: Sequence[ErrorDetails]) -> tuple[str, list[str], str] | None:
    """Return a text, the names that are allowed in its place, and their family; None without."""
    value = items[0]["input"] if items else None
    names = [
        name
        for item in items
        if item["type"] in _NAMED
        for name in re.findall(r"'([^']*)'", str(item.get("ctx", {}).get("expected", "")))
    ]
    if not names or not isinstance(value, str):
        return None
    family = next((str(part) for part in items[0]["loc"] if part in COMMON_NAMES), "")
    return value, names, family


def _find_rule(item: ErrorDetails) -> str | None:
    """Return what the value must be; None if the sentence about it does not show the value."""
    message = str(item["msg"]).removeprefix(_PREFIX)
    if item["type"] not in _RULES:
        return message if message.startswith(_BRANCH) else None
    try:
        return _RULES[item["type"]].format(**item.get("ctx", {}))
    except KeyError:  # another release of pydantic has other context
        return None


def _write_sentence(item: ErrorDetails, subject: str) -> str:
    context = item.get("ctx", {})
    if context.get("min_length") == 1:
        return f"{subject} must not be empty."
    try:
        return f"{subject} {_SENTENCES[item['type']].format(**context)}."
    except KeyError:
        message = str(item["msg"]).removeprefix(_PREFIX).rstrip(".")
        return f"{subject} is invalid. {message[:1].upper()}{message[1:]}."


def _describe_value(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list | tuple) else repr(shorten_value(value))
