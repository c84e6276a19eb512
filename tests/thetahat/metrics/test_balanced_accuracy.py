from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.thetahat.metrics.judged import draw_judged, labelled
from thetahat.metrics.balanced_accuracy import BalancedAccuracy


@pytest.mark.outside("scikit-learn 1.7, documented example of balanced_accuracy_score: 0.625")
def test_golden_documented_example() -> None:
    judged = labelled([0, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1])

    assert BalancedAccuracy().statistic(judged).value() == 0.625


@settings(max_examples=20)  # the peer is slow
@given(st.integers(0, 2**32), st.sampled_from([2, 3, 5]))
def test_against_sklearn_balanced_accuracy_score(seed: int, n_classes: int) -> None:
    from sklearn.metrics import balanced_accuracy_score

    judged = draw_judged("balanced_accuracy", seed, n_classes=n_classes)

    value = BalancedAccuracy().statistic(judged).value()

    assert_allclose(value, balanced_accuracy_score(judged.truth, judged.output))


def test_exact_variance_is_that_of_independent_shares() -> None:
    judged = draw_judged("balanced_accuracy", 5, n=60)
    right = judged.truth == judged.output
    parts = BalancedAccuracy().statistic(judged).influence() / judged.n

    by_hand = 0.0
    for c in (0, 1):
        share, size = right[judged.truth == c].mean(), (judged.truth == c).sum()
        by_hand += share * (1 - share) / size / 4

    assert_allclose(parts @ parts, by_hand, rtol=1e-12)
    for c in (0, 1):
        assert_allclose(parts[judged.truth == c].sum(), 0, atol=1e-14)


def test_degenerate_classes_that_do_not_occur() -> None:
    metric = BalancedAccuracy()

    assert np.isnan(metric.statistic(labelled([1, 1], [1, 0])).value())
    assert metric.statistic(labelled([0, 1, 1], [0, 1, 0], 3)).value() == 0.75
    assert np.isfinite(metric.statistic(labelled([0, 1, 1], [0, 1, 0], 3)).influence()).all()
    metric.check((0,))
