"""The quick check of repeated keys finds none where the standard library's parser finds one."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thetahat_service.api.bodies import parse_json
from thetahat_service.errors import InvalidRequest
from thetahat_service.json_keys import SHALLOW_DEPTH, has_each_key_once

TEXTS = st.text(alphabet='ab:"\\{}[], ü\n', max_size=4)
VALUES = st.recursive(
    st.none() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.lists(st.tuples(TEXTS, inner), max_size=4),
    max_leaves=12,
)


def write_members(value: Any) -> str:
    """Return JSON in which a list of pairs is an object, whose keys may be repeated."""
    if not isinstance(value, list):
        return json.dumps(value)
    if value and all(isinstance(item, tuple) for item in value):
        members = (f"{json.dumps(key)} : {write_members(inner)}" for key, inner in value)
        return "{" + ", ".join(members) + "}"
    return "[" + ",".join(write_members(item) for item in value) + "]"


def count_repeated_keys(body: str) -> int:
    repeated = []
    json.loads(
        body, object_pairs_hook=lambda members: repeated.append(len(members) - len(dict(members)))
    )
    return sum(repeated)


@given(VALUES)
def test_naive_a_repeated_key_is_never_overlooked(value: Any) -> None:
    text = write_members(value)
    body = text.encode()
    if count_repeated_keys(text):
        assert not has_each_key_once(body, orjson.loads(body))
        with pytest.raises(InvalidRequest, match=re.escape("occurs twice. Give it once.")):
            parse_json(body)
    else:
        assert parse_json(body) == json.loads(text)


def test_exact_a_body_of_losses_is_known_to_have_each_key_once() -> None:
    losses = {"a:b": [[1.0, 2.0], [0.5, 3.0]], 'c"d\\': [[1.0, 2.0], [0.5, 3.0]]}
    body = orjson.dumps({"kind": "losses", "blocks": "random", "losses": losses})
    assert has_each_key_once(body, orjson.loads(body))


def test_exact_a_body_of_many_rows_is_known_to_have_each_key_once() -> None:
    body = orjson.dumps({"data": {"X": [[1.0, 2.0]] * 3000, "y": ["a: [b"] * 3000}})
    assert has_each_key_once(body, orjson.loads(body))


def test_degenerate_objects_behind_a_number_are_not_known() -> None:
    body = b'[1, {"a": 1}]'
    assert not has_each_key_once(body, orjson.loads(body))


def test_degenerate_a_deeply_nested_body_is_not_known() -> None:
    body = b"[" * (SHALLOW_DEPTH + 2) + b"]" * (SHALLOW_DEPTH + 2)
    assert not has_each_key_once(body, orjson.loads(body))
