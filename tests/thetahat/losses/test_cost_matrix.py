from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from thetahat.errors import InvalidParameter
from thetahat.losses.base import Predictions, adapt_to_classes
from thetahat.losses.cost_matrix import CostMatrix
from thetahat.losses.zero_one import ZeroOne

CREDIT: Any = {"good": {"bad": 1}, "bad": {"good": 5}}


@pytest.mark.outside("the cost matrix of the Statlog German credit data: 5 for bad taken as good")
def test_golden_german_credit() -> None:
    loss = adapt_to_classes(CostMatrix(costs=CREDIT), ("good", "bad"))

    losses = loss.losses(np.array([0, 0, 1, 1]), Predictions(np.array([0, 1, 0, 1])))

    assert losses.tolist() == [0, 1, 5, 0]
    assert loss.value_range == (0.0, 5.0)


def test_exact_the_order_of_the_classes_does_not_matter() -> None:
    """The data's codes are those of the sorted labels: bad is 0."""
    y, predictions = np.array([1, 1, 0, 0]), Predictions(np.array([1, 0, 1, 0]))
    rows = CostMatrix(costs=[[0, 1], [5, 0]], classes=["good", "bad"])

    for costs in (CostMatrix(costs=CREDIT), rows):
        loss = adapt_to_classes(costs, ("bad", "good"))
        assert loss.losses(y, predictions).tolist() == [0, 1, 5, 0]
        assert adapt_to_classes(loss, ("good", "bad")).losses(
            1 - y, Predictions(1 - predictions.output)
        ).tolist() == [0, 1, 5, 0]


def test_limit_ones_off_the_diagonal_are_zero_one() -> None:
    rng = np.random.default_rng(95)
    y, predictions = rng.integers(0, 3, 50), Predictions(rng.integers(0, 3, 50))
    ones = CostMatrix(costs=(1 - np.eye(3)).tolist(), classes=["a", "b", "c"])

    assert ones.losses(y, predictions).tolist() == ZeroOne().losses(y, predictions).tolist()


def test_property_gains_and_right_decisions_may_have_a_price() -> None:
    costs: Any = {"buy": {"buy": -3.5, "hold": 1}, "hold": {"buy": 2, "hold": 0.5}}
    loss = adapt_to_classes(CostMatrix(costs=costs), ("buy", "hold"))

    assert loss.value_range == (-3.5, 2.0)
    assert loss.losses(np.array([0, 1]), Predictions(np.array([0, 1]))).tolist() == [-3.5, 0.5]


def test_property_labels_are_matched_as_they_are_written() -> None:
    costs: Any = {"0": {"1": 2}, "1": {"0": 3}}  # keys of JSON are strings

    loss = adapt_to_classes(CostMatrix(costs=costs), (0, 1))

    assert loss.losses(np.array([0, 1]), Predictions(np.array([1, 0]))).tolist() == [2, 3]


@pytest.mark.parametrize("spelt", [("false", "true"), ("False", "True")])
def test_property_booleans_are_named_as_json_or_python_writes_them(spelt: tuple[str, str]) -> None:
    no, yes = spelt
    loss = adapt_to_classes(CostMatrix(costs={no: {yes: 2}, yes: {no: 3}}), (False, True))

    assert loss.losses(np.array([0, 1]), Predictions(np.array([1, 0]))).tolist() == [2, 3]
    with pytest.raises(InvalidParameter, match="no costs for class 'false'; they are for 0, 1"):
        adapt_to_classes(CostMatrix(costs={"0": {"1": 2}, "1": {"0": 3}}), (False, True))


def test_property_classes_without_instances_may_have_costs() -> None:
    costs: Any = {"a": {"b": 1, "c": 9}, "b": {"a": 2, "c": 9}, "c": {"a": 9, "b": 9}}

    assert adapt_to_classes(CostMatrix(costs=costs), ("a", "b")).value_range == (0.0, 2.0)


@pytest.mark.parametrize(
    ("costs", "classes", "loc"),
    [
        ({"a": {"b": 1}}, None, ("costs", "b", "a")),
        ({"a": {"b": 1}, "b": {"a": math.inf}}, None, ("costs", "b", "a")),
        ([[0, 1], [math.nan, 0]], ["a", "b"], ("costs", 1, 0)),
        ([[0, 1], [1]], ["a", "b"], ("costs", 1)),
        ([[0, 1], [1, 0]], None, ("classes",)),
        ([[0, 1], [1, 0]], ["a", "a"], ("classes",)),
        (CREDIT, ["good", "bad"], ("classes",)),
        ({}, None, ("costs",)),
        ({"a": {}}, None, ("costs",)),
    ],
)
def test_invalid_tables(costs: Any, classes: Any, loc: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidParameter, match=r"cost|classes") as caught:
        CostMatrix(costs=costs, classes=classes)

    assert caught.value.loc == loc


def test_invalid_a_class_without_costs() -> None:
    with pytest.raises(InvalidParameter, match="no costs for class 'ugly'") as caught:
        adapt_to_classes(CostMatrix(costs=CREDIT), ("bad", "good", "ugly"))

    assert caught.value.loc == ("loss", "params", "costs")


def test_exact_fractions_are_named_as_they_are_written() -> None:
    costs: dict[str, dict[str, float]] = {"0.5": {"2.5": 2}, "2.5": {"0.5": 3}}
    loss = adapt_to_classes(CostMatrix(costs=costs), (0.5, 2.5))

    assert loss.losses(np.array([0, 1]), Predictions(np.array([1, 0]))).tolist() == [2, 3]
