"""JSON Schemas of single values, and their description in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from thetahat.values.json_schema import JsonSchema

Bound: TypeAlias = Literal["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"]

_WORDS: Final = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_BOUNDS: Final[dict[Bound, str]] = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}


def combine_schemas(schemas: Sequence[JsonSchema]) -> JsonSchema:
    """Return the schema of a value that matches one of several schemas, without duplicates."""
    distinct: list[JsonSchema] = []
    for schema in schemas:
        if schema not in distinct:
            distinct.append(schema)
    if len(distinct) == 1:
        return distinct[0].copy()
    return {"anyOf": distinct}


def describe_schema(schema: JsonSchema) -> str:
    """Return what a schema allows in words that complete the sentence ``... must be``."""
    if "anyOf" in schema:
        return " or ".join(describe_schema(part) for part in schema["anyOf"])
    if "enum" in schema:
        options = ", ".join(repr(option) for option in schema["enum"])
        return options if len(schema["enum"]) == 1 else f"one of {options}"
    if "const" in schema:
        return repr(schema["const"])
    if "type" not in schema:
        return "a plain value"
    bounds = [f"{word} {schema[key]}" for key, word in _BOUNDS.items() if key in schema]
    return " ".join([_WORDS[schema["type"]], " and ".join(bounds)]).strip()
