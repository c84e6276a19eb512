from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.thetahat.metrics.judged import draw_judged, labelled
from thetahat.metrics.cohen_kappa import CohenKappa


@pytest.mark.outside("scikit-learn 1.7, documented example of cohen_kappa_score: 0.6875")
def test_golden_documented_example() -> None:
    # negative, neutral and positive are 0, 1 and 2
    judged = labelled([0, 2, 0, 1, 2], [0, 2, 0, 1, 0], 3)

    assert_allclose(CohenKappa().statistic(judged).value(), 0.6875, rtol=1e-12)


@given(st.integers(0, 2**32), st.sampled_from([2, 3]))
def test_naive_the_variance_is_that_of_fleiss_cohen_and_everitt(seed: int, n_classes: int) -> None:
    """Their equation for the standard error of kappa, as a sum over cells."""
    judged = draw_judged("cohen_kappa", seed, n_classes=n_classes)
    p = np.zeros((n_classes, n_classes))
    np.add.at(p, (judged.truth, judged.output), 1 / judged.n)
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    observed, expected = float(np.trace(p)), float(rows @ columns)
    total = 0.0
    for i in range(n_classes):
        total += p[i, i] * ((1 - expected) - (rows[i] + columns[i]) * (1 - observed)) ** 2
        for j in range(n_classes):
            if i != j:
                total += (1 - observed) ** 2 * p[i, j] * (columns[i] + rows[j]) ** 2
    total -= (observed * expected - 2 * expected + observed) ** 2

    influence = CohenKappa().statistic(judged).influence()

    theirs = total / (judged.n * (1 - expected) ** 4)
    assert_allclose((influence**2).mean() / judged.n, theirs, rtol=1e-9, atol=1e-14)


@settings(max_examples=20)  # the peer is slow
@given(st.integers(0, 2**32), st.sampled_from([2, 3, 5]))
def test_against_sklearn_cohen_kappa_score(seed: int, n_classes: int) -> None:
    from sklearn.metrics import cohen_kappa_score

    judged = draw_judged("cohen_kappa", seed, n_classes=n_classes)

    value = CohenKappa().statistic(judged).value()

    assert_allclose(value, cohen_kappa_score(judged.truth, judged.output), rtol=1e-10, atol=1e-12)


def test_degenerate_one_class() -> None:
    assert np.isnan(CohenKappa().statistic(labelled([1, 1], [1, 1])).value())
    assert CohenKappa().statistic(labelled([1, 1], [0, 1])).value() == 0
    assert CohenKappa().statistic(labelled([0, 1, 1], [0, 1, 1])).value() == pytest.approx(1)
    assert CohenKappa().strata(draw_judged("cohen_kappa", 1)) is None
