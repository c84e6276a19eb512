"""JSON Schemas of single values, said in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

Schema = Mapping[str, Any]

_WORDS: Final = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_BOUNDS: Final = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}


def any_of(schemas: Sequence[Schema]) -> dict[str, Any]:
    """Return the schema of a value that fits one of several, each named once."""
    distinct: list[dict[str, Any]] = []
    for schema in schemas:
        if dict(schema) not in distinct:
            distinct.append(dict(schema))
    if len(distinct) == 1:
        return distinct[0]
    return {"anyOf": distinct}


def in_words(schema: Schema) -> str:
    """Say what a schema allows, for the sentence ``... must be <words>``."""
    if "anyOf" in schema:
        return " or ".join(in_words(part) for part in schema["anyOf"])
    if "enum" in schema:
        options = ", ".join(repr(option) for option in schema["enum"])
        return options if len(schema["enum"]) == 1 else f"one of {options}"
    if "const" in schema:
        return repr(schema["const"])
    if "type" not in schema:
        return "a plain value"
    bounds = [f"{word} {schema[key]}" for key, word in _BOUNDS.items() if key in schema]
    return " ".join([_WORDS[schema["type"]], " and ".join(bounds)]).strip()
