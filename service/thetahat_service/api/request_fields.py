"""The fields that a request model has at a path."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, get_args

from pydantic import BaseModel


def list_fields_at(request: type[BaseModel], loc: Sequence[str | int]) -> list[str]:
    """Return the names of the fields beside the last one of ``loc``; empty if they are unknown.

    Indices of a list and keys of a mapping lead to the models that the list or mapping holds.
    """
    models = [request]
    for part in loc[:-1]:
        annotations = chain.from_iterable(_list_annotations(model, part) for model in models)
        inner_models = map(_list_models, annotations)
        models = list(chain.from_iterable(inner_models)) or models
    return list(dict.fromkeys(name for model in models for name in _list_names(model)))


def _list_annotations(model: type[BaseModel], name: str | int) -> list[Any]:
    pairs = zip(_list_names(model), model.model_fields.values(), strict=True)
    return [field.annotation for field_name, field in pairs if field_name == name]


def _list_names(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _list_models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in _list_models(inner)]
