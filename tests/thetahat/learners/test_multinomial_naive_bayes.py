from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.learners.china import ABOUT_CHINA, DOCUMENTS, TEST
from tests.thetahat.learners.fits import predicted, probabilities, table
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.learners.multinomial_naive_bayes import MultinomialNaiveBayes


@pytest.mark.outside("manning2008, Example 13.1: the document is about China")
def test_golden_the_textbook_example() -> None:
    predictions = predicted(MultinomialNaiveBayes(), DOCUMENTS, ABOUT_CHINA, TEST, n_classes=2)

    # manning2008: 3/4 (3/7)^3 1/14 1/14 against 1/4 (2/9)^3 2/9 2/9; China wins
    china = 3 / 4 * (3 / 7) ** 3 / 14**2
    other = 1 / 4 * (2 / 9) ** 5
    assert_array_equal(predictions.output, [1])
    assert_allclose(probabilities(predictions)[0, 1], china / (china + other), rtol=1e-13)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("smoothing", [1.0, 0.1])
def test_against_sklearn_on_digits(smoothing: float, *, weighted: bool) -> None:
    from sklearn.datasets import load_digits
    from sklearn.naive_bayes import MultinomialNB

    X, y = load_digits(return_X_y=True)
    w = np.random.default_rng(20_261_116).exponential(size=len(y)) if weighted else None
    w = None if w is None else w[:1200]

    learner = MultinomialNaiveBayes(smoothing=smoothing)
    predictions = predicted(learner, X[:1200], y[:1200], X[1200:], weights=w, n_classes=10)

    theirs = MultinomialNB(alpha=smoothing).fit(X[:1200], y[:1200], w)
    assert_array_equal(predictions.output, theirs.predict(X[1200:]))
    assert_allclose(probabilities(predictions), theirs.predict_proba(X[1200:]), rtol=1e-10)


def test_exact_weight_two_is_the_row_twice() -> None:
    rng = np.random.default_rng(20_261_117)
    X, y, w = rng.poisson(2, (30, 4)), rng.integers(0, 3, 30), rng.integers(1, 4, 30)

    weighted = predicted(MultinomialNaiveBayes(), X, y, X, weights=w.astype(float), n_classes=3)
    repeated = predicted(
        MultinomialNaiveBayes(), np.repeat(X, w, axis=0), np.repeat(y, w), X, n_classes=3
    )

    assert_allclose(probabilities(weighted), probabilities(repeated), rtol=1e-12)


def test_degenerate_absent_class_has_probability_zero() -> None:
    predictions = predicted(
        MultinomialNaiveBayes(), [[1.0, 0], [0, 1]], [0, 3], [[0.0, 5]], n_classes=4
    )

    assert probabilities(predictions).shape == (1, 4)
    assert_array_equal(probabilities(predictions)[0, 1:3], [0.0, 0.0])
    assert_array_equal(predictions.output, [3])


def test_degenerate_class_without_weight_is_absent() -> None:
    X, y = [[1.0, 0], [0, 1], [1, 1]], [0, 1, 2]

    predictions = predicted(MultinomialNaiveBayes(), X, y, X, weights=[1.0, 1.0, 0.0], n_classes=3)

    assert_array_equal(probabilities(predictions)[:, 2], [0.0, 0.0, 0.0])


def test_degenerate_thousands_of_words_do_not_underflow() -> None:
    predictions = predicted(
        MultinomialNaiveBayes(), [[1.0, 0], [0, 1]], [0, 1], [[1e5, 0.0]], n_classes=2
    )

    assert_array_equal(probabilities(predictions), [[1.0, 0.0]])


@pytest.mark.parametrize("smoothing", [0.0, -1.0, math.nan, math.inf])
def test_invalid_smoothing(smoothing: float) -> None:
    with pytest.raises(
        InvalidParameter, match="smoothing must be a finite number above 0"
    ) as caught:
        MultinomialNaiveBayes(smoothing=smoothing)

    assert caught.value.loc == ("smoothing",)


def test_invalid_negative_count_names_column_and_row() -> None:
    features = table([[1.0, 2.0], [3.0, -4.0], [0.0, 0.0]]).rows(np.array([2, 1]))

    with pytest.raises(InvalidParameter, match=r"column 'x1' is -4\.0 in row 1\. gaussian") as e:
        MultinomialNaiveBayes().fit(
            features, np.array([0, 1]), weights=None, n_classes=2, rng=np.random.default_rng(0)
        )
    assert e.value.loc == ("columns", "features", "x1", 1)


def test_invalid_negative_count_at_prediction() -> None:
    with pytest.raises(InvalidParameter, match="takes counts"):
        predicted(MultinomialNaiveBayes(), [[1.0], [2.0]], [0, 1], [[-1.0]], n_classes=2)


@pytest.mark.parametrize("weights", [None, [1.0, 1.0], [2.0, 0.0]])
def test_invalid_one_class(weights: list[float] | None) -> None:
    y = [1, 1] if weights != [2.0, 0.0] else [0, 1]

    with pytest.raises(InsufficientData, match="The training part has 1 class"):
        predicted(MultinomialNaiveBayes(), [[1.0], [2.0]], y, [[1.0]], weights=weights, n_classes=2)
