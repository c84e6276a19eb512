"""The fields that a request model has at a path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from pydantic import BaseModel


def list_fields_at(request: type[BaseModel], loc: Sequence[str | int]) -> list[str]:
    """Return the names of the fields beside the last one of ``loc``; empty if they are unknown.

    Indices of a list and keys of a mapping lead to the models that the list or mapping holds.
    """
    models = [request]
    for part in loc[:-1]:
        annotations = [each for model in models for each in _annotations(model, part)]
        models = [each for annotation in annotations for each in _models(annotation)] or models
    return list(dict.fromkeys(name for model in models for name in _names(model)))


def _annotations(model: type[BaseModel], name: str | int) -> list[Any]:
    pairs = zip(_names(model), model.model_fields.values(), strict=True)
    return [field.annotation for field_name, field in pairs if field_name == name]


def _names(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in _models(inner)]
