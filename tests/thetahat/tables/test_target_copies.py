"""Features that are copies of the target are named by a caution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from thetahat.tables.data import build_data
from thetahat.tables.sparse import build_sparse_columns
from thetahat.tables.target_copies import find_target_copies

RNG = np.random.default_rng(20_261_127)
N = 40
VALUES = RNG.normal(size=N)
CODES = RNG.permutation(np.repeat([0, 1], N // 2))
CLASSES = np.array(["no", "yes"], dtype=object)[CODES]


def find(columns: dict[str, Any], target: Any, task: str) -> dict[str, str]:
    data = build_data(columns, target, task)
    return {c.message.split("'")[1]: c.message for c in find_target_copies(data)}


def test_exact_copies_of_a_number_are_named() -> None:
    columns = {
        "same": VALUES,
        "celsius": 5 / 9 * (VALUES - 32),
        "minus": -3 * VALUES + 1e6,
        "gaps": np.where(np.arange(N) < 5, np.nan, 2 * VALUES),
        "rounded": np.round(VALUES, 2),
        "noisy": VALUES + RNG.normal(size=N),
        "constant": np.ones(N),
    }

    found = find(columns, VALUES, "regression")

    assert {*found} == {"same", "celsius", "minus", "gaps"}
    assert "'same' equals the target in all 40 rows" in found["same"]
    assert "is a linear function of the target in all 35 rows" in found["gaps"]


def test_exact_copies_of_a_class_are_named_whatever_they_are_called() -> None:
    columns = {
        "code": CODES,
        "other_way": 1 - CODES,
        "text": np.array(["f", "m"], dtype=object)[CODES],
        "gaps": np.where(np.arange(N) < 3, None, CLASSES),
        "finer": np.array([f"{c}{i % 2}" for i, c in enumerate(CODES)], dtype=object),
        "one_wrong": np.where(np.arange(N) == 7, 1 - CODES, CODES),
    }

    found = find(columns, CLASSES, "classification")

    assert {*found} == {"code", "other_way", "text", "gaps"}
    assert "has one value for each value of the target in all 37 rows" in found["gaps"]


def test_exact_values_that_repeat_may_have_other_names() -> None:
    grades = RNG.integers(1, 6, N)
    letters = np.array(list("-EDCBA"), dtype=object)[grades]

    assert {*find({"letter": letters, "row": np.arange(N)}, grades, "regression")} == {"letter"}


@pytest.mark.parametrize(("n_each", "named"), [(5, False), (7, True)])
def test_by_hand_few_rows_agree_by_chance(n_each: int, named: bool) -> None:  # noqa: FBT001
    # two of C(10, 5) = 252 orders agree with the target; two of C(14, 7) = 3432
    target = np.tile([0, 1], n_each)

    assert bool(find({"x": 3 - target}, target, "classification")) is named


def test_by_hand_many_features_are_allowed_more() -> None:
    # 2 / 3432 for one feature, and more than 0.001 for two
    target = np.tile([0, 1], 7)

    assert not find({"x": target, "z": np.arange(14)}, target, "classification")


def test_exact_sparse_columns_are_looked_at_too() -> None:
    matrix = csr_array(np.column_stack([RNG.poisson(0.2, N), 2.0 * CODES, np.zeros(N)]))
    group = build_sparse_columns("X", matrix, ["X0", "X1", "X2"])

    assert {*find({"X": group}, CLASSES, "classification")} == {"X1"}
