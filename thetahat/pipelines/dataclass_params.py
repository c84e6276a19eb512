"""Frozen dataclasses built from JSON values: the fields of the class are its parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from thetahat.errors import InvalidParameter, Loc, run_checks
from thetahat.pipelines.schema_text import combine_schemas, describe_schema
from thetahat.similar_names import suggest_name
from thetahat.values.json_schema import JsonSchema

M = TypeVar("M")

_REFUSED: Any = object()


def build_dataclass(method: type[M], params: Mapping[str, object], *, loc: Loc) -> M:
    """Return the method with parameters from JSON; raises ``InvalidParameter`` for a bad one.

    Parameters
    ----------
    method : type
        A frozen dataclass; its ``__post_init__`` checks ranges.
    params : mapping
        JSON values by field name. A whole number is accepted for a float, a list for a tuple.
    loc : tuple
        Path of ``params`` in the request.
    """
    hints = _read_hints(method)
    values: dict[str, Any] = {}

    def convert(name: str, value: object) -> None:
        if name not in hints:
            known = ", ".join(hints) or "none"
            near = suggest_name(name, hints, "parameters")
            raise InvalidParameter(
                f"{_get_name(method)} has no parameter {name!r}{near}; it has {known}.",
                loc=(*loc, name),
                value=value,
            )
        values[name] = _convert_value(value, hints[name])
        if values[name] is _REFUSED:
            raise InvalidParameter(
                f"{name} of {_get_name(method)} must be "
                f"{describe_schema(_build_schema(hints[name]))}; got {value!r}.",
                loc=(*loc, name),
                value=value,
            )

    def require(name: str) -> None:
        if name not in params:
            raise InvalidParameter(
                f"{_get_name(method)} needs the parameter {name}.", loc=(*loc, name)
            )

    run_checks(
        *(partial(convert, name, value) for name, value in params.items()),
        *(partial(require, name) for name in _list_required(method)),
    )
    try:
        return method(**values)
    except InvalidParameter as error:
        raise InvalidParameter(error.message, loc=(*loc, *error.loc), value=error.value) from error


def build_fields_schema(method: type[Any]) -> JsonSchema:
    """Return the JSON Schema of a method's fields."""
    properties = {name: _build_schema(hint) for name, hint in _read_hints(method).items()}
    for field in fields(method):
        if field.default is not MISSING:
            default = field.default
            properties[field.name]["default"] = (
                list(default) if isinstance(default, tuple) else default
            )
    schema: JsonSchema = {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
    if required := _list_required(method):
        schema["required"] = required
    return schema


def _get_name(method: type[Any]) -> str:
    return str(method.info.name)


def _read_hints(method: type[Any]) -> dict[str, object]:
    key: Any = method  # a class, which is hashable
    return _get_hints(key)


@cache
def _get_hints(method: Any) -> dict[str, object]:
    hints = get_type_hints(method)
    return {field.name: hints[field.name] for field in fields(method)}


def _list_required(method: type[Any]) -> list[str]:
    return [
        field.name
        for field in fields(method)
        if field.default is MISSING and field.default_factory is MISSING
    ]


def _convert_value(value: Any, hint: Any) -> Any:
    """Return the value converted to the type of the hint, or ``_REFUSED``."""
    origin = get_origin(hint)
    if origin in {Union, UnionType}:
        converted = (_convert_value(value, option) for option in get_args(hint))
        return next((c for c in converted if c is not _REFUSED), _REFUSED)
    if origin is Literal:
        return value if isinstance(value, str) and value in get_args(hint) else _REFUSED
    if origin is tuple:
        return _convert_to_tuple(value, get_args(hint)[0])
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if hint is float and isinstance(value, float) and not math.isfinite(value):
        return _REFUSED
    return value if type(value) is hint else _REFUSED


def _convert_to_tuple(value: Any, hint: Any) -> Any:
    if not isinstance(value, list | tuple):
        return _REFUSED
    entries = tuple(_convert_value(entry, hint) for entry in value)
    return _REFUSED if any(entry is _REFUSED for entry in entries) else entries


def _build_schema(hint: Any) -> JsonSchema:
    origin = get_origin(hint)
    if origin in {Union, UnionType}:
        return combine_schemas([_build_schema(option) for option in get_args(hint)])
    if origin is Literal:
        return {"enum": list(get_args(hint))}
    if origin is tuple:
        return {"type": "array", "items": _build_schema(get_args(hint)[0])}
    names = {bool: "boolean", int: "integer", float: "number", str: "string", NoneType: "null"}
    return {"type": names[hint]}
