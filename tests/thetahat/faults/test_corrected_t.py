"""Faults of other packages in corrected resampled t tests."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import stdtr

from tests.service.kinds.run_requests import run_kind
from tests.thetahat.paired_tests.pairs import assert_close, rng_of, scores_pair
from tests.thetahat.paired_tests.test_t_tests import BOSTON
from thetahat.errors import EvaluationError
from thetahat.paired_tests.base import PairedLosses
from thetahat.paired_tests.bouckaert_frank_t import BouckaertFrankT
from thetahat.paired_tests.nadeau_bengio_t import NadeauBengioT
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout, build_score_layout
from thetahat.values.types import Alternative, BlockKind
from thetahat.values.words import choose_words
from thetahat_service.errors import InvalidRequest

TWO, LESS, GREATER = Alternative.TWO_SIDED, Alternative.LESS, Alternative.GREATER

MEAN, SD = float(np.mean(BOSTON)), float(np.std(BOSTON, ddof=1))
FACTOR = 1 / 10 + 1 / 9  # ten folds: 1/J + n_test/n_train


def boston() -> PairedLosses:
    return scores_pair(BOSTON, [0.0] * 10, n_train=90, n_test=10)


def repeated(n_repeats: int) -> PairedLosses:
    j = 10 * n_repeats
    return scores_pair(np.resize(BOSTON, j), [0.0] * j, n_train=90, n_test=10, n_repeats=n_repeats)


@pytest.mark.outside("mlxtend's ten differences, corrected (vector mlxtend_kfold_boston)")
def test_golden_correctipy_leaves_the_root_out() -> None:
    """correctipy resampled_ttest: mean / (sd (1/n + n2/n1)), without the root of the factor."""
    outcome = NadeauBengioT().test(boston(), TWO, rng_of())

    assert_close(outcome.statistic, -0.37818331228306795, rtol=1e-12)
    theirs = MEAN / (SD * FACTOR)
    assert_close(outcome.statistic, theirs * math.sqrt(FACTOR), rtol=1e-12)
    assert abs(theirs) > 2 * abs(outcome.statistic or 0)


def test_exact_correctipy_takes_the_root_twice() -> None:
    """correctipy repkfold_ttest: the root of the variance, and the root of that (issue 24)."""
    outcome = BouckaertFrankT().test(repeated(2), TWO, rng_of())
    s2 = np.resize(BOSTON, 20).var(ddof=1)
    variance = (1 / 20 + 1 / 9) * float(s2)

    assert_close(outcome.statistic, MEAN / math.sqrt(variance), rtol=1e-12)
    assert outcome.statistic is not None
    assert abs(MEAN / variance**0.25) < 0.8 * abs(outcome.statistic)


def test_exact_correctipy_looks_first_and_tests_on_that_side() -> None:
    """correctipy: the one-sided p-value in the direction that was observed, always below .5."""
    pair = boston()
    two, less, greater = (
        NadeauBengioT().test(pair, way, rng_of()).p_value for way in (TWO, LESS, GREATER)
    )

    assert two is not None
    assert less is not None
    assert greater is not None
    assert_close(less + greater, 1.0, rtol=1e-14)  # of the two sides one is above a half
    assert_close(two, 2 * min(less, greater), rtol=1e-14)
    assert greater > 0.5


def test_exact_correctr_takes_the_sample_size_for_the_number_of_folds() -> None:
    """correctR kfold_ttest: (1/n + 1/k)/(1 - 1/k) on n - 1 degrees, n the sample size.

    It is 1/J + (1/k)/(1 - 1/k) on J - 1, with J the number of folds.
    """
    outcome = NadeauBengioT().test(boston(), TWO, rng_of())
    n, k = 100, 10
    theirs = MEAN / (SD * math.sqrt((1 / n + 1 / k) / (1 - 1 / k)))
    ours = MEAN / (SD * math.sqrt(1 / k + (1 / k) / (1 - 1 / k)))

    assert_close(outcome.statistic, ours, rtol=1e-12)
    assert abs(theirs) > 1.2 * abs(ours)
    assert outcome.degrees_of_freedom == k - 1
    assert_close(outcome.p_value, 2 * float(stdtr(k - 1, ours)), rtol=1e-12)


def test_exact_julearn_rounds_the_average_sizes() -> None:
    """julearn: round(mean n_test) / round(mean n_train) where folds differ in size.

    11 instances in four folds: tests of 3, 3, 3, 2. The averages are 2.75 and 8.25.
    """
    n_test = np.array([3.0, 3, 3, 2])
    layout = build_score_layout(BlockKind.RANDOM, 11 - n_test, n_test, None, 1)
    d = np.array([0.1, -0.2, 0.4, 0.3])
    a, b = BlockLosses(layout, scores=d), BlockLosses(layout, scores=np.zeros(4))

    outcome = NadeauBengioT().test(PairedLosses(a, b, a.minus(b)), TWO, rng_of())

    assert outcome.details == {"test_to_train_ratio": 11 / 33}
    s2 = d.var(ddof=1)
    assert_close(outcome.statistic, 0.15 / math.sqrt((1 / 4 + 1 / 3) * s2), rtol=1e-12)
    rounded = 0.15 / math.sqrt((1 / 4 + 3 / 8) * s2)
    assert abs(rounded) < 0.97 * abs(outcome.statistic or 0)


def test_exact_weka_is_uncorrected_where_it_has_no_sizes() -> None:
    """WEKA PairedCorrectedTTester: without columns of sizes n2/n1 is 0, and nothing says so."""
    unknown = Layout(
        kind=BlockKind.RANDOM,
        words=choose_words(BlockKind.RANDOM),
        block_labels=tuple(range(10)),
        split_block=np.arange(10),
        split_repeat=np.zeros(10, dtype=np.intp),
        n_test=np.full(10, 10.0),
        n_train=None,
    )
    body: dict[str, Any] = {
        "kind": "losses",
        "blocks": "random",
        "split_scores": {"a": BOSTON, "b": [0.0] * 10},
        "better": "lower",
        "n_test": 10,
        "tests": ["nadeau_bengio_t"],
    }

    assert "needs the training size of every split" in str(NadeauBengioT().inapplicable(unknown))
    with pytest.raises((EvaluationError, InvalidRequest), match="n_train"):
        run_kind(body)
    corrected = run_kind({**body, "n_train": 90}).result["comparisons"][0]["tests"]
    assert_close(corrected["nadeau_bengio_t"]["statistic"], -0.37818331228306795, rtol=1e-9)


def test_by_hand_weka_unequal_folds() -> None:
    """WEKA divides the sums of the sizes: 1/J + sum(n_test)/sum(n_train)."""
    # tests of 3, 3, 3, 2 of 11: 11/33; differences 0, 0, 0, 4: mean 1, S^2 = 12/3 = 4;
    # (1/4 + 1/3) 4 = 7/3
    n_test = np.array([3.0, 3, 3, 2])
    layout = build_score_layout(BlockKind.RANDOM, 11 - n_test, n_test, None, 1)
    a = BlockLosses(layout, scores=np.array([0.0, 0, 0, 4]))
    b = BlockLosses(layout, scores=np.zeros(4))

    outcome = NadeauBengioT().test(PairedLosses(a, b, a.minus(b)), TWO, rng_of())

    assert_close(outcome.statistic, 1 / math.sqrt(7 / 3), rtol=1e-13)
