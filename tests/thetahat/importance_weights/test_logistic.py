from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.importance_weights.samples import rng, shifted
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.importance_weights import Samples
from thetahat.importance_weights.logistic import Logistic

# source 0, 0, 0, 1; target 0, 1, 1, 1: the odds of being a target row are 1/3 at 0 and 3 at 1
BITS = Samples(np.array([[0.0], [0], [0], [1]]), np.array([[0.0], [1], [1], [1]]))


# By hand, beside BITS.
def test_by_hand_a_feature_of_two_values() -> None:
    estimate = Logistic(penalty=0).estimate(BITS, rng())

    assert_allclose(estimate.values, [1 / 3, 1 / 3, 1 / 3, 3.0], rtol=1e-7)
    assert estimate.target_values is not None
    assert_allclose(estimate.target_values, [1 / 3, 3.0, 3.0, 3.0], rtol=1e-7)


def test_by_hand_the_sizes_of_the_samples_are_corrected_for() -> None:
    more = Samples(BITS.source, np.tile(BITS.target, (5, 1)))

    assert_allclose(
        Logistic(penalty=0).estimate(more, rng()).values, [1 / 3] * 3 + [3.0], rtol=1e-7
    )


@pytest.mark.parametrize("penalty", [0.5, 1.0, 30.0])
def test_against_sklearn_logistic_regression(penalty: float) -> None:
    from sklearn.linear_model import LogisticRegression

    samples = shifted(60, 90, 3, seed=1)
    pooled = np.concatenate([samples.source, samples.target])
    standard = (pooled - pooled.mean(axis=0)) / pooled.std(axis=0)
    y = np.repeat([0, 1], [60, 90])
    peer = LogisticRegression(C=1 / penalty, tol=1e-10, max_iter=10_000).fit(standard, y)
    p = peer.predict_proba(standard)[:60, 1]

    estimate = Logistic(penalty=penalty).estimate(samples, rng())

    assert_allclose(estimate.values, 60 / 90 * p / (1 - p), rtol=1e-5)


def test_exact_the_score_is_zero() -> None:
    """At the minimum as many target rows are expected as there are."""
    samples = shifted(50, 80, seed=2)
    estimate = Logistic().estimate(samples, rng())
    assert estimate.target_values is not None
    odds = np.concatenate([estimate.values, estimate.target_values]) * 80 / 50

    assert_allclose((odds / (1 + odds)).sum(), 80, rtol=1e-8)


def test_limit_the_true_ratio_of_two_normals_of_one_variance() -> None:
    samples = shifted(100_000, 100_000, scale=1.0, seed=3)
    estimate = Logistic(penalty=0).estimate(samples, rng()).values

    # log ratio x + 1/2
    assert_allclose(np.log(estimate), samples.source[:, 0] + 0.5, atol=0.1)


def test_degenerate_samples_that_a_line_separates() -> None:
    samples = shifted(20, 20)
    apart = Samples(samples.source - 30, samples.target)

    with pytest.raises(InsufficientData, match="a hyperplane separates the samples"):
        Logistic(penalty=0).estimate(apart, rng())
    assert Logistic().estimate(apart, rng()).values.max() < 1


def test_degenerate_dependent_and_constant_features() -> None:
    samples = shifted(30, 30)
    wide = [
        np.column_stack([x, x[:, 0], np.full(len(x), 2.0)])
        for x in (samples.source, samples.target)
    ]

    with pytest.raises(InsufficientData, match="features are linearly dependent"):
        Logistic(penalty=0).estimate(Samples(*wide), rng())
    assert Logistic().estimate(Samples(*wide), rng()).values.min() > 0
    flat = np.ones((4, 1))
    assert_allclose(Logistic().estimate(Samples(flat, flat), rng()).values, np.ones(4))


def test_invalid_penalty() -> None:
    with pytest.raises(InvalidParameter, match="penalty must be a finite number of at least 0"):
        Logistic(penalty=float("nan"))
