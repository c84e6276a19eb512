from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.thetahat.metrics.judged import draw_judged, labelled
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.metrics.specificity import Specificity


@pytest.mark.outside(
    "imbalanced-learn 0.13, documented example of specificity_score: 0.75, 0.5, 0.75"
)
def test_golden_documented_example() -> None:
    judged = labelled([0, 1, 2, 0, 1, 2], [0, 2, 1, 0, 0, 1], 3)

    each = [Specificity(positive=c).statistic(judged).value() for c in range(3)]

    assert_allclose(each, [0.75, 0.5, 0.75], atol=1e-15)


def test_by_hand_specificity() -> None:
    # not positive: rows 3, 4, 6, 8 and 9, of which all but rows 4 and 9 are predicted so
    judged = labelled([1, 1, 1, 0, 0, 1, 0, 1, 0, 0], [1, 0, 1, 0, 1, 1, 0, 1, 0, 1])

    assert_allclose(Specificity().statistic(judged).value(), 3 / 5, rtol=1e-15)


@given(st.integers(0, 2**32))
def test_exact_the_variance_is_that_of_a_share(seed: int) -> None:
    """p (1 - p) over the number of rows that are not positive."""
    judged = draw_judged("specificity", seed)
    share = float((judged.output[judged.truth == 0] == 0).mean())
    negative = int((judged.truth == 0).sum())

    influence = Specificity().statistic(judged).influence()

    assert_allclose(
        (influence**2).mean() / judged.n, share * (1 - share) / negative, rtol=1e-12, atol=1e-15
    )


@settings(max_examples=20)  # the peer is slow
@given(st.integers(0, 2**32), st.sampled_from([2, 3, 5]))
def test_against_sklearn_recall_of_the_other_classes(seed: int, n_classes: int) -> None:
    from sklearn.metrics import recall_score

    judged = draw_judged("specificity", seed, n_classes=n_classes)
    for c in range(n_classes):
        value = Specificity(positive=c).statistic(judged).value()
        others = recall_score(judged.truth != c, judged.output != c)
        assert_allclose(value, others, rtol=1e-12)


def test_degenerate_every_row_is_positive() -> None:
    assert np.isnan(Specificity().statistic(labelled([1, 1], [0, 1])).value())


def test_exact_the_influence_averages_to_zero_in_each_stratum() -> None:
    judged = draw_judged("specificity", 1, n_classes=3)
    metric = Specificity(positive=2)
    strata, influence = metric.strata(judged), metric.statistic(judged).influence()

    assert strata is not None
    assert_allclose([influence[strata == s].mean() for s in (0, 1)], [0, 0], atol=1e-12)


def test_invalid_positive_classes() -> None:
    with pytest.raises(UnsupportedCombination, match=r"3 classes\. Name it as positive"):
        Specificity().check((0, 1, 2))
    with pytest.raises(InvalidParameter, match="not one of the classes"):
        Specificity(positive="x").check((0, 1))
    Specificity(positive=2).check((0, 1, 2))
