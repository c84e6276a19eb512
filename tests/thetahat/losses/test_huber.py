from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from thetahat.errors import InvalidParameter
from thetahat.losses.absolute import Absolute
from thetahat.losses.base import Predictions
from thetahat.losses.huber import Huber
from thetahat.losses.squared import Squared


@pytest.mark.outside("the documented examples of scipy.special.huber: 1.5 and 3.5, 7.5, 8")
def test_golden_documented_examples() -> None:
    def at(delta: float, error: float) -> float:
        return float(Huber(delta=delta).losses(np.zeros(1), Predictions(np.array([error])))[0])

    assert at(1, 2) == 1.5
    assert [at(delta, 4) for delta in (1, 3, 5)] == [3.5, 7.5, 8.0]


@pytest.mark.parametrize("delta", [0.1, 1.0, 7.5])
def test_against_scipy_huber(delta: float) -> None:
    y, predictions = np.random.default_rng(91).normal(scale=3, size=(2, 200))

    losses = Huber(delta=delta).losses(y, Predictions(predictions))
    assert_allclose(losses, special.huber(delta, predictions - y), rtol=1e-12)


def test_limit_large_and_small_delta() -> None:
    y, predicted = np.random.default_rng(92).normal(size=(2, 50))
    predictions = Predictions(predicted)

    wide = Huber(delta=1e6).losses(y, predictions)
    assert_allclose(wide, Squared().losses(y, predictions) / 2, rtol=1e-14)
    tight = Huber(delta=1e-9).losses(y, predictions) / 1e-9
    assert_allclose(tight, Absolute().losses(y, predictions), atol=1e-9)


@pytest.mark.parametrize("delta", [0.0, -1.0, math.inf, math.nan])
def test_invalid_delta(delta: float) -> None:
    with pytest.raises(InvalidParameter, match="delta must be a finite number above 0") as caught:
        Huber(delta=delta)
    assert caught.value.loc == ("delta",)
