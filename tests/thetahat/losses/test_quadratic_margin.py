from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.losses.base import Predictions
from thetahat.losses.quadratic_margin import QuadraticMargin
from thetahat.losses.squared import Squared


def losses(y: np.ndarray, values: np.ndarray) -> np.ndarray:
    return QuadraticMargin().losses(y, Predictions(y, scores=values))


# By hand on (f(x) - y)^2 with y in {-1, 1}, the form of kouw2019.
def test_by_hand_four_values() -> None:
    values = losses(np.array([1, 1, 0, 0]), np.array([0.5, 3.0, -1.0, 0.5]))

    assert values.tolist() == [0.25, 4.0, 0.0, 2.25]


def test_exact_it_is_the_squared_loss_of_the_signs() -> None:
    rng = np.random.default_rng(74)
    y, values = rng.integers(0, 2, 100), rng.normal(size=100)
    signs = 2.0 * y - 1

    assert_allclose(losses(y, values), Squared().losses(signs, Predictions(values)), rtol=1e-14)
    assert_allclose(losses(y, values), (1 - signs * values) ** 2, rtol=1e-12)


def test_degenerate_a_value_out_of_all_scale_is_infinite() -> None:
    assert losses(np.array([1]), np.array([1e200])).tolist() == [np.inf]


@pytest.mark.outside("scikit-learn mean_squared_error of values and signs, run here")
def test_against_sklearn_mean_squared_error_of_signs() -> None:
    from sklearn.metrics import mean_squared_error

    rng = np.random.default_rng(75)
    y, values = rng.integers(0, 2, 60), rng.normal(size=60)

    theirs = mean_squared_error(2 * y - 1, values)
    assert_allclose(losses(y, values).mean(), theirs, rtol=1e-13)
