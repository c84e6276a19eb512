"""What holds for every loss of the registry."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tests.thetahat.losses.regions import draw_limits
from thetahat.losses import LOSSES
from thetahat.losses._regions import OF_REGIONS
from thetahat.losses.base import Loss, Predictions
from thetahat.references import REFERENCES

EVERY = pytest.mark.parametrize("name", LOSSES)
PARAMS: dict[str, dict[str, Any]] = {
    "cost_matrix": {"costs": [[0, 2.5, 1], [4, 0, 1], [1, 1, 0]], "classes": ["a", "b", "c"]}
}
FAR = 40.0  # a decision value that no loss tells from certainty


def loss_of(name: str) -> Loss:
    return LOSSES[name](**PARAMS.get(name, {}))


def draw_predictions(name: str, seed: int) -> tuple[np.ndarray, Predictions]:
    rng = np.random.default_rng(seed)
    if LOSSES[name].uses in OF_REGIONS:
        return draw_limits(seed)
    if name == "poisson_deviance":
        return rng.poisson(2.0, 30).astype(np.float64), Predictions(rng.gamma(2.0, size=30))
    if LOSSES[name].task == "regression":
        y, predictions = rng.normal(size=(2, 30))
        return y, Predictions(predictions)
    if LOSSES[name].uses == "scores":
        values = rng.normal(size=30)
        return rng.integers(0, 2, 30), Predictions((values > 0).astype(int), scores=values)
    probabilities = rng.dirichlet([1.0, 1.0, 1.0], size=30)
    return rng.integers(0, 3, 30), Predictions(probabilities.argmax(1), probabilities=probabilities)


def perfect(name: str, y: np.ndarray) -> Predictions:
    if LOSSES[name].uses in OF_REGIONS:
        return Predictions(y, limits=np.column_stack([y, y]))
    if LOSSES[name].task == "regression":
        return Predictions(np.maximum(y, 1e-300) if name == "poisson_deviance" else y)
    if LOSSES[name].uses == "scores":
        sure = 1.0 if name == "quadratic_margin" else FAR
        return Predictions(y, scores=np.where(y == 1, sure, -sure))
    return Predictions(y, probabilities=np.eye(3)[y])


@EVERY
@given(st.integers(0, 2**32))
def test_property_finite_and_in_its_range(name: str, seed: int) -> None:
    y, predictions = draw_predictions(name, seed)

    losses = loss_of(name).losses(y, predictions)

    low, high = loss_of(name).value_range
    assert losses.shape == y.shape
    assert losses.dtype == np.float64
    assert np.isfinite(losses).all()
    assert ((losses >= low) & (losses <= high)).all()


@EVERY
@given(st.integers(0, 2**32))
def test_property_each_instance_has_its_own_loss(name: str, seed: int) -> None:
    y, predictions = draw_predictions(name, seed)
    order = np.random.default_rng(seed).permutation(len(y))
    probabilities, scores, limits = (
        None if part is None else part[order]
        for part in (predictions.probabilities, predictions.scores, predictions.limits)
    )

    together = loss_of(name).losses(y, predictions)
    shuffled = loss_of(name).losses(
        y[order], Predictions(predictions.output[order], probabilities, scores, limits=limits)
    )

    assert_array_equal(shuffled, together[order])


@EVERY
def test_limit_a_perfect_model_loses_nothing(name: str) -> None:
    y, _ = draw_predictions(name, 1)

    assert loss_of(name).losses(y, perfect(name, y)).max() < 1e-15


@EVERY
def test_property_leaves_its_input_alone(name: str) -> None:
    y, predictions = draw_predictions(name, 2)
    parts = (predictions.probabilities, predictions.scores, predictions.limits)
    for array in (y, predictions.output, *parts):
        if array is not None:
            array.setflags(write=False)

    loss_of(name).losses(y, predictions)


@EVERY
def test_property_is_described(name: str) -> None:
    loss = LOSSES[name]
    is_of_regions = loss.uses in OF_REGIONS

    assert loss.info.title
    assert loss.info.summary.endswith(".")
    assert loss.info.assumptions.endswith(".")
    assert loss.info.errs.endswith(".")
    assert loss.info.formula
    assert loss.info.references
    assert set(loss.info.references) <= set(REFERENCES)
    assert loss.task in {"classification", "regression"} | ({None} if is_of_regions else set())
    assert loss.uses in {"output", "probabilities", "scores", *OF_REGIONS}
    assert loss_of(name).value_range[0] == 0
    assert not math.isnan(loss_of(name).value_range[1])


@EVERY
def test_property_is_frozen(name: str) -> None:
    assert dataclasses.is_dataclass(LOSSES[name])
    assert loss_of(name) == loss_of(name)
