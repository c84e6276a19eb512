"""Repetitions in any cut."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from thetahat.analyses.studies.record_names import (
    group_record_names,
    make_pair_name,
    make_record_name,
    split_record_name,
)
from thetahat.analyses.studies.repetitions import (
    RepeatedStudy,
    derive_repetition_seed,
    join_records,
    make_repetition_generator,
    run_in_blocks,
    stack_records,
)
from thetahat.errors import InvalidParameter
from thetahat.seeds import make_random_stream
from thetahat.values.types import FloatArray


def draw(first: int) -> dict[str, FloatArray]:
    rng = make_repetition_generator(3, first)
    return {"one": rng.random(10), "many": rng.random((10, 2))}


def test_exact_any_cut_of_blocks_gives_the_same_numbers() -> None:
    whole = run_in_blocks(draw, 10, 0, 37)
    for edges in ([0, 10, 20, 37], [0, 3, 4, 19, 37], [0, 36, 37]):
        cut = join_records(run_in_blocks(draw, 10, start, stop) for start, stop in pairwise(edges))
        assert np.array_equal(cut["one"], whole["one"])
        assert np.array_equal(cut["many"], whole["many"])
    assert whole["many"].shape == (37, 2)
    assert whole["one"][20] == draw(20)["one"][0]


def test_exact_single_repetitions_are_seeded_by_their_index() -> None:
    class Study(RepeatedStudy):
        def repeat(self, index: int) -> dict[str, float]:
            return {"x": make_repetition_generator(3, index).random()}

    assert Study().run(2, 5)["x"].tolist() == [
        make_random_stream(3, "study", index).random() for index in (2, 3, 4)
    ]
    assert derive_repetition_seed(3, 0) != derive_repetition_seed(3, 1)


def test_exact_what_a_repetition_lacks_is_nan() -> None:
    records = join_records(
        [stack_records([{"b": 1.0}, {"a": 2.0}]), stack_records([{"a": 3.0}]), {}]
    )

    assert list(records) == ["a", "b"]
    assert np.array_equal(records["a"], [np.nan, 2.0, 3.0], equal_nan=True)
    assert np.array_equal(records["b"], [1.0, np.nan, np.nan], equal_nan=True)


def test_invalid_shapes_that_differ() -> None:
    with pytest.raises(InvalidParameter, match="The record 'a' has the shape"):
        join_records([{"a": np.zeros((2, 3))}, {"a": np.zeros(2)}])


def test_exact_names_come_back_whatever_is_in_them() -> None:
    parts = ("a/b", "50% a", "c%2Fd")

    assert split_record_name(make_record_name(*parts)) == parts
    assert group_record_names(
        [make_record_name("k", make_pair_name("a", "b"), "mean", "macro")], "mean"
    ) == {("k", "a|b"): [("macro",)]}
    assert group_record_names(["sources", "k/failed"], "mean") == {}
