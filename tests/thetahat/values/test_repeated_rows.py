"""Rows that stand in a table of losses twice."""

from __future__ import annotations

import numpy as np

import thetahat
from tests.cases import each
from thetahat.values.sorted_rows import RepeatedRows, find_repeated_rows
from thetahat.values.types import FloatArray

N = 30
RNG = np.random.default_rng(20_261_127)
A = RNG.random(N).round(3)
B = (A + 0.03 * RNG.standard_normal(N)).round(3)


def repeat(rows: np.ndarray) -> list[FloatArray]:
    return [A[rows], B[rows]]


def test_exact_copies_are_counted_wherever_they_stand() -> None:
    all_twice = repeat(np.tile(np.arange(N), 2))
    some_twice = repeat(np.append(np.arange(N), np.arange(8)))
    each_twice = repeat(np.repeat(np.arange(N), 2))

    assert find_repeated_rows(all_twice) == RepeatedRows(30, 30, 0)
    assert find_repeated_rows([np.tile(RNG.random(N), 2)]) == RepeatedRows(30, 30, 0)
    assert find_repeated_rows(some_twice) == RepeatedRows(8, 30, 0)
    assert find_repeated_rows(each_twice) == RepeatedRows(30, 1, 0)
    assert find_repeated_rows(repeat(np.arange(N))) is None
    digits = [RNG.random(N), RNG.random(N)]
    few = np.append(np.arange(N), np.arange(2))
    assert find_repeated_rows([values[few] for values in digits]) is None


def test_exact_equal_rows_of_one_instance_are_no_copies() -> None:
    twice = repeat(np.tile(np.arange(N), 2))

    assert find_repeated_rows(twice, np.tile(np.arange(N), 2)) is None
    assert find_repeated_rows(twice, np.arange(2 * N)) == RepeatedRows(30, 30, 0)


@each("kind", ["uniform", "clipped", "sevenths", "zeros", "grades", "exponential"])
def test_property_chance_is_no_copy(kind: str) -> None:
    rng = np.random.default_rng(20_261_128)
    for k in range(200):
        n = int(rng.integers(6, 400))
        shared = rng.random(n)
        columns = []
        for _ in range(1 + k % 3):
            values = 0.7 * shared + 0.3 * rng.random(n)
            columns.append(
                {
                    "uniform": np.round(values, k % 6),
                    "clipped": np.clip(3 * values - 1, 0, 1),
                    "sevenths": np.round(7 * values) / 7,
                    "zeros": np.where(rng.random(n) < 0.5, 0, np.round(values, 3)),
                    "grades": rng.choice([0.0, 0.1, 0.3, 0.1 + 0.2, 0.7], n),
                    "exponential": np.round(rng.exponential(size=n), 1 + k % 4),
                }[kind]
            )
        assert find_repeated_rows(columns) is None, k


@each("is_clustered", [False, True])
def test_exact_copies_have_a_caution(*, is_clustered: bool) -> None:
    losses = dict(zip("ab", repeat(np.tile(np.arange(N), 2)), strict=True))
    cluster = np.tile(np.arange(N), 2) if is_clustered else None

    result = thetahat.evaluate(losses, blocks="holdout", cluster=cluster)

    found = [c for c in result.cautions if c.code == "rows_repeated"]
    if is_clustered:
        assert found == []
    else:
        assert "30 of 60 rows have the same losses of every model" in found[0].message
        assert "row 30, which is equal to row 0" in found[0].message


def test_exact_copies_of_rows_to_learn_from_have_a_caution() -> None:
    features = np.column_stack([A, RNG.integers(0, 3, N)])
    for order, n in (([*range(N), *range(8)], 8), ([*range(N)], 0)):
        result = thetahat.cross_validate(features[order], B[order], {"m": "ridge"}, cv=5)
        found = [c.message for c in result.cautions if c.code == "rows_copied"]
        assert len(found) == (n > 0)
        if n:
            assert f"{n} of {N + n} rows have the features and the target" in found[0]
            assert "the first is row 30, which is equal to row 0" in found[0]
