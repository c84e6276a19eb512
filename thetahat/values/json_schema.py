"""The JSON Schema of a value, as far as this library writes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from thetahat.values.json_values import JsonValue

JsonSchema = TypedDict(
    "JsonSchema",
    {
        "$defs": "dict[str, JsonSchema]",
        "$ref": str,
        "additionalProperties": "bool | JsonSchema",
        "allOf": "Sequence[JsonSchema]",
        "anyOf": "Sequence[JsonSchema]",
        "const": JsonValue,
        "default": JsonValue,
        "description": str,
        "enum": "Sequence[JsonValue]",
        "examples": "Sequence[JsonValue]",
        "exclusiveMaximum": float,
        "exclusiveMinimum": float,
        "format": str,
        "items": "JsonSchema",
        "maxItems": int,
        "maxLength": int,
        "maximum": float,
        "minItems": int,
        "minLength": int,
        "minimum": float,
        "oneOf": "Sequence[JsonSchema]",
        "pattern": str,
        "prefixItems": "Sequence[JsonSchema]",
        "properties": "dict[str, JsonSchema]",
        "required": "list[str]",
        "title": str,
        "type": str,
    },
    total=False,
)
"""A schema with those of its parts. The fields that are present depend on the type of the value."""
