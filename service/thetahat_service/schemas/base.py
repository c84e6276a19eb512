"""The base of all request schemas: unknown fields, NaN and values of another type are refused."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from thetahat.values.json_values import JsonValue

LabelKey = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[^:\s]+$")]
LabelValue = Annotated[str, StringConstraints(max_length=512)]
Seed = Annotated[int, Field(ge=0, lt=2**63, strict=True)]


class Schema(BaseModel):
    """A part of a request: immutable, without unknown fields, with finite numbers.

    Its validator is built at first use: most parts are fields of a whole request, or its bases,
    and are validated by the whole's.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


class EvaluationRequest(Schema):
    """The fields that every kind has; a kind adds its own and narrows ``kind``."""

    data_fields: ClassVar[frozenset[str]] = frozenset()
    """The fields that hold values of rows, in the place of a data set."""

    kind: str = Field(description="The kind of the evaluation.")
    name: Annotated[str, StringConstraints(max_length=200)] | None = Field(
        None, description="A name for people; the result does not depend on it."
    )
    seed: Seed | None = Field(
        None,
        description="The seed of all random draws. Left out: it is derived from the request and "
        "the data, so that the same request gives the same numbers.",
    )
    labels: dict[LabelKey, LabelValue] = Field(
        default_factory=dict,
        max_length=16,
        description="Keys and values by which the list of evaluations can be filtered.",
    )

    @property
    def has_trained_models(self) -> bool:
        """Whether other training data can be asked about; not of models in logs."""
        return True

    def list_dataset_ids(self) -> tuple[UUID, ...]:
        """Return the data sets that the request, or a part of it, names in a field ``dataset``."""
        return tuple(dict.fromkeys(_iterate_dataset_ids(self)))

    def check_choices(self) -> None:
        """Refuse choices that are wrong whatever the data are; most kinds have some."""

    def build_canonical(self) -> dict[str, JsonValue]:
        """Return what the result depends on: the request without its name and labels.

        Lists of any JSON values are not copied, because that takes longer than encoding them.
        """
        keys, listed = _find_fields(type(self))
        as_they_are = self.model_fields_set & listed
        dumped = self.model_dump(
            mode="json",
            by_alias=True,
            exclude={"name", "labels", "seed", *as_they_are},
            exclude_unset=True,
        )
        if not as_they_are:
            return dumped
        ordered: dict[str, JsonValue] = {}
        for name, key in keys.items():
            if name in as_they_are:
                ordered[key] = getattr(self, name)
            elif key in dumped:
                ordered[key] = dumped[key]
        return ordered


def _iterate_dataset_ids(part: Schema) -> Iterator[UUID]:
    """Yield the data set of a part of a request, then those of the parts inside it."""
    values = {name: part.__dict__[name] for name in type(part).model_fields}
    if values.get("dataset") is not None:
        yield values["dataset"]
    for value in values.values():
        parts = list(value.values()) if isinstance(value, dict) else value
        parts = parts if isinstance(parts, list) else [parts]
        if parts and isinstance(parts[0], Schema):  # of a long list of numbers the first is enough
            for inner in parts:
                if isinstance(inner, Schema):
                    yield from _iterate_dataset_ids(inner)


@cache
def _find_fields(kind: type[BaseModel]) -> tuple[dict[str, str], frozenset[str]]:
    """Return the JSON key of every field, and the fields that hold lists or mappings of lists.

    Cached, because pydantic is slow to compute it.
    """
    fields = kind.model_fields
    keys = {name: field.serialization_alias or name for name, field in fields.items()}
    listed = frozenset(name for name, field in fields.items() if _is_listed(field.annotation))
    return keys, listed


def _is_listed(annotation: Any) -> bool:
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in {Union, UnionType}:
        return all(part is NoneType or _is_listed(part) for part in inner)
    if origin is dict:
        return inner[0] is str and _is_listed(inner[1])
    return origin is list and (_is_any(inner[0]) or _is_listed(inner[0]))


def _is_any(annotation: Any) -> bool:
    """Return whether a type is Any, also with the JSON schema of its values."""
    is_annotated = get_origin(annotation) is Annotated
    return annotation is Any or (is_annotated and get_args(annotation)[0] is Any)
