from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.learners.china import ABOUT_CHINA, DOCUMENTS, TEST
from tests.thetahat.learners.fits import predicted, probabilities
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.learners.bernoulli_naive_bayes import BernoulliNaiveBayes


@pytest.mark.outside("manning2008, Example 13.2: the document is not about China")
def test_golden_the_textbook_example() -> None:
    predictions = predicted(BernoulliNaiveBayes(), DOCUMENTS, ABOUT_CHINA, TEST, n_classes=2)

    # manning2008: 3/4 4/5 1/5 1/5 (1 - 2/5)^3 against 1/4 (2/3)^3 (1 - 1/3)^3; not China wins
    china = 3 / 4 * 4 / 5 / 25 * (3 / 5) ** 3
    other = 1 / 4 * (2 / 3) ** 6
    assert_array_equal(predictions.output, [0])
    assert_allclose(probabilities(predictions)[0, 1], china / (china + other), rtol=1e-13)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(("smoothing", "threshold"), [(1.0, 0.0), (0.2, 7.5)])
def test_against_sklearn_on_digits(smoothing: float, threshold: float, *, weighted: bool) -> None:
    from sklearn.datasets import load_digits
    from sklearn.naive_bayes import BernoulliNB

    X, y = load_digits(return_X_y=True)
    w = np.random.default_rng(20_261_118).exponential(size=1200) if weighted else None

    learner = BernoulliNaiveBayes(smoothing=smoothing, threshold=threshold)
    predictions = predicted(learner, X[:1200], y[:1200], X[1200:], weights=w, n_classes=10)

    theirs = BernoulliNB(alpha=smoothing, binarize=threshold).fit(X[:1200], y[:1200], w)
    assert_array_equal(predictions.output, theirs.predict(X[1200:]))
    assert_allclose(probabilities(predictions), theirs.predict_proba(X[1200:]), rtol=1e-10)


def test_exact_swapping_yes_and_no_changes_nothing() -> None:
    rng = np.random.default_rng(20_261_119)
    X, y = rng.integers(0, 2, (40, 5)).astype(float), rng.integers(0, 2, 40)

    straight = predicted(BernoulliNaiveBayes(), X, y, X, n_classes=2)
    swapped = predicted(BernoulliNaiveBayes(), 1 - X, y, 1 - X, n_classes=2)

    assert_allclose(probabilities(swapped), probabilities(straight), rtol=1e-12)


def test_degenerate_value_at_the_threshold_is_a_no() -> None:
    X = [[0.0], [0.5], [1.0], [1.0]]

    at, below = (
        predicted(
            BernoulliNaiveBayes(threshold=0.5), X, [0, 0, 1, 1], [[value]], n_classes=2
        ).output[0]
        for value in (0.5, 0.1)
    )

    assert at == below == 0


@pytest.mark.parametrize("threshold", [math.nan, math.inf])
def test_invalid_threshold(threshold: float) -> None:
    with pytest.raises(InvalidParameter, match="threshold must be finite"):
        BernoulliNaiveBayes(threshold=threshold)


def test_invalid_smoothing() -> None:
    with pytest.raises(InvalidParameter, match="smoothing must be a finite number above 0"):
        BernoulliNaiveBayes(smoothing=0)


def test_invalid_one_class() -> None:
    with pytest.raises(InsufficientData, match="has 1 class"):
        predicted(BernoulliNaiveBayes(), [[1.0], [0.0]], [0, 0], [[1.0]], n_classes=2)
