from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.learners.against import both
from tests.thetahat.learners.fits import predicted, probabilities
from thetahat.learners.nearest_mean import NearestMean


def test_by_hand_probabilities_from_one_variance() -> None:
    # means (1, 0) and (5, 0); squares within 4 and 0 over 4 rows and 2 features: variance 1/2;
    # log odds at (2, 7) are 9 - 1
    X = [[0.0, 0.0], [2.0, 0.0], [4.0, 0.0], [6.0, 0.0]]
    predictions = predicted(NearestMean(), X, [0, 0, 1, 1], [[2.0, 7.0]], n_classes=2)

    assert_allclose(probabilities(predictions)[0, 0], 1 / (1 + math.exp(-8)), rtol=1e-14)


@pytest.mark.outside("scikit-learn NearestCentroid, run here on its own data")
@pytest.mark.parametrize("name", ["iris", "wine", "digits"])
@pytest.mark.filterwarnings("ignore:self.within_class_std_dev_ has at least 1 zero")
def test_against_sklearn_nearest_centroid(name: str) -> None:
    from sklearn import datasets
    from sklearn.neighbors import NearestCentroid

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)

    predictions = predicted(NearestMean(), X[::2], y[::2], X, n_classes=int(y.max()) + 1)

    assert_array_equal(predictions.output, NearestCentroid().fit(X[::2], y[::2]).predict(X))


@pytest.mark.outside("scikit-learn NearestCentroid, run here on its own wine data")
@pytest.mark.parametrize("scheme", ["k_fold", "leave_one_out"])
def test_against_sklearn_under_cross_validation(scheme: str) -> None:
    from sklearn.datasets import load_wine
    from sklearn.neighbors import NearestCentroid

    X, y = load_wine(return_X_y=True)

    # Their probabilities are of another model; the class is the same.
    ours, theirs = both(NearestMean(), NearestCentroid(), X, y, scheme, codes=True)

    assert_array_equal(ours, theirs)


def test_naive_softmax_of_squared_distances_with_shares() -> None:
    rng = np.random.default_rng(20_261_206)
    X, y, w = rng.normal(size=(30, 3)), rng.integers(0, 3, 30), rng.exponential(size=30)

    predictions = predicted(NearestMean(priors="shares"), X, y, X, weights=w, n_classes=3)

    means = [np.average(X[y == c], axis=0, weights=w[y == c]) for c in range(3)]
    squares = sum(w[i] * ((X[i] - means[y[i]]) ** 2).sum() for i in range(30))
    variance = squares / w.sum() / 3
    joint = np.array([[w[y == c].sum() for c in range(3)]]) * np.exp(
        [[-((x - m) ** 2).sum() / (2 * variance) for m in means] for x in X]
    )
    assert_allclose(
        probabilities(predictions), joint / joint.sum(axis=1, keepdims=True), rtol=1e-11
    )


def test_degenerate_one_row_of_each_class() -> None:
    predictions = predicted(
        NearestMean(), [[0.0], [4.0]], [0, 1], [[1.0], [2.0], [3.0]], n_classes=3
    )

    assert_array_equal(predictions.output, [0, 0, 1])  # of equally near means the first
    assert_array_equal(probabilities(predictions), [[1, 0, 0], [0.5, 0.5, 0], [0, 1, 0]])


@pytest.mark.parametrize("priors", ["shares", "equal"])
@pytest.mark.parametrize("value", [0.0, 0.1, 1e8 / 3])
def test_degenerate_constant_features_say_nothing(
    priors: Literal["shares", "equal"], value: float
) -> None:
    """Every class had the same mean, and the first was certain."""
    X, y = np.full((10, 2), value), np.array([0, 1, 1, 1, 1, 1, 1, 1, 0, 1])

    predictions = predicted(NearestMean(priors=priors), X, y, X[:3], n_classes=2)

    share = 0.8 if priors == "shares" else 0.5
    assert predictions.probabilities is not None
    assert_allclose(predictions.probabilities, [[1 - share, share]] * 3, rtol=1e-12)
    assert predictions.output.tolist() == [1 if priors == "shares" else 0] * 3


def test_degenerate_classes_without_spread_are_still_distinguished() -> None:
    X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 1, 1])

    predictions = predicted(NearestMean(), X, y, np.array([[0.2], [0.9], [0.5]]), n_classes=2)

    assert predictions.probabilities is not None
    assert predictions.probabilities.tolist() == [[1, 0], [0, 1], [0.5, 0.5]]
