"""Which fields a request may have at a place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from pydantic import BaseModel


def fields_at(request: type[BaseModel], loc: Sequence[str | int]) -> list[str]:
    """Return the names of the fields beside the one that is last in ``loc``; empty if unknown.

    Numbers in a list and keys of a mapping lead to what the list or the mapping holds.
    """
    here = [request]
    for part in loc[:-1]:
        fields = [field for one in here for field in _named(one, part)]
        here = [one for field in fields for one in _models(field)] or here
    return list(dict.fromkeys(name for one in here for name in _names(one)))


def _named(model: type[BaseModel], part: str | int) -> list[Any]:
    every = zip(_names(model), model.model_fields.values(), strict=True)
    return [field.annotation for name, field in every if name == part]


def _names(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [one for inner in get_args(annotation) for one in _models(inner)]
