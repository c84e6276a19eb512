"""The encoder of results."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import pytest

from thetahat.cautions import Caution
from thetahat.values.json_values import to_json
from thetahat.values.types import FloatArray, Target


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    low: float
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    value: float | None
    origin: str = field(metadata={"wire": "from"})
    details: Mapping[str, float] = field(metadata={"inline": True})
    parts: tuple[Inner, ...] = ()
    curve: FloatArray | None = None
    hidden: int = field(default=7, metadata={"omit": True})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (2.5, 2.5),
        (math.nan, None),
        (-math.inf, None),
        ("a", "a"),
        (Colour.RED, "red"),
        (Target.NEW_SOURCE, "new_source"),
        (np.float64(0.5), 0.5),
        (np.float64("nan"), None),
        (np.float32(0.5), 0.5),
        (np.intp(4), 4),
        (np.bool_(1), True),
        (np.str_("b"), "b"),
        ((1, (2.0, math.nan)), [1, [2.0, None]]),
        ({1: {"a": np.array([1.0, np.inf])}}, {"1": {"a": [1.0, None]}}),
        (np.arange(3), [0, 1, 2]),
        (np.eye(2), [[1.0, 0.0], [0.0, 1.0]]),
        (np.array([True, False]), [True, False]),
        (np.array(["x", "yz"]), ["x", "yz"]),
        (np.array(["x", 2, math.nan], dtype=object), ["x", 2, None]),
        (np.zeros((0, 2)), []),
        (np.array([[1.0, math.nan]]), [[1.0, None]]),
    ],
)
def test_exact_encoded_value(value: object, expected: object) -> None:
    encoded = to_json(value)

    assert encoded == expected
    assert type(encoded) is type(expected)
    json.dumps(encoded, allow_nan=False)  # refuses numpy types and NaN


def test_exact_a_field_without_default_is_always_written() -> None:
    outer = Outer(value=None, origin="here", details={})

    assert to_json(outer) == {"value": None, "from": "here", "parts": []}


def test_exact_a_field_with_default_none_is_left_out_while_it_is_none() -> None:
    assert to_json(Inner(low=1.0)) == {"low": 1.0}
    assert to_json(Inner(low=math.nan, note="low")) == {"low": None, "note": "low"}


def test_exact_inline_items_are_written_in_the_parent_and_never_replace_its_fields() -> None:
    outer = Outer(
        value=1.0,
        origin="here",
        details={"ratio": 2.0, "value": 9.0},
        parts=(Inner(low=0.0),),
        curve=np.array([1.0, 2.0]),
    )

    assert list(to_json(outer).items()) == [
        ("value", 1.0),
        ("from", "here"),
        ("ratio", 2.0),
        ("parts", [{"low": 0.0}]),
        ("curve", [1.0, 2.0]),
    ]


def test_exact_a_caution_is_written_with_its_code_and_message() -> None:
    encoded = to_json((Caution("few_blocks", "There are 3 blocks."),))

    assert encoded[0]["code"] == "few_blocks"
    assert encoded[0]["message"] == "There are 3 blocks."


def test_property_the_array_of_a_result_is_written_to_the_last_bit() -> None:
    values = np.random.default_rng(14).standard_normal((7, 3)) * 1e-9

    assert np.array_equal(np.array(json.loads(json.dumps(to_json(values)))), values)


@pytest.mark.parametrize("value", [object(), {1, 2}, 1j, iter([1])])
def test_invalid_types_are_refused(value: object) -> None:
    with pytest.raises(TypeError, match="cannot be written as JSON"):
        to_json(value)
