"""The losses of decision values have their refusals in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.losses import LOSSES
from thetahat.losses.base import Loss, Predictions, adapt_to_classes

EVERY = pytest.mark.parametrize("name", [n for n in LOSSES if LOSSES[n].uses == "scores"])


def loss_of(name: str) -> Loss:
    return LOSSES[name]()


def test_exact_learners_with_decision_values() -> None:
    names = {name for name in LOSSES if LOSSES[name].uses == "scores"}

    assert names == {"hinge", "logistic", "quadratic_margin"}


@EVERY
def test_invalid_without_decision_values(name: str) -> None:
    with pytest.raises(UnsupportedCombination, match=f"{name}' needs a decision value") as caught:
        loss_of(name).losses(np.array([0]), Predictions(np.array([0])))
    assert caught.value.loc == ("loss",)


@EVERY
def test_invalid_other_than_two_classes(name: str) -> None:
    three: Any = ("a", "b", "c")
    with pytest.raises(UnsupportedCombination, match="is for two classes, and there are 3"):
        adapt_to_classes(loss_of(name), three)
    with pytest.raises(UnsupportedCombination, match="and there are 3"):
        loss_of(name).losses(np.array([2]), Predictions(np.array([0]), scores=np.array([0.1])))
    assert adapt_to_classes(loss_of(name), three[:2]) == loss_of(name)
    assert adapt_to_classes(loss_of(name), ()) == loss_of(name)  # no classes are known


@EVERY
@pytest.mark.parametrize("shape", [(1,), (2, 2)])
def test_invalid_values_of_another_shape(name: str, shape: tuple[int, ...]) -> None:
    predictions = Predictions(np.array([0, 1]), scores=np.zeros(shape))

    with pytest.raises(InvalidParameter, match="Expected 2 decision values") as caught:
        loss_of(name).losses(np.array([0, 1]), predictions)
    assert caught.value.loc == ("scores",)


@EVERY
def test_degenerate_no_instances(name: str) -> None:
    nothing = Predictions(np.empty(0, dtype=np.intp), scores=np.empty(0))

    assert loss_of(name).losses(np.empty(0, dtype=np.intp), nothing).shape == (0,)
