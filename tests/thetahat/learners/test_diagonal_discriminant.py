from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.learners.fits import predicted, probabilities
from thetahat.errors import InsufficientData
from thetahat.learners.diagonal_discriminant import DiagonalDiscriminant
from thetahat.learners.linear_discriminant import LinearDiscriminant


def test_by_hand_two_features() -> None:
    # variances within 4/4 and 16/4; means (1, 2) and (5, 2): the second says nothing at all, the
    # first gives log odds 12 - 4x
    X = [[0.0, 0.0], [2.0, 4.0], [4.0, 4.0], [6.0, 0.0]]
    predictions = predicted(DiagonalDiscriminant(), X, [0, 0, 1, 1], [[2.0, 9.0]], n_classes=2)

    assert_allclose(probabilities(predictions)[0, 0], 1 / (1 + math.exp(-4)), rtol=1e-14)


@pytest.mark.outside("scikit-learn GaussianNB with its variances set to the pooled ones, run here")
@pytest.mark.parametrize("name", ["iris", "wine"])
def test_against_sklearn_gaussian_naive_bayes_with_pooled_variances(name: str) -> None:
    from sklearn import datasets
    from sklearn.naive_bayes import GaussianNB

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    theirs = GaussianNB(var_smoothing=0).fit(X, y)
    pooled = (theirs.var_ * theirs.class_count_[:, None]).sum(axis=0) / len(y)
    theirs.var_[:] = pooled

    predictions = predicted(DiagonalDiscriminant(), X, y, X, n_classes=3)

    assert_allclose(probabilities(predictions), theirs.predict_proba(X), rtol=1e-9, atol=1e-12)


def test_exact_of_one_feature_it_is_linear_discriminant_analysis() -> None:
    rng = np.random.default_rng(20_261_204)
    X, y, w = rng.normal(size=(30, 1)), rng.integers(0, 3, 30), rng.exponential(size=30)

    ours = predicted(DiagonalDiscriminant(), X, y, X, weights=w, n_classes=3)
    full = predicted(LinearDiscriminant(), X, y, X, weights=w, n_classes=3)

    assert_allclose(probabilities(ours), probabilities(full), rtol=1e-12)


def test_degenerate_a_constant_feature_counts_for_nothing() -> None:
    rng = np.random.default_rng(20_261_205)
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    more = np.column_stack([X, np.full(30, 0.1)])

    predictions = predicted(DiagonalDiscriminant(), more, y, more, n_classes=2)

    less = predicted(DiagonalDiscriminant(), X, y, X, n_classes=2)
    assert_allclose(probabilities(predictions), probabilities(less), rtol=1e-12)


def test_invalid_no_more_rows_than_classes() -> None:
    with pytest.raises(InsufficientData, match="No feature varies within"):
        predicted(DiagonalDiscriminant(), [[0.0], [1.0]], [0, 1], [[0.0]], n_classes=2)
