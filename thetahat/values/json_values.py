"""The one encoder that turns results into values that JSON can hold.

A part of a result is a frozen dataclass. ``to_json`` reads its fields:

- a field without a default is always written, ``None`` as null;
- a field with the default ``None`` is left out while it is ``None``;
- ``field(metadata={"inline": True})`` writes the items of a mapping (or the fields of a dataclass)
  into the parent object; a field of the parent with the same name wins;
- ``field(metadata={"wire": "from"})`` writes the field under that name;
- ``field(metadata={"omit": True})`` leaves the field out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    JsonValue: TypeAlias = (
        "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
    )
else:  # pydantic, which reads the result types for the OpenAPI document, knows no recursive alias
    JsonValue = Annotated[Any, "any JSON value"]

Scalar: TypeAlias = bool | int | float | str | None
ParameterValue: TypeAlias = Scalar | tuple[Scalar, ...]
"""The value of a parameter: a number, a text, or a list of them."""

PreparationSteps: TypeAlias = tuple[str | Mapping[str, JsonValue], ...]
"""The preparation steps before a learner: names, or objects with name and params."""

LARGEST_EXACT: Final = 2**53 - 1
"""Beyond it, whole numbers that differ may be one floating-point number."""

WRITTEN_UNCHANGED: Final = frozenset({type(None), bool, int, str})
"""Exact types that JSON holds without a change: most of a result, so they are looked up first."""


def to_json(value: object) -> Any:
    """Return the value in float, int, str, bool, None, list and dict.

    NaN and infinity become None. Mappings keep their order and get string keys; arrays, tuples and
    lists become lists; an enumeration's member becomes its value; a dataclass becomes a dict.
    Raises ``TypeError`` if the value, or one inside it, is of another type.
    """
    kind = type(value)
    if kind in WRITTEN_UNCHANGED:
        return value
    if isinstance(value, float):  # numpy.float64 is one too
        return float(value) if math.isfinite(value) else None
    return _build_encoder(kind)(value)  # type: ignore[arg-type]  # every type can be hashed


@cache
def _build_encoder(kind: type) -> Callable[[Any], Any]:
    """Return the function that encodes values of exactly this type."""
    if is_dataclass(kind):
        return _build_dataclass_encoder(kind)
    for parent, encode in _ENCODERS:
        if issubclass(kind, parent):
            return encode
    raise TypeError(f"{kind.__qualname__} cannot be written as JSON")


def _encode_mapping(value: Mapping[Any, object]) -> dict[str, Any]:
    return {str(key): to_json(item) for key, item in value.items()}


def _encode_sequence(value: Sequence[object]) -> list[Any]:
    return [to_json(item) for item in value]


def _encode_array(value: np.ndarray) -> Any:
    if value.dtype.kind == "f" and np.isfinite(value).all():
        return value.tolist()  # the common case, without a look at every single number
    return value.tolist() if value.dtype.kind in "biuU" else to_json(value.tolist())


_ENCODERS: Final[tuple[tuple[type, Callable[[Any], Any]], ...]] = (
    (Enum, lambda member: to_json(member.value)),
    (np.ndarray, _encode_array),
    (np.generic, lambda scalar: to_json(scalar.item())),
    (int, int),
    (str, str),
    (Mapping, _encode_mapping),
    (Sequence, _encode_sequence),
)


class _FieldPlan(NamedTuple):
    """How one field of a dataclass is written."""

    name: str
    wire: str
    is_optional: bool
    is_inline: bool


def _build_dataclass_encoder(kind: type) -> Callable[[Any], dict[str, Any]]:
    plans = tuple(
        _FieldPlan(
            name=field.name,
            wire=field.metadata.get("wire", field.name),
            is_optional=field.default is None,
            is_inline=bool(field.metadata.get("inline")),
        )
        for field in fields(kind)
        if not field.metadata.get("omit")
    )
    names = frozenset(plan.wire for plan in plans if not plan.is_inline)

    def encode(value: Any) -> dict[str, Any]:
        encoded: dict[str, Any] = {}
        for name, wire, is_optional, is_inline in plans:
            item = getattr(value, name)
            if item is None and (is_optional or is_inline):
                continue
            if is_inline:
                encoded.update((k, v) for k, v in to_json(item).items() if k not in names)
            else:
                encoded[wire] = to_json(item)
        return encoded

    return encode
