"""Frozen dataclasses built from JSON values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import pytest

from thetahat.errors import InvalidParameter
from thetahat.pipelines.dataclass_params import build_dataclass, build_fields_schema
from thetahat.registry import MethodInfo


@dataclass(frozen=True, slots=True)
class Example:
    info: ClassVar[MethodInfo] = MethodInfo(name="example", title="Example", summary="")
    size: int
    share: float = 0.5
    rule: Literal["mean", "median"] = "mean"
    widths: tuple[float, ...] = (1.0,)
    limit: int | None = None
    names: tuple[str, ...] = field(default_factory=tuple)
    strict: bool = False

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InvalidParameter("size must be at least 1", loc=("size",), value=self.size)


@dataclass(frozen=True, slots=True)
class Bare:
    info: ClassVar[MethodInfo] = MethodInfo(name="bare", title="Bare", summary="")


def test_exact_json_values_become_the_fields_types() -> None:
    params = {"size": 3, "share": 1, "rule": "median", "widths": [1, 2.5], "limit": 4}
    example = build_dataclass(Example, params, loc=())
    assert example == Example(3, 1.0, "median", (1.0, 2.5), 4)
    assert isinstance(example.share, float)
    assert build_dataclass(Example, {"size": 3, "limit": None}, loc=()) == Example(3)
    assert build_dataclass(Bare, {}, loc=()) == Bare()


@pytest.mark.parametrize(
    ("params", "name", "words"),
    [
        ({"span": 3}, "span", "has no parameter 'span'; it has size, share"),
        ({}, "size", "example needs the parameter size"),
        ({"size": 0}, "size", "at least 1"),
        ({"size": 2.0}, "size", "size of example must be a whole number; got 2.0"),
        ({"size": True}, "size", "a whole number"),
        ({"size": 1, "share": "1"}, "share", "must be a number"),
        ({"size": 1, "share": True}, "share", "must be a number"),
        ({"size": 1, "share": float("nan")}, "share", "must be a number"),
        ({"size": 1, "share": float("inf")}, "share", "must be a number"),
        ({"size": 1, "rule": "mode"}, "rule", "one of 'mean', 'median'"),
        ({"size": 1, "rule": ["mean"]}, "rule", "one of 'mean', 'median'"),
        ({"size": 1, "widths": 3}, "widths", "a list"),
        ({"size": 1, "widths": [1, "2"]}, "widths", "a list"),
        ({"size": 1, "limit": "no"}, "limit", "a whole number or null"),
        ({"size": 1, "strict": 0}, "strict", "true or false"),
    ],
)
def test_invalid_values_are_refused_with_their_place(
    params: dict[str, Any], name: str, words: str
) -> None:
    with pytest.raises(InvalidParameter, match=r"example|size") as refusal:
        build_dataclass(Example, params, loc=("params",))
    assert words in refusal.value.message
    assert refusal.value.loc == ("params", name)


def test_invalid_parameters_of_a_method_without_any_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="bare has no parameter 'a'; it has none"):
        build_dataclass(Bare, {"a": 1}, loc=())


def test_exact_the_schema_of_a_methods_fields() -> None:
    assert build_fields_schema(Example) == {
        "type": "object",
        "properties": {
            "size": {"type": "integer"},
            "share": {"type": "number", "default": 0.5},
            "rule": {"enum": ["mean", "median"], "default": "mean"},
            "widths": {"type": "array", "items": {"type": "number"}, "default": [1.0]},
            "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
            "names": {"type": "array", "items": {"type": "string"}},
            "strict": {"type": "boolean", "default": False},
        },
        "additionalProperties": False,
        "required": ["size"],
    }
    assert build_fields_schema(Bare) == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }
