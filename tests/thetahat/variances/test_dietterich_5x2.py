from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.naive.loss_matrices import losses_of, repeats_of
from thetahat.errors import InsufficientData
from thetahat.intervals.student_t import StudentT
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout, build_score_layout
from thetahat.values.types import Alternative, BlockKind, MeanKind, Target
from thetahat.variances import VARIANCES
from thetahat.variances.dietterich_5x2 import Dietterich5x2

# rasbt/mlxtend test_paired_ttest_5x2cv.py, logistic regression against a stump on iris, halves of
# 75: differences as counts of 75
STUMP = [[24, 26], [26, 20], [25, 33], [24, 25], [24, 26]]


def scores_layout(n_repeats: int = 5, n_folds: int = 2, size: float = 75) -> Layout:
    sizes = np.full(n_repeats * n_folds, size)
    return build_score_layout(BlockKind.RANDOM, sizes, sizes, n_folds, n_repeats)


def scores_of(numerators: list[list[int]]) -> BlockLosses:
    return BlockLosses(scores_layout(), scores=np.array(numerators).ravel() / 75)


# By hand on mlxtend's differences.
def test_by_hand_iris() -> None:
    # s_i^2 75^2 = half of the squared gaps 2, 6, 8, 1, 2: (4 + 36 + 64 + 1 + 4)/2 = 54.5
    estimate = Dietterich5x2().estimate(scores_of(STUMP))

    assert_allclose(estimate.value, 54.5 / 5 / 75**2, rtol=1e-14)
    assert_allclose(estimate.estimate, 24 / 75, rtol=1e-15)
    assert estimate.degrees_of_freedom == 5
    assert estimate.target is Target.THESE_SOURCES
    assert estimate.mean is MeanKind.FIRST_SPLIT
    assert {c.code for c in estimate.cautions} == {"order_dependent", "half_of_the_data"}


def test_by_hand_the_interval_is_centred_on_the_first_split() -> None:
    # t_5 at .975 is 2.5706 in any table
    losses = scores_of(STUMP)
    estimate = Dietterich5x2().estimate(losses)
    interval = StudentT().build(
        losses, VARIANCES["dietterich_5x2"].info, estimate, 0.95, Alternative.TWO_SIDED
    )

    assert interval is not None
    assert interval.lower is not None
    assert interval.upper is not None
    assert_allclose((interval.lower + interval.upper) / 2, 24 / 75, rtol=1e-12)
    half = 2.5706 * math.sqrt(10.9) / 75
    assert_allclose(interval.upper - interval.lower, 2 * half, rtol=1e-4)
    assert interval.mean is MeanKind.FIRST_SPLIT


def test_naive_the_formula_as_printed() -> None:
    rows = np.random.default_rng(53).random((5, 2, 7))
    losses = repeats_of(rows.tolist())
    total = 0.0
    for p_1, p_2 in rows.mean(axis=2):
        mean = (p_1 + p_2) / 2
        total += (p_1 - mean) ** 2 + (p_2 - mean) ** 2

    estimate = Dietterich5x2().estimate(losses)

    assert_allclose(estimate.value, total / 5, rtol=1e-12)
    assert_allclose(estimate.estimate, rows[0, 0].mean(), rtol=1e-14)


def test_degenerate_equal_halves() -> None:
    estimate = Dietterich5x2().estimate(scores_of([[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]]))

    assert estimate.value == 0
    assert not estimate.usable


def test_degenerate_halves_of_unequal_size_have_a_caution() -> None:
    rows = [[[1.0], [2.0, 3.0, 5.0]]] * 5
    estimate = Dietterich5x2().estimate(repeats_of(rows))

    assert "unequal_halves" in {c.code for c in estimate.cautions}


@pytest.mark.parametrize(("r", "k", "there"), [(4, 2, "are 4 repeats of 2"), (1, 2, "is 1 rep")])
def test_invalid_other_layouts(r: int, k: int, there: str) -> None:
    assert there in str(Dietterich5x2().inapplicable(scores_layout(r, k)))


def test_invalid_the_refusal_names_the_scheme() -> None:
    folds = losses_of([[1, 2], [3, 4], [5, 6]])

    with pytest.raises(InsufficientData, match=r"5 repeats of 2 folds \(scheme five_by_two\)"):
        Dietterich5x2().estimate(folds)
    assert "is for random blocks" in str(
        Dietterich5x2().inapplicable(losses_of([[1], [2]], BlockKind.SOURCE).layout)
    )


@pytest.mark.calibration
def test_calibrated_independent_halves() -> None:
    """Unbiased for the variance of one split where all ten are independent."""
    rng, repetitions = np.random.default_rng(54), 3000
    layout = scores_layout()
    draws = rng.standard_normal((repetitions, 10))
    of = Dietterich5x2().estimate

    values = np.array([of(BlockLosses(layout, scores=row)).value for row in draws])

    # chi squared on 5 degrees over 5: mean 1, variance 2/5; fails for one seed in 16 000
    assert abs(values.mean() - 1) < 4 * math.sqrt(0.4 / repetitions)


@pytest.mark.outside("rasbt/mlxtend test_paired_ttest_5x2cv.py: t 7.269, all digits from 0.25.0")
def test_golden_mlxtend_t_of_the_stump() -> None:
    estimate = Dietterich5x2().estimate(scores_of(STUMP))

    assert isinstance(estimate.value, float)
    assert_allclose(estimate.estimate / math.sqrt(estimate.value), 7.269390393784586, rtol=1e-12)
