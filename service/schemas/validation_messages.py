"""Messages for pydantic's validation errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_PREFIX: Final = "Value error, "
_OBJECT, _LIST, _STRING = "must be an object", "must be a list", "must be a string"
_WHOLE, _NUMBER, _YES_NO = "must be a whole number", "must be a number", "must be true or false"
_TIME: Final = "must be a time in ISO 8601, such as 2026-01-31T12:00:00Z"
_ID: Final = "must be an id (a UUID)"
_MESSAGES: Final[Mapping[str, str]] = {
    "missing": "is missing",
    "extra_forbidden": "is not a known field",
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
    "too_short": "must have at least {min_length} items, and has {actual_length}",
    "too_long": "may have at most {max_length} items, and has {actual_length}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "may have at most {max_length} characters",
    "string_pattern_mismatch": "must match {pattern}",
    "datetime_type": _TIME,
    "datetime_parsing": _TIME,
    "datetime_from_date_parsing": _TIME,
    "datetime_object_invalid": _TIME,
}


def describe_error(item: Any) -> str:
    """Return the message of one of pydantic's errors; pydantic's own if there is none here."""
    message, context = _MESSAGES.get(item["type"]), item.get("ctx", {})
    if context.get("min_length") == 1:
        return "must not be empty"
    try:
        return item["msg"].removeprefix(_PREFIX) if message is None else message.format(**context)
    except KeyError:  # another release of pydantic has other context
        return str(item["msg"])
