from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from thetahat.losses.absolute import Absolute
from thetahat.losses.base import Predictions


# By hand: |2 - 2.5| and |2 + 1|.
def test_by_hand_sizes_of_the_differences() -> None:
    predictions = Predictions(np.array([1.0, 2.5, -1.0]))

    assert_array_equal(Absolute().losses(np.array([1.0, 2.0, 2.0]), predictions), [0.0, 0.5, 3.0])


def test_exact_the_median_is_the_best_constant() -> None:
    y = np.random.default_rng(20_261_104).exponential(size=201)

    def mean_loss(constant: float) -> float:
        return float(Absolute().losses(y, Predictions(np.full(201, constant))).mean())

    best = mean_loss(float(np.median(y)))
    assert all(best < mean_loss(float(np.median(y)) + step) for step in (-0.1, 0.1))


@pytest.mark.outside("scikit-learn mean_absolute_error, run here")
def test_against_sklearn_mean_absolute_error() -> None:
    from sklearn.metrics import mean_absolute_error

    y, predictions = np.random.default_rng(20_261_105).normal(size=(2, 300))

    losses = Absolute().losses(y, Predictions(predictions))

    assert losses.mean() == pytest.approx(mean_absolute_error(y, predictions), rel=1e-12)


def test_degenerate_error_beyond_double_precision_is_infinite() -> None:
    assert Absolute().losses(np.array([-1e308]), Predictions(np.array([1e308])))[0] == np.inf
