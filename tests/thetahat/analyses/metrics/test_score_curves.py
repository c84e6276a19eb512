"""The points of ROC curves and reliability diagrams."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.metrics import roc_auc_score, roc_curve

from thetahat.analyses.metrics.score_curves import MAX_POINTS, compute_roc, describe_scores
from thetahat.metrics.base import TruthAndPredictions


def judged(scores: np.ndarray, truth: np.ndarray) -> TruthAndPredictions:
    """Return predictions of two classes."""
    return TruthAndPredictions(
        task="classification",
        truth=truth,
        output=(scores > 0.5).astype(int),
        scores=scores,
        classes=("no", "yes"),
    )


def test_by_hand_four_scores_with_a_tie() -> None:
    # descending: 0.9 yes; 0.6 yes and no (a tie); 0.1 no
    curve = compute_roc(np.array([0.6, 0.9, 0.1, 0.6]), np.array([True, True, False, False]))

    assert curve.false_positive_rate.tolist() == [0.0, 0.0, 0.5, 1.0]
    assert curve.true_positive_rate.tolist() == [0.0, 0.5, 1.0, 1.0]
    assert (curve.positives, curve.negatives) == (2, 2)


@pytest.mark.parametrize("decimals", [1, 8])
def test_against_sklearn_the_curve_and_its_area(decimals: int) -> None:
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, 90)
    scores = np.round(rng.normal(truth, 1.2), decimals)

    curve = compute_roc(scores, truth == 1)

    false, true, _ = roc_curve(truth, scores, drop_intermediate=False)
    assert_allclose(curve.false_positive_rate, false)
    assert_allclose(curve.true_positive_rate, true)
    area = np.trapezoid(curve.true_positive_rate, curve.false_positive_rate)
    assert area == pytest.approx(roc_auc_score(truth, scores))


def test_limit_a_long_curve_keeps_its_ends_and_nearly_its_area() -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 20_000)
    scores = rng.normal(truth, 1.0)

    curve = compute_roc(scores, truth == 1)

    assert len(curve.true_positive_rate) == MAX_POINTS
    assert curve.true_positive_rate[[0, -1]].tolist() == [0.0, 1.0]
    area = np.trapezoid(curve.true_positive_rate, curve.false_positive_rate)
    assert area == pytest.approx(roc_auc_score(truth, scores), abs=2e-4)


def test_naive_groups_have_the_shares_of_their_rows() -> None:
    rng = np.random.default_rng(9)
    scores = np.round(rng.uniform(size=237), 2)
    truth = (rng.uniform(size=237) < scores**2).astype(int)

    curves = describe_scores(judged(scores, truth), np.arange(237), 0.9)

    assert curves is not None
    assert curves.positive_class == "yes"
    assert curves.reliability is not None
    assert sum(group.n for group in curves.reliability) == 237
    ordered = np.sort(scores)
    start = 0
    for group in curves.reliability:
        inside = ordered[start : start + group.n]
        rows = (scores >= inside[0]) & (scores <= inside[-1])
        assert rows.sum() == group.n  # equal scores are in one group
        assert group.mean_score == pytest.approx(scores[rows].mean())
        assert group.share == pytest.approx(truth[rows].mean())
        test = stats.binomtest(int(truth[rows].sum()), group.n)
        expected = test.proportion_ci(confidence_level=0.9, method="wilson")
        assert (group.lower, group.upper) == pytest.approx((expected.low, expected.high))
        start += group.n


def test_degenerate_no_curves_of_one_class_and_no_reliability_of_other_scores() -> None:
    scores = np.array([-1.0, 0.3, 2.0])

    assert describe_scores(judged(scores, np.ones(3, dtype=int)), np.arange(3), 0.95) is None
    curves = describe_scores(judged(scores, np.array([0, 1, 1])), np.arange(3), 0.95)
    assert curves is not None
    assert curves.reliability is None
