"""A check of values against the part of JSON Schema that the OpenAPI document uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}


def check_value(
    document: Mapping[str, Any],
    schema: Mapping[str, Any],
    value: Any,
    path: Sequence[str | int] = (),
) -> None:
    """Raise AssertionError, with the path, if a value does not satisfy its schema.

    It is stricter than JSON Schema: an object must not have fields that its schema does not name,
    unless it says what further fields are.
    """
    problem = find_problem(document, schema, value, tuple(path))
    assert problem is None, problem


def find_problem(
    document: Mapping[str, Any], schema: Mapping[str, Any], value: Any, path: tuple[str | int, ...]
) -> str | None:
    """Return what is wrong with a value, or None."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return find_problem(document, document["components"]["schemas"][name], value, path)
    if "anyOf" in schema or "oneOf" in schema:
        return _find_union_problem(document, schema, value, path)
    where = ".".join(map(str, path))
    if "const" in schema and value != schema["const"]:
        return f"{where}: {value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where}: {value!r} is none of {schema['enum']}"
    if "type" in schema and not _is_type(value, schema["type"]):
        return f"{where}: {value!r:.80} is no {schema['type']}"
    if isinstance(value, dict) and schema.get("type") == "object":
        return _find_object_problem(document, schema, value, path)
    items = enumerate(value) if isinstance(value, list) and "items" in schema else ()
    problems = (find_problem(document, schema["items"], item, (*path, i)) for i, item in items)
    return next((problem for problem in problems if problem), None)


def _is_type(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def _find_union_problem(
    document: Mapping[str, Any], schema: Mapping[str, Any], value: Any, path: tuple[str | int, ...]
) -> str | None:
    if "discriminator" in schema:
        mapping = schema["discriminator"]["mapping"]
        reference = mapping.get(value[schema["discriminator"]["propertyName"]])
        if reference is not None:
            return find_problem(document, {"$ref": reference}, value, path)
    members = schema.get("anyOf", schema.get("oneOf", ()))
    problems = [find_problem(document, member, value, path) for member in members]
    if all(problems):
        return " | ".join(map(str, problems))[:2000]
    return None


def _find_object_problem(
    document: Mapping[str, Any],
    schema: Mapping[str, Any],
    value: dict[str, Any],
    path: tuple[str | int, ...],
) -> str | None:
    where = ".".join(map(str, path))
    properties = schema.get("properties", {})
    if missing := set(schema.get("required", ())) - set(value):
        return f"{where}: {sorted(missing)} are missing"
    further = schema.get("additionalProperties", not properties)
    for key, item in value.items():
        inner = properties.get(key, further)
        if inner is False:
            return f"{where}: {key!r} is not in the schema"
        if inner is not True and (problem := find_problem(document, inner, item, (*path, key))):
            return problem
    return None
