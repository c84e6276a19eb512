from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.thetahat.metrics.judged import draw_judged, labelled
from thetahat.metrics.matthews import Matthews


@pytest.mark.outside("scikit-learn 1.7, documented example of matthews_corrcoef: -0.33")
def test_golden_documented_example() -> None:
    value = Matthews().statistic(labelled([1, 1, 1, 0], [1, 0, 1, 1])).value()

    assert round(value, 2) == -0.33


@given(st.integers(0, 2**32))
def test_exact_two_classes_are_pearsons_correlation(seed: int) -> None:
    judged = draw_judged("matthews", seed)
    judged.output[:2] = (0, 1)  # both are said, so that there is a correlation

    value = Matthews().statistic(judged).value()

    assert_allclose(value, np.corrcoef(judged.truth, judged.output)[0, 1], rtol=1e-10, atol=1e-12)


@settings(max_examples=20)  # the peer is slow
@given(st.integers(0, 2**32), st.sampled_from([3, 5]))
def test_against_sklearn_matthews_corrcoef(seed: int, n_classes: int) -> None:
    from sklearn.metrics import matthews_corrcoef

    judged = draw_judged("matthews", seed, n_classes=n_classes)

    value = Matthews().statistic(judged).value()

    assert_allclose(value, matthews_corrcoef(judged.truth, judged.output), rtol=1e-10, atol=1e-12)


def test_degenerate_one_class() -> None:
    for truth, labels in (([1, 1], [0, 1]), ([0, 1], [1, 1])):
        assert np.isnan(Matthews().statistic(labelled(truth, labels)).value())
    assert Matthews().statistic(labelled([0, 1, 1], [0, 1, 1])).value() == pytest.approx(
        1, abs=1e-15
    )
    assert Matthews().strata(draw_judged("matthews", 1)) is None
    Matthews().check((0,))
