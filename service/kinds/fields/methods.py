"""From ``"theta_5"`` or ``{"name": ..., "params": ..., "as": ...}`` to a method with parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from service.errors import FieldError, InvalidRequest
from service.schemas.base import Schema
from service.schemas.in_words import in_words
from service.schemas.numbers import shown
from thetahat.analyses.losses import Chosen
from thetahat.errors import EvaluationError, InvalidParameter, Loc
from thetahat.registry import Registry
from thetahat.similar_names import meant

M = TypeVar("M")


class MethodEntry(Schema):
    """A method by name, with its parameters; ``as`` is its key in the result."""

    name: str = Field(max_length=80, examples=["nadeau_bengio"])
    params: dict[str, Any] = Field(default_factory=dict)
    as_: str | None = Field(default=None, alias="as", min_length=1, max_length=80)


Method = Annotated[str, Field(max_length=80)] | MethodEntry
"""A bare name is short for an entry without parameters."""


def entry_of(method: str | MethodEntry) -> MethodEntry:
    """Return the long form."""
    return MethodEntry(name=method) if isinstance(method, str) else method


def chosen(
    registry: Registry[type[M]], methods: Sequence[str | MethodEntry] | None, field: str
) -> tuple[Chosen[M], ...] | None:
    """Build the methods that a request names; None stands for all that apply."""
    if methods is None:
        return None
    found: list[Chosen[M]] = []
    for i, method in enumerate(methods):
        entry = entry_of(method)
        key = entry.as_ or entry.name
        if any(other.key == key for other in found):
            raise InvalidParameter(
                f"{key!r} stands twice; give the second an 'as' of its own",
                loc=(field, i),
                value=key,
            )
        built = build(registry, entry.name, entry.params, (field, i))
        found.append(Chosen(key=key, name=entry.name, method=built, place=i))
    return tuple(found)


def among(
    registry: Registry[type[M]], methods: Sequence[Chosen[Any]] | None
) -> tuple[Chosen[M], ...] | None:
    """Return those of one registry, in the request's order; None stands for all that apply."""
    if methods is None:
        return None
    return tuple(entry for entry in methods if entry.name in registry)


def build_one(registry: Registry[type[M]], method: str | MethodEntry, loc: Loc) -> M:
    """Build the one method that a field names: nothing else has its name in the result."""
    entry = entry_of(method)
    if entry.as_ is not None:
        raise InvalidParameter(
            f"{entry.name} stands here alone and needs no other name; leave 'as' out",
            loc=(*loc, "as"),
            value=entry.as_,
        )
    return build(registry, entry.name, entry.params, loc)


def build(registry: Registry[type[M]], name: str, params: Mapping[str, Any], loc: Loc) -> M:
    """Build one method, its parameters checked by type and by the method itself."""
    cls: Any = registry.get_method(name, loc=(*loc, "name"))
    known = [f.name for f in dataclasses.fields(cls) if f.init]
    for key in params:
        if key not in known:
            listed = ", ".join(known) or "none"
            raise InvalidParameter(
                f"{name} has no parameter {key!r}{meant(key, known)}; it has: {listed}",
                loc=(*loc, "params", key),
                value=shown(params[key]),
            )
    try:
        method: M = _adapter(cls).validate_python(dict(params))
    except ValidationError as error:
        raise _refusal(error, name, (*loc, "params")) from None
    except EvaluationError as error:
        error.loc = (*loc, "params", *error.loc)
        raise
    return method


@cache
def _adapter(cls: Any) -> TypeAdapter[Any]:
    return TypeAdapter(cls)


def _refusal(error: ValidationError, name: str, loc: Loc) -> InvalidRequest:
    faults = []
    for item in error.errors(include_url=False):
        inner = item.get("ctx", {}).get("error")
        if isinstance(inner, EvaluationError):
            where, message, value = inner.loc, inner.message, inner.value
        else:
            where, value = item["loc"], shown(item["input"])
            field = ".".join(map(str, where))
            message = f"{field} of {name}: {in_words(item)}"
            if item["type"] == "missing":
                message, value = f"{name} needs {field}", None
        faults.append(FieldError((*loc, *where), message, value))
    return InvalidRequest(faults[0].message, errors=tuple(faults))
