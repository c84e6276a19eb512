from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.learners.fits import predicted, probabilities
from thetahat.learners.majority import Majority
from thetahat.losses.logistic import LogisticLoss


# By hand: three of five labels are 2.
def test_by_hand_commonest_of_five() -> None:
    predictions = predicted(
        Majority(), np.zeros((5, 1)), [2, 0, 2, 1, 2], np.ones((2, 1)), n_classes=4
    )

    assert_array_equal(predictions.output, [2, 2])
    assert_allclose(probabilities(predictions), [[0.2, 0.2, 0.6, 0.0]] * 2, rtol=1e-15)


def test_by_hand_weights_decide() -> None:
    predictions = predicted(
        Majority(), np.zeros((3, 1)), [0, 0, 1], np.ones((1, 1)), weights=[1, 1, 3], n_classes=2
    )

    assert_array_equal(predictions.output, [1])
    assert_allclose(probabilities(predictions), [[0.4, 0.6]], rtol=1e-15)


@pytest.mark.outside("scikit-learn DummyClassifier, run here")
def test_against_sklearn_dummy_classifier() -> None:
    from sklearn.dummy import DummyClassifier

    rng = np.random.default_rng(20_261_124)
    y, w, rows = rng.integers(0, 4, 60), rng.exponential(size=60), np.zeros((60, 1))

    predictions = predicted(Majority(), rows, y, rows[:1], weights=w, n_classes=4)

    assert predictions.output == DummyClassifier(strategy="most_frequent").fit(rows, y, w).predict(
        [[0]]
    )
    theirs = DummyClassifier(strategy="prior").fit(rows, y, w).predict_proba(rows[:1])
    assert_allclose(probabilities(predictions), theirs, rtol=1e-12)


def test_degenerate_tie_goes_to_the_first_class() -> None:
    predictions = predicted(
        Majority(), np.zeros((4, 1)), [2, 1, 1, 2], np.ones((1, 1)), n_classes=3
    )

    assert_array_equal(predictions.output, [1])


def test_degenerate_one_class() -> None:
    predictions = predicted(Majority(), np.zeros((2, 1)), [1, 1], np.ones((1, 1)), n_classes=2)

    assert_array_equal(predictions.output, [1])
    assert_array_equal(probabilities(predictions), [[0.0, 1.0]])


def test_exact_no_class_errs_less_on_the_training_part() -> None:
    rng = np.random.default_rng(20_261_125)
    y, w = rng.integers(0, 4, 60), rng.exponential(size=60)

    predictions = predicted(
        Majority(), np.zeros((60, 1)), y, np.zeros((1, 1)), weights=w, n_classes=4
    )

    wrong = [float(w[y != c].sum()) for c in range(4)]
    assert predictions.output[0] == int(np.argmin(wrong))
    assert_allclose(probabilities(predictions)[0], 1 - np.array(wrong) / w.sum(), rtol=1e-12)


def test_by_hand_log_odds_of_two_classes() -> None:
    rows, new = np.zeros((5, 1)), np.ones((2, 1))
    weights = [1, 1, 1, 1, 2]
    three_to_two = predicted(Majority(), rows, [1, 0, 1, 0, 1], new, n_classes=2)
    weighted = predicted(Majority(), rows, [1, 0, 1, 0, 1], new, weights=weights, n_classes=2)

    assert three_to_two.scores is not None
    assert weighted.scores is not None
    assert_allclose(three_to_two.scores, [np.log(3 / 2)] * 2, rtol=1e-15)
    assert_allclose(weighted.scores, [np.log(2)] * 2, rtol=1e-15)
    # the logistic loss of log odds is the logarithmic loss of the shares
    losses = LogisticLoss().losses(np.array([1, 0]), three_to_two)
    assert_allclose(losses, [-np.log(3 / 5), -np.log(2 / 5)], rtol=1e-15)


def test_degenerate_log_odds_of_an_absent_or_a_third_class() -> None:
    rows = np.zeros((3, 1))

    assert predicted(Majority(), rows, [1, 1, 1], rows, n_classes=2).scores is None
    assert predicted(Majority(), rows, [0, 1, 2], rows, n_classes=3).scores is None
