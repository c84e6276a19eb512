from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from thetahat.errors import EvaluationError, InsufficientData, InvalidParameter
from thetahat.tables.data import Data, build_data


def made(**changed: Any) -> Data:
    """Three rows of everything, with what a test changes."""
    columns: dict[str, Any] = {
        "features": {"age": [30, None, 50], "town": ["a", "b", None]},
        "target": ["spam", "ham", "spam"],
        "task": "classification",
        **changed,
    }
    return build_data(
        columns.pop("features"), columns.pop("target"), columns.pop("task"), **columns
    )


def test_exact_a_classification() -> None:
    data = made(source=["x", "y", "x"], fold=[1, 2, 2], cluster=[7, 7, 8], time=[3, 2, 1])

    assert (data.n, data.n_classes, data.classes) == (3, 2, ("ham", "spam"))
    assert_array_equal(data.y, [1, 0, 1])
    assert data.features.names == ("age", "town")
    assert data.features.n == 3
    assert_array_equal(data.features.columns[0], [30.0, math.nan, 50.0])
    for column, wanted in (
        (data.source, ["x", "y", "x"]),
        (data.fold, [1, 2, 2]),
        (data.cluster, [7, 7, 8]),
        (data.time, [3.0, 2.0, 1.0]),
    ):
        assert column is not None
        assert column.tolist() == wanted


def test_exact_a_regression() -> None:
    data = made(target=[1, 2.5, 3], task="regression", weight=[0, 1, 2])

    assert data.y.dtype == np.float64
    assert_array_equal(data.y, [1.0, 2.5, 3.0])
    assert (data.classes, data.n_classes) == ((), 0)
    assert data.weight is not None
    assert_array_equal(data.weight, [0.0, 1.0, 2.0])


@pytest.mark.parametrize(
    ("changed", "message", "loc"),
    [
        ({"task": "ranking"}, "classification or regression; got 'ranking'", ("task",)),
        ({"features": {}}, "no features", ("features",)),
        ({"target": [1]}, r"At least 2 rows are needed\. The data have 1", ("target",)),
        ({"target": ["a", "a", "a"]}, "Every row has class 'a'", ("target",)),
        ({"target": ["a", None, "b"]}, "The target has no value in row 1", ("target", 1)),
        ({"target": ["a", "b"]}, "feature 'age' is 3, and the target has 2", ("features", "age")),
        ({"source": ["x"]}, "rows of the source is 1, and the target has 3", ("source",)),
        ({"weight": [1, -2, 1]}, r"weight is -2\.0 in row 1", ("weight", 1)),
        ({"weight": [0, 0, 0]}, "All weights are zero", ("weight",)),
        ({"weight": [1, math.nan, 1]}, "weight has no value in row 1", ("weight", 1)),
        ({"target": [0.5, math.nan, 1], "task": "regression"}, "no value in row 1", ("target", 1)),
        ({"target": ["a", "b", "c"], "task": "regression"}, "is not numeric", ("target",)),
        ({"features": {"a": [1, 2, math.inf]}}, "'a' is inf in row 2", ("features", "a", 2)),
    ],
)
def test_invalid_columns(changed: dict[str, Any], message: str, loc: tuple[Any, ...]) -> None:
    with pytest.raises(EvaluationError, match=message) as caught:
        made(**changed)

    assert caught.value.loc == loc
    assert isinstance(caught.value, InvalidParameter | InsufficientData)


def test_exact_classes_that_are_fractions() -> None:
    data = build_data({"x": [1.0, 2, 3, 4]}, [0.5, 2, 0.5, 2], "classification")

    assert (data.classes, data.y.tolist()) == ((0.5, 2.0), [0, 1, 0, 1])


def test_invalid_values_that_hardly_repeat_are_no_classes() -> None:
    target = [3, 0.25, 0.5, 0.5, 7]
    with pytest.raises(
        InvalidParameter, match=r"is 0\.25 in row 1 and has 4 different .*in 5 rows"
    ) as e:
        build_data({"x": [1.0, 2, 3, 4, 5]}, target, "classification")

    assert (e.value.loc, e.value.value) == (("target", 1), 0.25)


def test_property_rows_keep_their_numbers() -> None:
    features = made().features

    twice = features.rows(np.array([2, 0])).rows(np.array([1]))

    assert features.get_row_number(1) == 1
    assert twice.get_row_number(0) == 0
    assert twice.with_columns(("b",), (np.array([1.0]),)).get_row_number(0) == 0


def test_degenerate_no_columns() -> None:
    features = made().features.with_columns((), ())

    assert features.n == 0
    assert features.matrix().shape == (0, 0)
    assert features.complete_matrix().shape == (0, 0)
