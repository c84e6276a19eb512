from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.learners.against import both
from tests.thetahat.learners.fits import predicted, probabilities
from thetahat.errors import InsufficientData
from thetahat.learners.linear_discriminant import LinearDiscriminant

LINE = [[0.0], [2.0], [4.0], [6.0]]


def test_by_hand_two_classes_on_a_line() -> None:
    # means 1 and 5, squares within 4 over 4 rows: variance 1; log odds at x are 12 - 4x
    predictions = predicted(LinearDiscriminant(), LINE, [0, 0, 1, 1], [[2.0], [3.0]], n_classes=2)

    assert_allclose(probabilities(predictions)[:, 0], [1 / (1 + math.exp(-4)), 0.5], rtol=1e-14)


def test_by_hand_shares_move_the_border() -> None:
    # as above with a third row in class 0 at its mean: variance 4/5, log odds (12 - 4x)/(4/5)
    # and log(3/2) more with shares
    X, y = [*LINE, [1.0]], [0, 0, 1, 1, 0]
    shares = predicted(LinearDiscriminant(), X, y, [[3.0]], n_classes=2)
    equal = predicted(LinearDiscriminant(priors="equal"), X, y, [[2.0]], n_classes=2)

    assert_allclose(probabilities(shares), [[0.6, 0.4]], rtol=1e-14)
    assert_allclose(probabilities(equal)[0, 0], 1 / (1 + math.exp(-5)), rtol=1e-14)


def test_by_hand_weights_move_the_means() -> None:
    # class 0: mean (0 + 3 x 2)/4 = 1.5, squares 2.25 + 3 x 0.25 = 3; class 1: 5, squares 2;
    # variance 5/6; log odds at 3 are ((3 - 5)^2 - (3 - 1.5)^2)/(5/3)
    predictions = predicted(
        LinearDiscriminant(priors="equal"),
        LINE,
        [0, 0, 1, 1],
        [[3.0]],
        weights=[1, 3, 1, 1],
        n_classes=2,
    )

    assert_allclose(probabilities(predictions)[0, 0], 1 / (1 + math.exp(-1.75 * 0.6)), rtol=1e-14)


@pytest.mark.outside("scikit-learn LinearDiscriminantAnalysis, run here on its own data")
@pytest.mark.parametrize("scheme", ["k_fold", "leave_one_out", "stratified_k_fold"])
@pytest.mark.parametrize("name", ["iris", "wine"])
def test_against_sklearn_under_cross_validation(name: str, scheme: str) -> None:
    from sklearn import datasets
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)

    ours, theirs = both(LinearDiscriminant(), LinearDiscriminantAnalysis(), X, y, scheme)

    assert_allclose(ours, theirs, rtol=1e-8, atol=1e-9)


@pytest.mark.outside("scikit-learn LinearDiscriminantAnalysis, run here on its own wine data")
def test_against_sklearn_leaving_sources_out_with_equal_priors() -> None:
    from sklearn.datasets import load_wine
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    X, y = load_wine(return_X_y=True)
    source = [f"s{i % 6}" for i in range(len(y))]
    theirs = LinearDiscriminantAnalysis(priors=[1 / 3] * 3)

    ours, wanted = both(
        LinearDiscriminant(priors="equal"), theirs, X, y, "leave_one_source_out", source=source
    )

    assert_allclose(ours, wanted, rtol=1e-8, atol=1e-9)


def test_exact_units_and_mixtures_of_features_do_not_matter() -> None:
    rng = np.random.default_rng(20_261_202)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 3, 40)
    mix = rng.normal(size=(3, 3)) * [1.0, 1e3, 1e-3]

    plain = predicted(LinearDiscriminant(), X, y, X, n_classes=3)
    mixed = predicted(LinearDiscriminant(), X @ mix + 100, y, X @ mix + 100, n_classes=3)

    assert_allclose(probabilities(mixed), probabilities(plain), rtol=1e-8)


def test_degenerate_directions_without_variance_count_for_nothing() -> None:
    rng = np.random.default_rng(20_261_203)
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    more = np.column_stack([X, X[:, 0] + X[:, 1], np.full(30, 0.1), 5.0 * y])

    less = predicted(LinearDiscriminant(), X, y, X, n_classes=2)
    predictions = predicted(LinearDiscriminant(), more, y, more, n_classes=2)

    assert_allclose(probabilities(predictions), probabilities(less), rtol=1e-9)


def test_degenerate_an_absent_class_has_no_probability() -> None:
    predictions = predicted(LinearDiscriminant(), LINE, [0, 0, 2, 2], [[0.0], [6.0]], n_classes=4)

    assert_array_equal(predictions.output, [0, 2])
    assert_array_equal(probabilities(predictions)[:, [1, 3]], np.zeros((2, 2)))


def test_invalid_one_class() -> None:
    with pytest.raises(InsufficientData, match="has 1 class"):
        predicted(LinearDiscriminant(), LINE, [0, 0, 0, 0], LINE, n_classes=2)


def test_exact_weight_two_is_the_row_twice() -> None:
    rng = np.random.default_rng(20_261_207)
    X, y, w = rng.normal(size=(20, 3)), np.arange(20) % 3, rng.integers(1, 4, 20)

    weighted = predicted(LinearDiscriminant(), X, y, X, weights=w, n_classes=3)
    twice = predicted(
        LinearDiscriminant(), np.repeat(X, w, axis=0), np.repeat(y, w), X, n_classes=3
    )

    assert_allclose(probabilities(weighted), probabilities(twice), rtol=1e-11)


def test_invalid_no_more_rows_than_classes() -> None:
    with pytest.raises(InsufficientData, match="No feature varies within the classes"):
        predicted(LinearDiscriminant(), LINE[:2], [0, 1], LINE, n_classes=2)
