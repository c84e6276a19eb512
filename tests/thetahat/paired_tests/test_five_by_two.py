"""five_by_two_t, five_by_two_f and bouckaert_frank_t."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.paired_tests.pairs import (
    assert_close,
    codes,
    five_by_two_pair,
    rng_of,
    scores_pair,
)
from tests.thetahat.paired_tests.test_t_tests import LINEAR, RBF, steps
from thetahat.paired_tests.base import PairedLosses
from thetahat.paired_tests.bouckaert_frank_t import BouckaertFrankT
from thetahat.paired_tests.five_by_two_f import FiveByTwoF
from thetahat.paired_tests.five_by_two_t import FiveByTwoT
from thetahat.paired_tests.nadeau_bengio_t import NadeauBengioT
from thetahat.values.types import Alternative

TWO, LESS, GREATER = Alternative.TWO_SIDED, Alternative.LESS, Alternative.GREATER

# rasbt/mlxtend 0.25.0, logistic regression against a stump and against a tree on iris: differences
# of accuracies in halves of 75, as counts
STUMP = [24, 26, 26, 20, 25, 33, 24, 25, 24, 26]
TREE = [0, 0, 3, -2, 1, 2, 1, 2, 1, 5]


def counts_pair(counts: list[int]) -> PairedLosses:
    return scores_pair(np.array(counts) / 75, np.zeros(10), n_train=75, n_test=75, n_repeats=5)


@pytest.mark.outside("mlxtend test_paired_ttest_5x2cv.py (7.269, 0.001), all digits from 0.25.0")
@pytest.mark.about("paired_tests/five_by_two_t", "paired_tests/five_by_two_f")
def test_golden_mlxtend_stump() -> None:
    # vector mlxtend_5x2cv_iris_lr_stump
    t = FiveByTwoT().test(counts_pair(STUMP), TWO, rng_of())
    f = FiveByTwoF().test(counts_pair(STUMP), TWO, rng_of())

    assert_close(t.statistic, 7.269390393784586, rtol=1e-10)
    assert_close(t.p_value, 0.0007701198372066765, rtol=1e-10)
    assert t.degrees_of_freedom == 5
    assert_close(f.statistic, 59.587155963302656, rtol=1e-10)
    assert_close(f.p_value, 0.00014469995171312574, rtol=1e-10)
    assert f.degrees_of_freedom == (10, 5)


@pytest.mark.outside("mlxtend test_combined_ftest_5x2cv.py (1.14, 0.47) and t 0.0, p 1.0")
@pytest.mark.about("paired_tests/five_by_two_t", "paired_tests/five_by_two_f")
def test_golden_mlxtend_tree() -> None:
    # the first difference is 0, and so is t: it looks at one split of ten
    # vector mlxtend_5x2cv_iris_lr_tree
    t = FiveByTwoT().test(counts_pair(TREE), TWO, rng_of())
    f = FiveByTwoF().test(counts_pair(TREE), TWO, rng_of())

    assert (t.statistic, t.p_value) == (0, 1)
    assert_close(f.statistic, 1.1395348837209296, rtol=1e-10)
    assert_close(f.p_value, 0.4704629478124442, rtol=1e-10)


@pytest.mark.outside("scikit-learn 1.9.1 plot_grid_search_stats.py: prints 0.750 and 0.227")
@pytest.mark.about("paired_tests/bouckaert_frank_t")
def test_golden_sklearn_ten_times_ten_folds() -> None:
    pair = scores_pair(steps(RBF), steps(LINEAR), n_train=90, n_test=10, n_repeats=10)

    outcome = BouckaertFrankT().test(pair, GREATER, rng_of())

    assert_close(outcome.statistic, 0.7503126954482318, rtol=1e-9)
    assert_close(outcome.p_value, 0.2274229710133665, rtol=1e-9)
    assert outcome.degrees_of_freedom == 99
    assert codes(outcome.cautions) == set()


@pytest.mark.about("paired_tests/bouckaert_frank_t")
def test_exact_bouckaert_frank_t_is_nadeau_bengio_t_of_the_same_splits() -> None:
    rng = np.random.default_rng(55)
    pair = five_by_two_pair(rng.random((10, 6)), rng.random((10, 6)))

    ours, other = (m.test(pair, LESS, rng_of()) for m in (BouckaertFrankT(), NadeauBengioT()))

    assert (ours.statistic, ours.p_value) == (other.statistic, other.p_value)
    assert ours.degrees_of_freedom == 9


@pytest.mark.about("paired_tests/five_by_two_t", "paired_tests/five_by_two_f")
def test_exact_t_depends_on_the_order_and_f_does_not() -> None:
    moved = counts_pair([*TREE[2:], *TREE[:2]])
    t, f = FiveByTwoT().test(moved, TWO, rng_of()), FiveByTwoF().test(moved, TWO, rng_of())

    # s_i^2 75^2: gaps 0, 5, 1, 1, 4: (25 + 1 + 1 + 16)/2 = 21.5; t = 3/sqrt(21.5/5)
    assert_close(t.statistic, 3 / math.sqrt(4.3), rtol=1e-12)
    assert "order_dependent" in codes(t.cautions)
    assert_close(f.statistic, 1.1395348837209296, rtol=1e-10)
    assert "order_dependent" not in codes(f.cautions)
    assert t.unit == f.unit == "block"


@pytest.mark.parametrize("method", [FiveByTwoT(), FiveByTwoF()])
@pytest.mark.parametrize(("count", "p_value"), [(0, 1.0), (4, None)])
def test_degenerate_equal_halves(
    method: FiveByTwoT | FiveByTwoF, count: int, p_value: float | None
) -> None:
    outcome = method.test(counts_pair([count] * 10), TWO, rng_of())

    assert outcome.statistic is None
    assert outcome.p_value == p_value
    assert [c.code for c in outcome.cautions].count("zero_variance") == 1


def test_degenerate_f_has_no_direction() -> None:
    outcome = FiveByTwoF().test(counts_pair(STUMP), LESS, rng_of())

    assert outcome.statistic is not None
    assert outcome.p_value is None
    assert "no_direction" in codes(outcome.cautions)


@pytest.mark.parametrize("scale", [2.0**400, 2.0**-400])
def test_degenerate_far_scales_change_nothing(scale: float) -> None:
    pair = scores_pair(scale * np.array(TREE), np.zeros(10), n_train=75, n_test=75, n_repeats=5)

    outcome = FiveByTwoF().test(pair, TWO, rng_of())

    assert_close(outcome.statistic, 1.1395348837209296, rtol=1e-10)


def rejections(method: FiveByTwoT | FiveByTwoF | BouckaertFrankT, draws: np.ndarray) -> float:
    repeats, folds = draws.shape[1:]
    zeros = np.zeros(repeats * folds)
    p_values = [
        method.test(
            scores_pair(row.ravel(), zeros, n_train=folds - 1, n_test=1, n_repeats=repeats),
            TWO,
            rng_of(),
        ).p_value
        for row in draws
    ]
    return float(np.mean([p is not None and p < 0.05 for p in p_values]))


@pytest.mark.calibration
@pytest.mark.about("paired_tests/five_by_two_t", "paired_tests/five_by_two_f")
def test_calibrated_size_of_the_5x2_tests() -> None:
    """Below .05 where the ten differences are independent, above it where they share a part.

    The printed formulas on 4 million draws of numpy, with their 5% points, reject .0282 (t) and
    .0175 (F) of independent differences: p_11 and s_1 are of the same split. A part in common to
    all splits, of half the variance, is in no s_i: F then rejects .0769.
    """
    rng, reps = np.random.default_rng(56), 1000
    own = rng.standard_normal((reps, 5, 2))
    common = math.sqrt(0.5) * rng.standard_normal((reps, 1, 1))

    for rate, size in (
        (rejections(FiveByTwoT(), own), 0.0282),
        (rejections(FiveByTwoF(), own), 0.0175),
        (rejections(FiveByTwoF(), own + common), 0.0769),
    ):
        assert abs(rate - size) < 5 * math.sqrt(size * (1 - size) / reps)


@pytest.mark.calibration
@pytest.mark.about("paired_tests/bouckaert_frank_t")
def test_calibrated_size_of_bouckaert_frank_t() -> None:
    """At .05 where every two splits correlate by 1/k; liberal where they correlate by more."""
    rng, reps, k, r = np.random.default_rng(57), 1000, 10, 3
    common, own = rng.standard_normal((2, reps, 1, 1)), rng.standard_normal((reps, r, k))
    error = math.sqrt(0.05 * 0.95 / reps)

    size = rejections(BouckaertFrankT(), math.sqrt(0.1) * common[0] + math.sqrt(0.9) * own)
    more = rejections(BouckaertFrankT(), math.sqrt(0.3) * common[1] + math.sqrt(0.7) * own)

    assert abs(size - 0.05) < 5 * error  # fails for 1 seed in 1.7 million
    # t times sqrt((1/30 + 3/7)/(1/30 + 1/9)) = 1.788: P(|t_29| > 2.0452/1.788) = .262
    assert_allclose(more, 0.262, atol=5 * math.sqrt(0.262 * 0.738 / reps))
