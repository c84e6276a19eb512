"""JSON Schemas of results, generated from the dataclasses that the results are made of.

They follow the rules by which ``thetahat.values.json_values.to_json`` writes a dataclass: a field
with the default None is optional, ``metadata={"wire": ...}`` is its name in the JSON, and
``metadata={"inline": True}`` writes its items into the parent object, and
``metadata={"omit": True}`` leaves it out. Each description is the string literal below the field. A
list of cautions is written as a list of their keys in ``caution_texts``, and a studied design as
its key in ``expected_coverages`` or ``expected_sizes``; with ``metadata={"in_place": True}`` it is
written itself.

An array is a list of numbers; ``metadata={"dimensions": 2}`` makes it a list of lists, ``(1, 2)``
either. With ``metadata={"nullable": True}`` a number may be null, because it may be NaN.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from importlib import import_module
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints
from uuid import UUID

import numpy as np
from pydantic import BaseModel

from thetahat.analyses.losses.result import OPTIONAL_PARTS
from thetahat.cautions import Caution
from thetahat.values.coverage import ExpectedCoverage, ExpectedSize
from thetahat.values.json_schema import JsonSchema
from thetahat_service.schemas.field_descriptions import describe_fields

REF: Final = "#/components/schemas/{name}"
_SIMPLE: Final[dict[Any, JsonSchema]] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    NoneType: {"type": "null"},
    UUID: {"type": "string", "format": "uuid"},
    datetime: {"type": "string", "format": "date-time"},
    Any: {},
}
_DESIGNS: Final = (ExpectedCoverage, ExpectedSize)
NO_METADATA: Final[Mapping[str, Any]] = {}


class SchemaBuilder:
    """Collects the schemas of dataclasses and enumerations by class name."""

    def __init__(self) -> None:
        self.definitions: dict[str, JsonSchema] = {}
        self._classes: dict[str, type] = {}

    def add(self, cls: type) -> JsonSchema:
        """Add a class and all that it refers to; return the reference to it."""
        name = cls.__name__
        earlier = self._classes.setdefault(name, cls)
        if earlier is not cls:
            raise RuntimeError(
                f"Two classes of results have the name {name!r}: one in {earlier.__module__} and "
                f"one in {cls.__module__}. Rename one of them."
            )
        if name not in self.definitions:
            self.definitions[name] = {}  # now, so that a class may refer to itself
            build = (
                _build_enumeration_schema
                if issubclass(cls, StrEnum)
                else self._build_dataclass_schema
            )
            self.definitions[name] = build(cls)
        return {"$ref": REF.format(name=name)}

    def build_type_schema(
        self, annotation: Any, metadata: Mapping[str, Any] = NO_METADATA
    ) -> JsonSchema:
        """Return the schema of a field's type, with the metadata of the field."""
        if annotation is float and metadata.get("nullable"):
            return _build_union([_SIMPLE[float], _SIMPLE[NoneType]])
        if annotation in _DESIGNS and not metadata.get("in_place"):
            return _SIMPLE[str].copy()  # its key
        if annotation in _SIMPLE:
            return _SIMPLE[annotation].copy()
        if isinstance(annotation, type) and (
            issubclass(annotation, StrEnum) or is_dataclass(annotation)
        ):
            return self.add(annotation)
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            return {"$ref": REF.format(name=annotation.__name__)}  # pydantic writes its schema
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            return self.build_type_schema(arguments[0], metadata)
        if origin in {Union, UnionType}:
            return _build_union(
                [self.build_type_schema(argument, metadata) for argument in arguments]
            )
        if origin is Literal:
            return _build_literal_schema(arguments)
        return self._build_container_schema(annotation, metadata)

    def _build_container_schema(self, annotation: Any, metadata: Mapping[str, Any]) -> JsonSchema:
        origin, arguments = get_origin(annotation), get_args(annotation)
        if not isinstance(origin, type):
            raise TypeError(f"The type {annotation!r} has no JSON Schema.")
        if issubclass(origin, np.ndarray):
            entry = self.build_type_schema(_find_entry_type(arguments[1]), metadata)
            dimensions = metadata.get("dimensions", 1)
            depths = dimensions if isinstance(dimensions, tuple) else (dimensions,)
            return _build_union([_nest(entry, depth) for depth in depths])
        inner = [
            self.build_type_schema(argument, metadata)
            for argument in arguments
            if argument is not ...
        ]
        if issubclass(origin, tuple) and ... not in arguments:
            return {
                "type": "array",
                "items": _build_union(inner),
                "minItems": len(inner),
                "maxItems": len(inner),
            }
        if issubclass(origin, Sequence) and arguments[0] is Caution:
            return {"type": "array", "items": {"type": "string"}}  # keys of caution_texts
        if issubclass(origin, Sequence):
            return {"type": "array", "items": inner[0]}
        if issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": inner[1] or True}
        raise TypeError(f"The type {annotation!r} has no JSON Schema.")

    def _build_dataclass_schema(self, cls: type) -> JsonSchema:
        hints = get_type_hints(cls, localns=_import_optional_parts(), include_extras=True)
        descriptions = describe_fields(cls)
        schema: JsonSchema = {"title": cls.__name__, "type": "object"}
        schema["description"] = summarise(cls)
        properties: dict[str, JsonSchema] = {}
        required: list[str] = []
        for field in fields(cls):
            if field.metadata.get("inline") or field.metadata.get("omit"):
                continue
            name = field.metadata.get("wire", field.name)
            is_optional = field.default is None
            annotation = _remove_none(hints[field.name]) if is_optional else hints[field.name]
            properties[name] = self.build_type_schema(annotation, field.metadata)
            if description := descriptions.get(field.name):
                properties[name]["description"] = description
            if not is_optional:
                required.append(name)
        schema |= {"properties": properties, "required": required}
        for field in fields(cls):
            if field.metadata.get("inline"):
                self._add_inline(schema, hints[field.name])
        return schema

    def _add_inline(self, schema: JsonSchema, annotation: Any) -> None:
        """Add the items of a mapping, or the fields of dataclasses, to their parent's schema.

        Of a union of dataclasses, the fields are required that all of them have. A field of the
        parent replaces one of the same name.
        """
        members = [cls for cls in _list_union_members(annotation) if cls is not NoneType]
        if not all(isinstance(cls, type) and is_dataclass(cls) for cls in members):
            schema["additionalProperties"] = self.build_type_schema(get_args(members[0])[1]) or True
            return
        parts = [self._build_dataclass_schema(member) for member in members]
        own_names = set(schema["properties"])
        required: list[str] = parts[0]["required"]
        for part in parts:
            for name, inner in part["properties"].items():
                earlier = schema["properties"].setdefault(name, inner)
                if name not in own_names:
                    schema["properties"][name] = _merge(earlier, inner)
            required = [name for name in required if name in part["required"]]
            if "additionalProperties" in part:
                schema["additionalProperties"] = part["additionalProperties"]
        if NoneType not in _list_union_members(annotation):
            schema["required"] += [name for name in required if name not in schema["required"]]


@cache
def _import_optional_parts() -> dict[str, Any]:
    """Return the types of the parts that only some results have, by name."""
    return {
        name: value
        for module in OPTIONAL_PARTS
        for name, value in vars(import_module(module)).items()
        if getattr(value, "__module__", None) == module
    }


def build_schemas(classes: Iterable[type]) -> dict[str, JsonSchema]:
    """Return the schemas of some dataclasses, and of all that they refer to, by class name."""
    builder = SchemaBuilder()
    for cls in classes:
        builder.add(cls)
    return builder.definitions


def summarise(cls: type) -> str:
    """Return the first paragraph of a class's docstring, in one line."""
    return " ".join((inspect.getdoc(cls) or "").split("\n\n")[0].split())


def _build_enumeration_schema(cls: type[StrEnum]) -> JsonSchema:
    """Return the schema that pydantic makes of the same enumeration in a request."""
    schema: JsonSchema = {"title": cls.__name__, "type": "string"}
    schema["description"] = inspect.cleandoc(cls.__doc__ or "")
    return {**schema, "enum": [member.value for member in cls]}


def _build_literal_schema(values: Sequence[Any]) -> JsonSchema:
    kind = _SIMPLE[type(values[0])]
    return {**kind, "const": values[0]} if len(values) == 1 else {**kind, "enum": list(values)}


def _nest(entry: JsonSchema, depth: int) -> JsonSchema:
    """Return the schema of lists in lists, ``depth`` levels of them, with such entries."""
    return entry if depth == 0 else {"type": "array", "items": _nest(entry, depth - 1)}


def _find_entry_type(dtype: Any) -> type:
    """Return the Python type of an array's entries, from ``numpy.dtype[...]``."""
    scalar = get_args(dtype)[0]
    if isinstance(scalar, type) and issubclass(scalar, np.bool_):
        return bool
    return int if isinstance(scalar, type) and issubclass(scalar, np.integer) else float


def _list_union_members(annotation: Any) -> tuple[Any, ...]:
    is_union = get_origin(annotation) in {Union, UnionType}
    return get_args(annotation) if is_union else (annotation,)


def _remove_none(annotation: Any) -> Any:
    members = tuple(member for member in _list_union_members(annotation) if member is not NoneType)
    return Union[members] if len(members) > 1 else members[0]  # noqa: UP007 - built from a tuple


def _merge(first: JsonSchema, other: JsonSchema) -> JsonSchema:
    """Return the union of a field's schemas in two classes, with the description of the first."""
    bare = [first.copy(), other.copy()]
    for schema in bare:
        schema.pop("description", None)
    merged = _build_union(bare).copy()
    if "description" in first:
        merged["description"] = first["description"]
    return merged


def _build_union(schemas: Sequence[JsonSchema]) -> JsonSchema:
    """Return the schema of a union, each of its schemas once."""
    flat: list[JsonSchema] = []
    for schema in schemas:
        for member in schema["anyOf"] if set(schema) == {"anyOf"} else [schema]:
            if member not in flat:
                flat.append(member)
    if {} in flat:
        return {}
    return flat[0] if len(flat) == 1 else {"anyOf": flat}
