"""Repetitions in any cut."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from thetahat.analyses.studies.names import name_of, pair_of, parts_of, subjects_of
from thetahat.analyses.studies.repeating import (
    generator_of,
    in_blocks,
    joined,
    one_by_one,
    seed_of,
    stacked,
)
from thetahat.errors import InvalidParameter
from thetahat.seeds import stream
from thetahat.values.types import FloatArray


def draw(first: int) -> dict[str, FloatArray]:
    rng = generator_of(3, first)
    return {"one": rng.random(10), "many": rng.random((10, 2))}


def test_exact_any_cut_of_blocks_gives_the_same_numbers() -> None:
    whole = in_blocks(draw, 10, 0, 37)
    for edges in ([0, 10, 20, 37], [0, 3, 4, 19, 37], [0, 36, 37]):
        cut = joined(in_blocks(draw, 10, start, stop) for start, stop in pairwise(edges))
        assert np.array_equal(cut["one"], whole["one"])
        assert np.array_equal(cut["many"], whole["many"])
    assert whole["many"].shape == (37, 2)
    assert whole["one"][20] == draw(20)["one"][0]


def test_exact_single_repetitions_are_seeded_by_their_index() -> None:
    def repeat(index: int) -> dict[str, float]:
        return {"x": generator_of(3, index).random()}

    assert one_by_one(repeat, 2, 5)["x"].tolist() == [
        stream(3, "study", index).random() for index in (2, 3, 4)
    ]
    assert seed_of(3, 0) != seed_of(3, 1)


def test_exact_what_a_repetition_lacks_is_nan() -> None:
    found = joined([stacked([{"b": 1.0}, {"a": 2.0}]), stacked([{"a": 3.0}]), {}])

    assert list(found) == ["a", "b"]
    assert np.array_equal(found["a"], [np.nan, 2.0, 3.0], equal_nan=True)
    assert np.array_equal(found["b"], [1.0, np.nan, np.nan], equal_nan=True)


def test_invalid_shapes_that_differ() -> None:
    with pytest.raises(InvalidParameter, match="record 'a'"):
        joined([{"a": np.zeros((2, 3))}, {"a": np.zeros(2)}])


def test_exact_names_come_back_whatever_is_in_them() -> None:
    parts = ("a/b", "50% a", "c%2Fd")

    assert parts_of(name_of(*parts)) == parts
    assert subjects_of([name_of("k", pair_of("a", "b"), "mean", "macro")], "mean") == {
        ("k", "a|b"): [("macro",)]
    }
    assert subjects_of(["sources", "k/failed"], "mean") == {}
