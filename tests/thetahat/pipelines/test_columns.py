"""Which columns reach the learner: their names, their places and their kinds."""

from __future__ import annotations

import numpy as np
import pytest

from tests.thetahat.pipelines.tables import MIXED, built, fitted, reached, strings
from thetahat.errors import InvalidParameter
from thetahat.pipelines import Pipeline
from thetahat.tables.features import Features


def test_exact_columns_that_keep_their_name_keep_their_place_and_new_ones_come_last() -> None:
    table = reached(["standardise", {"name": "one_hot", "columns": ["kind"]}, "one_hot"], MIXED)
    assert table.names == ("a", "b", "kind=x", "kind=y", "place=p", "place=q")
    np.testing.assert_allclose(table.columns[0], (MIXED.columns[0] - 3) / 3.5**0.5, rtol=1e-15)
    assert table.columns[2].tolist() == [1.0, 0.0, 1.0, 0.0]


def test_exact_encoders_and_selectors_place_their_columns_the_same_way() -> None:
    steps = [{"name": "OrdinalEncoder", "columns": ["place"]}, "OneHotEncoder", "VarianceThreshold"]
    table = reached(steps, MIXED)
    assert table.names == ("a", "b", "place", "kind_x", "kind_y")
    assert table.columns[2].tolist() == [0.0, 0.0, 1.0, 0.0]


def test_exact_names_that_are_taken_are_marked() -> None:
    steps = [{"name": "pca", "columns": ["a", "b"]}, {"name": "pca", "columns": ["component_2"]}]
    table = reached([*steps, "one_hot"], MIXED)
    assert table.names[:2] == ("component_1", "component_1'")


def test_exact_simple_imputer_keeps_strings_and_numbers_apart() -> None:
    features = Features(
        ("kind", "a"),
        (strings("x", None, "x", "y"), np.array([1.0, np.nan, 1.0, 4.0])),
    )
    impute = {
        "name": "SimpleImputer",
        "params": {"strategy": "most_frequent"},
        "columns": ["kind", "a"],
    }
    fitted_step = fitted([impute, "one_hot"], features, np.array([0, 1, 0, 1]))
    table = fitted_step.steps[0].transform(features)
    assert table.columns[0].tolist() == ["x", "x", "x", "y"]
    assert table.columns[1].tolist() == [1.0, 1.0, 1.0, 4.0]
    assert table.columns[1].dtype.kind == "f"
    marked = {"name": "SimpleImputer", "params": {"missing_values": "?", "strategy": "constant"}}
    kept = Features(("kind", "a"), (strings("x", None, "?"), np.arange(3.0)))
    fitted_step = fitted([{**marked, "columns": ["kind"]}, "one_hot"], kept, np.array([0, 1, 0]))
    assert fitted_step.steps[0].transform(kept).columns[0].tolist() == ["x", None, "missing_value"]


def test_invalid_simple_imputer_of_another_mark_meets_a_number_that_is_missing() -> None:
    marked = {"name": "SimpleImputer", "params": {"missing_values": "?", "strategy": "constant"}}
    holed = Features(("kind", "a"), (strings("x", "?", "y"), np.array([0.0, np.nan, 1.0])))
    with pytest.raises(InvalidParameter, match="Column 'a' has no value in row 1"):
        fitted([{**marked, "columns": ["kind", "a"]}, "one_hot"], holed, np.array([0, 1, 0]))


@pytest.mark.parametrize("sparse", [True, False])
def test_exact_columns_are_dense_whatever_the_parameters_of_the_encoder(sparse: bool) -> None:  # noqa: FBT001 - a case
    spec = {"name": "OneHotEncoder", "params": {"sparse_output": sparse}}
    pipeline = built({"name": "GaussianNB", "prepare": [spec]})
    assert isinstance(pipeline, Pipeline)
    assert getattr(pipeline.steps[0].step, "params") == {}  # noqa: B009 - no part of the protocol
    table = reached([spec], MIXED)
    assert table.names == ("a", "b", "kind_x", "kind_y", "place_p", "place_q")
    assert all(type(column) is np.ndarray for column in table.columns)
    assert table.columns[2].tolist() == [1.0, 0.0, 1.0, 0.0]
