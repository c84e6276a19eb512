from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.learners.fits import predicted
from thetahat.errors import InsufficientData
from thetahat.learners.mean import MeanLearner

X = [[0.0], [0.0], [0.0]]


# By hand: (1 + 2 + 6)/3 = 3.
def test_by_hand_mean_of_three() -> None:
    predictions = predicted(MeanLearner(), X, [1.0, 2.0, 6.0], [[5.0], [6.0]])

    assert_allclose(predictions.output, [3.0, 3.0], rtol=1e-15)
    assert predictions.probabilities is None


def test_by_hand_weighted_mean() -> None:
    assert predicted(MeanLearner(), X, [1.0, 2.0, 6.0], X, weights=[1, 0, 3]).output[0] == 19 / 4


@pytest.mark.outside("scikit-learn DummyRegressor, run here")
def test_against_sklearn_dummy_regressor() -> None:
    from sklearn.dummy import DummyRegressor

    rng = np.random.default_rng(20_261_123)
    y, w = rng.normal(size=50), rng.exponential(size=50)
    rows = np.zeros((50, 1))

    theirs = DummyRegressor().fit(rows, y, w).predict(rows[:1])
    assert_allclose(
        predicted(MeanLearner(), rows, y, rows[:1], weights=w).output, theirs, rtol=1e-12
    )


def test_invalid_weights_all_zero() -> None:
    with pytest.raises(InsufficientData, match="All weights of the training part are zero"):
        predicted(MeanLearner(), X, [1.0, 2.0, 6.0], X, weights=[0, 0, 0])


def test_exact_residuals_sum_to_zero() -> None:
    """The normal equation of the constant with the least squared error."""
    rng = np.random.default_rng(20_261_126)
    y, w = rng.normal(size=50), rng.exponential(size=50)

    predictions = predicted(MeanLearner(), np.zeros((50, 1)), y, np.zeros((50, 1)), weights=w)

    assert abs(float(w @ (y - predictions.output))) < 1e-12
