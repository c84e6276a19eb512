from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.learners.against import both
from tests.thetahat.learners.fits import predicted, probabilities
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.learners.gaussian_naive_bayes import GaussianNaiveBayes

EXACT = GaussianNaiveBayes(variance_smoothing=0)


def test_by_hand_two_classes_of_unit_variance() -> None:
    # means 1 and 5, variances 1, equal shares: log odds at x are ((x - 5)^2 - (x - 1)^2)/2
    predictions = predicted(
        EXACT, [[0.0], [2], [4], [6]], [0, 0, 1, 1], [[2.0], [3.0]], n_classes=2
    )

    assert_allclose(probabilities(predictions)[:, 0], [1 / (1 + math.exp(-4)), 0.5], rtol=1e-14)
    assert_array_equal(predictions.output, [0, 0])  # of equal posteriors the first


def test_by_hand_unequal_variances() -> None:
    # class 0: mean 0, variance 1; class 1: mean 0, variance 4; at 0 densities are 2 to 1
    predictions = predicted(EXACT, [[-1.0], [1], [-2], [2]], [0, 0, 1, 1], [[0.0]], n_classes=2)

    assert_allclose(probabilities(predictions), [[2 / 3, 1 / 3]], rtol=1e-14)


@pytest.mark.outside("scikit-learn GaussianNB, run here on its own wine and digits data")
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("smoothing", [1e-9, 0.01])
@pytest.mark.parametrize("name", ["wine", "digits"])
def test_against_sklearn_predictions_and_probabilities(
    name: str, smoothing: float, *, weighted: bool
) -> None:
    from sklearn import datasets
    from sklearn.naive_bayes import GaussianNB

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    n_classes = int(y.max()) + 1
    w = np.random.default_rng(20_261_120).exponential(size=len(y)) if weighted else None

    learner = GaussianNaiveBayes(variance_smoothing=smoothing)
    predictions = predicted(learner, X, y, X, weights=w, n_classes=n_classes)

    theirs = GaussianNB(var_smoothing=smoothing).fit(X, y, w)
    assert_array_equal(predictions.output, theirs.predict(X))
    assert_allclose(
        probabilities(predictions),
        theirs.predict_proba(X),
        rtol=1e-10,
        atol=1e-12,
    )


@pytest.mark.outside("scikit-learn GaussianNB, run here on its own data")
@pytest.mark.parametrize("scheme", ["k_fold", "leave_one_out"])
@pytest.mark.parametrize("name", ["wine", "iris"])
def test_against_sklearn_under_cross_validation(name: str, scheme: str) -> None:
    from sklearn import datasets
    from sklearn.naive_bayes import GaussianNB

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)

    ours, theirs = both(GaussianNaiveBayes(), GaussianNB(), X, y, scheme)

    assert_allclose(ours, theirs, rtol=1e-8, atol=1e-12)


def test_exact_far_from_the_origin() -> None:
    """Shifting the features by 1e8 changes nothing."""
    rng = np.random.default_rng(20_261_123)
    X, y = rng.normal(size=(50, 2)).round(3), rng.integers(0, 2, 50)

    near = predicted(GaussianNaiveBayes(), X, y, X, n_classes=2)
    far = predicted(GaussianNaiveBayes(), X + 2.0**27, y, X + 2.0**27, n_classes=2)

    # The features themselves are rounded to 1.5e-8 there.
    assert_allclose(probabilities(far), probabilities(near), rtol=1e-6)


def test_exact_units_do_not_matter() -> None:
    rng = np.random.default_rng(20_261_121)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)

    metres = predicted(EXACT, X, y, X, n_classes=2)
    feet = predicted(
        EXACT, X * [3.28, 1000.0] + [5.0, 0.0], y, X * [3.28, 1000] + [5, 0], n_classes=2
    )

    assert_allclose(probabilities(feet), probabilities(metres), rtol=1e-9)


def test_calibrated_probabilities_where_the_model_is_true() -> None:
    """Among instances given p, the share of class 1 is p."""
    rng, n = np.random.default_rng(20_261_122), 40_000
    y = rng.integers(0, 2, 2 * n)
    X = rng.normal(size=(2 * n, 2)) + y[:, None]

    predictions = predicted(GaussianNaiveBayes(), X[:n], y[:n], X[n:], n_classes=2)

    p = probabilities(predictions)[:, 1]
    for low in (0.1, 0.4, 0.7):
        inside = (p > low) & (p < low + 0.2)
        error = 0.5 / math.sqrt(inside.sum())
        # Four errors, and as much again for the training sample's own luck.
        assert abs(y[n:][inside].mean() - p[inside].mean()) < 8 * error


@pytest.mark.parametrize("smoothing", [-1e-9, math.nan, math.inf])
def test_invalid_smoothing(smoothing: float) -> None:
    with pytest.raises(
        InvalidParameter, match="variance_smoothing must be a finite number of at least 0"
    ):
        GaussianNaiveBayes(variance_smoothing=smoothing)


def test_degenerate_constant_features_are_named() -> None:
    with pytest.raises(InsufficientData, match="Column 'x0' does not vary inside a class") as e:
        predicted(GaussianNaiveBayes(), [[1.0]] * 4, [0, 0, 1, 1], [[1.0]], n_classes=2)

    assert e.value.loc == ("columns", "features", "x0")


def test_degenerate_one_instance_in_a_class_is_smoothed() -> None:
    predictions = predicted(
        GaussianNaiveBayes(), [[0.0], [1.0], [5.0]], [0, 0, 1], [[5.0]], n_classes=2
    )

    assert_array_equal(predictions.output, [1])


def test_invalid_one_class() -> None:
    with pytest.raises(InsufficientData, match="has 1 class"):
        predicted(GaussianNaiveBayes(), [[1.0], [0.0]], [1, 1], [[1.0]], n_classes=2)
