from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from thetahat.losses.base import Predictions
from thetahat.losses.squared import Squared


# By hand: (2 - 2.5)^2 and (2 + 1)^2.
def test_by_hand_squares_of_the_differences() -> None:
    predictions = Predictions(np.array([1.0, 2.5, -1.0]))

    assert_array_equal(Squared().losses(np.array([1.0, 2.0, 2.0]), predictions), [0.0, 0.25, 9.0])


def test_exact_mean_splits_into_bias_and_variance() -> None:
    y = np.random.default_rng(20_261_102).normal(size=200)

    losses = Squared().losses(y, Predictions(np.full(200, 0.3)))

    assert losses.mean() == pytest.approx(y.var() + (0.3 - y.mean()) ** 2, rel=1e-12)


@pytest.mark.outside("scikit-learn mean_squared_error, run here")
def test_against_sklearn_mean_squared_error() -> None:
    from sklearn.metrics import mean_squared_error

    y, predictions = np.random.default_rng(20_261_103).normal(size=(2, 300))

    losses = Squared().losses(y, Predictions(predictions))

    assert losses.mean() == pytest.approx(mean_squared_error(y, predictions), rel=1e-12)


def test_degenerate_huge_error_is_infinite_and_not_a_warning() -> None:
    assert Squared().losses(np.array([0.0]), Predictions(np.array([1e200])))[0] == np.inf
