from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.thetahat.metrics.judged import binary, draw_judged, under
from tests.thetahat.metrics.published import NDKA, POOR_OUTCOME, S100B, SEPARATED, SEPARATING, WFNS
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.metrics.base import TruthAndPredictions
from thetahat.metrics.roc_auc import RocAuc


def naive_auc(truth: np.ndarray, scores: np.ndarray) -> float:
    """Every pair of a positive and a negative, one by one."""
    wins = [
        1.0 if x > y else 0.5 if x == y else 0.0
        for x in scores[truth == 1]
        for y in scores[truth == 0]
    ]
    return sum(wins) / len(wins)


def naive_delong(truth: np.ndarray, scores: np.ndarray) -> float:
    """Placements as means over the other class, their sample variances over the class sizes."""
    x, y = scores[truth == 1], scores[truth == 0]
    psi = (x[:, None] > y) + 0.5 * (x[:, None] == y)
    return float(psi.mean(1).var(ddof=1) / len(x) + psi.mean(0).var(ddof=1) / len(y))


@pytest.mark.outside("R package pROC, tests/testthat/test-roc.test.R: areas of aSAH")
@pytest.mark.parametrize(
    ("scores", "area"),
    [(WFNS, 0.8236788617886179), (S100B, 0.7313685636856369), (NDKA, 0.6119579945799458)],
)
def test_golden_areas_of_aneurysm_patients(scores: np.ndarray, area: float) -> None:
    # vector delong_aSAH
    statistic = RocAuc().statistic(binary(POOR_OUTCOME, scores))

    assert_allclose(statistic.value(), area, rtol=1e-15)


@pytest.mark.outside("scikit-learn 1.7 user guide, documented example of roc_auc_score: 0.75")
def test_golden_documented_example() -> None:
    assert RocAuc().statistic(binary([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])).value() == 0.75


@pytest.mark.outside(
    "issue 15 of the Python package confidenceinterval: 1, where it said 1.0000001"
)
def test_golden_perfect_separation_is_exactly_one() -> None:
    # vector auc_perfect_separation
    statistic = RocAuc().statistic(binary(SEPARATED, SEPARATING))

    assert statistic.value() == 1.0
    assert not statistic.influence().any()


@given(st.integers(0, 2**32))
def test_naive_every_pair(seed: int) -> None:
    judged = draw_judged("roc_auc", seed)
    assert judged.scores is not None

    statistic = RocAuc().statistic(judged)

    assert_allclose(statistic.value(), naive_auc(judged.truth, judged.scores), rtol=1e-13)


@given(st.integers(0, 2**32))
def test_naive_delong_is_the_influence_function_by_class(seed: int) -> None:
    judged = draw_judged("roc_auc", seed)
    assert judged.scores is not None
    metric = RocAuc()
    influence, strata = metric.statistic(judged).influence(), metric.strata(judged)
    assert strata is not None

    parts = influence / judged.n
    by_class = [parts[strata == c] for c in (0, 1)]

    assert_allclose([p.sum() for p in by_class], 0, atol=1e-14)
    assert_allclose(
        sum(len(p) / (len(p) - 1) * (p @ p) for p in by_class),
        naive_delong(judged.truth, judged.scores),
        rtol=1e-10,
    )


@settings(max_examples=20)  # the peer is slow
@given(st.integers(0, 2**32))
def test_against_sklearn_roc_auc_score(seed: int) -> None:
    from sklearn.metrics import roc_auc_score

    two, three = draw_judged("roc_auc", seed), draw_judged("roc_auc", seed, n_classes=3)
    assert three.scores is not None
    weights = np.random.default_rng(seed).integers(1, 4, two.n)
    one_column = [roc_auc_score(three.truth == c, three.scores[:, c]) for c in range(3)]

    assert_allclose(RocAuc().statistic(two).value(), roc_auc_score(two.truth, two.scores))
    assert_allclose(
        under(RocAuc().statistic(two), weights),
        roc_auc_score(two.truth, two.scores, sample_weight=weights),
    )
    assert_allclose(RocAuc().statistic(three).value(), np.mean(one_column))


def test_exact_the_area_of_the_other_class_is_the_same() -> None:
    judged = draw_judged("roc_auc", 3)

    for positive in (0, 1):
        metric = RocAuc(positive=positive)
        assert_allclose(metric.statistic(judged).value(), RocAuc().statistic(judged).value())


def test_exact_columns_of_scores_are_by_class() -> None:
    judged = draw_judged("roc_auc", 4)
    assert judged.scores is not None
    rows = TruthAndPredictions(
        task="classification",
        truth=judged.truth,
        output=judged.output,
        scores=np.column_stack([np.zeros(judged.n), judged.scores]),
        classes=("no", "yes"),
    )

    assert RocAuc(positive="yes").statistic(rows).value() == RocAuc().statistic(judged).value()
    assert RocAuc(positive="no").statistic(rows).value() == 0.5  # all scores of that class tie
    assert RocAuc().strata(draw_judged("roc_auc", 4, n_classes=3)) is None


def test_exact_strict_ties_count_nothing() -> None:
    # one positive at 1, negatives at 0 and 1: of the area's 3/4, the tie is 1/4
    judged = binary([1, 0, 0], [1, 0, 1])
    strict = RocAuc().statistic(judged).fold_influence()
    half = RocAuc(fold_ties="half").statistic(judged).fold_influence()
    assert strict is not None
    assert half is not None

    # a positive: (share of negatives below it - 3/4) / (1/3); a negative: (share above - 3/4)/(2/3)
    assert_allclose(strict, [(1 / 2 - 3 / 4) * 3, (1 - 3 / 4) * 1.5, -3 / 4 * 1.5])
    assert_allclose(half, RocAuc().statistic(judged).influence(), atol=1e-15)
    assert RocAuc().statistic(draw_judged("roc_auc", 1, n_classes=3)).fold_influence() is None


def test_degenerate_without_a_class() -> None:
    assert np.isnan(RocAuc().statistic(binary([1, 1], [0.1, 0.2])).value())
    assert np.isnan(RocAuc().statistic(binary([0, 0], [0.1, 0.2])).value())
    assert np.isnan(under(RocAuc().statistic(binary([0, 1], [0.1, 0.2])), [2, 0]))


def test_degenerate_all_scores_equal() -> None:
    statistic = RocAuc().statistic(binary([0, 1, 1], [2.0, 2.0, 2.0]))

    assert statistic.value() == 0.5
    assert not statistic.influence().any()


def test_invalid_questions() -> None:
    three = draw_judged("roc_auc", 1, n_classes=3)
    assert three.scores is not None
    two_classes = TruthAndPredictions(
        task="classification",
        truth=three.truth,
        output=three.output,
        scores=three.scores[:, 0],
        classes=three.classes,
    )
    silent = TruthAndPredictions(
        task="classification", truth=two_classes.truth, output=two_classes.output, classes=(0, 1)
    )
    narrow = TruthAndPredictions(
        task="classification",
        truth=two_classes.truth,
        output=two_classes.output,
        scores=three.scores[:, :2],
        classes=three.classes,
    )

    with pytest.raises(UnsupportedCombination, match="needs one score for each"):
        RocAuc().statistic(two_classes)
    with pytest.raises(UnsupportedCombination, match="one score a row says nothing"):
        RocAuc(positive=2).statistic(two_classes)
    with pytest.raises(UnsupportedCombination, match="there is none"):
        RocAuc().statistic(silent)
    with pytest.raises(InvalidParameter, match="3 classes and 2 columns"):
        RocAuc(positive=2).statistic(narrow)
    with pytest.raises(InvalidParameter, match="fold_ties"):
        RocAuc(fold_ties="none")
    with pytest.raises(InvalidParameter, match="'x' is not one of the classes: 0, 1"):
        RocAuc(positive="x").check((0, 1))
    with pytest.raises(InvalidParameter, match="positive"):
        RocAuc(positive="1").check((0, 1))  # a string is not the number that it spells
    with pytest.raises(UnsupportedCombination, match="the rows have one class"):
        RocAuc().check((0,))
    RocAuc().check((0, 1, 2))
