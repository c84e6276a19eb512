from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.thetahat.metrics.judged import draw_judged, labelled
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.metrics.recall import Recall


@pytest.mark.outside("scikit-learn 1.7, documented example of recall_score: 1, 0, 0")
def test_golden_documented_example() -> None:
    judged = labelled([0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1], 3)

    each = [Recall(positive=c).statistic(judged).value() for c in range(3)]

    assert_allclose(each, [1, 0, 0], atol=1e-15)


def test_by_hand_recall() -> None:
    # positive: rows 0, 1, 2, 5 and 7, of which all but row 1 are predicted positive
    judged = labelled([1, 1, 1, 0, 0, 1, 0, 1, 0, 0], [1, 0, 1, 0, 1, 1, 0, 1, 0, 1])

    assert_allclose(Recall().statistic(judged).value(), 4 / 5, rtol=1e-15)


@given(st.integers(0, 2**32))
def test_exact_the_variance_is_that_of_a_share(seed: int) -> None:
    """p (1 - p) over the number of positive rows."""
    judged = draw_judged("recall", seed)
    share = float(judged.output[judged.truth == 1].mean())
    positive = int((judged.truth == 1).sum())

    influence = Recall().statistic(judged).influence()

    assert_allclose(
        (influence**2).mean() / judged.n, share * (1 - share) / positive, rtol=1e-12, atol=1e-15
    )


@settings(max_examples=20)  # the peer is slow
@given(st.integers(0, 2**32), st.sampled_from([2, 3, 5]))
def test_against_sklearn_recall_score(seed: int, n_classes: int) -> None:
    from sklearn.metrics import recall_score

    judged = draw_judged("recall", seed, n_classes=n_classes)
    each = [Recall(positive=c).statistic(judged).value() for c in range(n_classes)]

    assert_allclose(each, recall_score(judged.truth, judged.output, average=None), rtol=1e-12)


def test_degenerate_no_row_is_positive() -> None:
    assert np.isnan(Recall().statistic(labelled([0, 0], [0, 1])).value())


def test_exact_the_influence_averages_to_zero_in_each_stratum() -> None:
    judged = draw_judged("recall", 1, n_classes=3)
    metric = Recall(positive=2)
    strata, influence = metric.strata(judged), metric.statistic(judged).influence()

    assert strata is not None
    assert_allclose([influence[strata == s].mean() for s in (0, 1)], [0, 0], atol=1e-12)


def test_invalid_positive_classes() -> None:
    with pytest.raises(UnsupportedCombination, match=r"3 classes\. Name it as positive"):
        Recall().check((0, 1, 2))
    with pytest.raises(InvalidParameter, match="not one of the classes"):
        Recall(positive="x").check((0, 1))
    Recall(positive=2).check((0, 1, 2))
