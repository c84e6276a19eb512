from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.thetahat.metrics.judged import draw_judged, labelled
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.metrics.precision import Precision


@pytest.mark.outside("scikit-learn 1.7, documented example of precision_score: 0.66..., 0, 0")
def test_golden_documented_example() -> None:
    judged = labelled([0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1], 3)

    each = [Precision(positive=c).statistic(judged).value() for c in range(3)]

    assert_allclose(each, [2 / 3, 0, 0], atol=1e-15)


def test_by_hand_precision() -> None:
    # predicted positive: rows 0, 2, 4, 5, 7 and 9, of which 0, 2, 5 and 7 are positive
    judged = labelled([1, 1, 1, 0, 0, 1, 0, 1, 0, 0], [1, 0, 1, 0, 1, 1, 0, 1, 0, 1])

    assert_allclose(Precision().statistic(judged).value(), 4 / 6, rtol=1e-15)


@given(st.integers(0, 2**32))
def test_exact_the_variance_is_that_of_a_share(seed: int) -> None:
    """p (1 - p) over the number of rows that are called positive."""
    judged = draw_judged("precision", seed)
    judged.output[:2] = (0, 1)
    share = float(judged.truth[judged.output == 1].mean())
    called = int((judged.output == 1).sum())

    influence = Precision().statistic(judged).influence()

    assert_allclose(
        (influence**2).mean() / judged.n, share * (1 - share) / called, rtol=1e-12, atol=1e-15
    )


@settings(max_examples=20)  # the peer is slow
@given(st.integers(0, 2**32), st.sampled_from([2, 3, 5]))
def test_against_sklearn_precision_score(seed: int, n_classes: int) -> None:
    from sklearn.metrics import precision_score

    judged = draw_judged("precision", seed, n_classes=n_classes)
    judged.output[:n_classes] = np.arange(n_classes)
    each = [Precision(positive=c).statistic(judged).value() for c in range(n_classes)]

    assert_allclose(each, precision_score(judged.truth, judged.output, average=None), rtol=1e-12)


def test_degenerate_no_row_is_called_positive() -> None:
    assert np.isnan(Precision().statistic(labelled([0, 1], [0, 0])).value())
    assert Precision().strata(draw_judged("precision", 1)) is None


def test_invalid_positive_classes() -> None:
    with pytest.raises(UnsupportedCombination, match=r"3 classes\. Name it as positive"):
        Precision().check((0, 1, 2))
    with pytest.raises(InvalidParameter, match="not one of the classes"):
        Precision(positive="x").check((0, 1))
    Precision(positive=2).check((0, 1, 2))
