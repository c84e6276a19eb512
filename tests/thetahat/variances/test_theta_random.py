"""theta_1 to theta_5 on two matrices worked out by hand, and their identities.

FIVE_BY_NINE: block sums 3, 1, 4, 1, 6 of nine, so means 3/9, 1/9, 4/9, 1/9, 6/9 and mu = 1/3;
deviations 0, -2, 1, -2, 3 ninths, squares 18/81, B = (18/81)/4 = 1/18; V_k = 9/8 m(1 - m) =
9/36, 4/36, 10/36, 4/36, 9/36, average 1/5; average V_k/M_k = 1/45; K = 5, N = 45.

RAGGED: means 2, 3, 7, mu = 4; deviations -2, -1, 3, squares 14, B = 7; V_k = 2, 3, 2/3;
V_k/M_k = 1, 1, 1/6, average 13/18; K = 3, N = 9.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.naive.loss_matrices import FIVE_BY_NINE, RAGGED, Rows, losses_of, repeats_of
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_score_layout
from thetahat.values.types import BlockKind, MeanKind, Target
from thetahat.variances import VARIANCES
from thetahat.variances.base import VarianceEstimate

GOLDEN = [
    ("theta_1", FIVE_BY_NINE, 1 / 9, None),
    ("theta_2", FIVE_BY_NINE, 1 / 45 - 4 / 5 / 18, 4),  # -1/45
    ("theta_3", FIVE_BY_NINE, 1 / 90, 4),
    ("theta_4", FIVE_BY_NINE, 1 / 225, 40),
    ("theta_5", FIVE_BY_NINE, 2 / 45, 4),  # 6/5 / 18 - 1/45
    ("theta_1", RAGGED, 16, None),
    ("theta_2", RAGGED, -71 / 18, 2),  # 13/18 - 2/3 7
    ("theta_3", RAGGED, 7 / 3, 2),
    ("theta_4", RAGGED, 13 / 54, 6),
    ("theta_5", RAGGED, 155 / 18, 2),  # 4/3 7 - 13/18
]


def mean_loss(name: str, rows: Rows) -> VarianceEstimate:
    return VARIANCES[name]().estimate(losses_of(rows))


def codes(estimate: VarianceEstimate) -> set[str]:
    return {caution.code for caution in estimate.cautions}


@pytest.mark.about(
    "variances/theta_1",
    "variances/theta_2",
    "variances/theta_3",
    "variances/theta_4",
    "variances/theta_5",
)
@pytest.mark.parametrize(("name", "rows", "value", "degrees"), GOLDEN)
def test_by_hand_values(name: str, rows: Rows, value: float, degrees: float | None) -> None:
    estimate = mean_loss(name, rows)

    assert_allclose(estimate.value, value, rtol=1e-13)
    assert estimate.degrees_of_freedom == degrees
    assert_allclose(estimate.estimate, 1 / 3 if rows is FIVE_BY_NINE else 4, rtol=1e-15)
    assert (estimate.target, estimate.mean) == (Target.THESE_SOURCES, MeanKind.MACRO)
    assert estimate.usable == (name != "theta_1" and value > 0)


@pytest.mark.parametrize(
    ("name", "caution"),
    [
        ("theta_1", "second_moment_of_mean"),
        ("theta_2", "noisy"),
        ("theta_3", "liberal_if_blocks_covary"),
        ("theta_4", "ignores_training_variance"),
        ("theta_5", "noisy"),
    ],
)
def test_exact_cautions(name: str, caution: str) -> None:
    estimate = codes(mean_loss(name, FIVE_BY_NINE))

    assert caution in estimate
    assert ("few_blocks" in estimate) == (name in {"theta_2", "theta_3", "theta_5"})
    assert ("negative_variance" in estimate) == (name == "theta_2")


def test_exact_noisy_shows_both_terms() -> None:
    (theta_5,) = (c for c in mean_loss("theta_5", RAGGED).cautions if c.code == "noisy")
    (theta_2,) = (c for c in mean_loss("theta_2", RAGGED).cautions if c.code == "noisy")

    assert "9.333 ((1 + 1/K) B) and 0.7222" in theta_5.message
    assert "0.7222 (the average V_k / M_k) and 4.667" in theta_2.message


@pytest.mark.about(
    "variances/theta_1", "variances/theta_3", "variances/theta_4", "variances/theta_5"
)
def test_exact_facts_of_equal_blocks() -> None:
    rng = np.random.default_rng(311)
    rows = rng.gamma(1.5, size=(6, 8)).tolist()
    theta_1, three, four, five = (mean_loss(f"theta_{i}", rows).value for i in (1, 3, 4, 5))
    array = np.array(rows)
    within = array.var(axis=1, ddof=1).mean()
    between = array.mean(axis=1).var(ddof=1)

    assert_allclose(theta_1, array.mean() ** 2, rtol=1e-12)
    assert_allclose(three, between / 6, rtol=1e-12)
    assert_allclose(four, within / 48, rtol=1e-12)
    assert_allclose(five, four + (1 + 1 / 6) * (between - within / 8), rtol=1e-10)


def test_exact_same_functions_for_sources() -> None:
    for random, source in (("theta_2", "theta_omega"), ("theta_3", "theta_gamma")):
        same = VARIANCES[source]().estimate(losses_of(RAGGED, BlockKind.SOURCE)).value
        assert mean_loss(random, RAGGED).value == same


def test_exact_bayle_within_is_theta_4_for_equal_folds() -> None:
    assert_allclose(
        mean_loss("bayle_within", FIVE_BY_NINE).value,
        mean_loss("theta_4", FIVE_BY_NINE).value,
        rtol=1e-14,
    )


@pytest.mark.parametrize("name", ["theta_2", "theta_3", "theta_4", "theta_5"])
def test_exact_repeats_are_averaged(name: str) -> None:
    other: Rows = [[0, 4], [9, 2, 1], [3, 3, 5, 6]]
    estimate = VARIANCES[name]().estimate(repeats_of([RAGGED, other]))
    first, two = mean_loss(name, RAGGED).value, mean_loss(name, other).value

    assert_allclose(estimate.value, (first + two) / 2, rtol=1e-13)
    assert estimate.degrees_of_freedom == mean_loss(name, RAGGED).degrees_of_freedom
    assert "variance_of_one_repeat" in codes(estimate)


def test_exact_repeats_of_different_shape_take_the_fewest_degrees() -> None:
    other: Rows = [[0, 4], [9, 2, 1, 3, 3, 5, 6]]
    losses = repeats_of([RAGGED, other])

    assert VARIANCES["theta_3"]().estimate(losses).degrees_of_freedom == 1
    assert VARIANCES["theta_4"]().estimate(losses).degrees_of_freedom == 6


def test_limit_ten_blocks_are_enough() -> None:
    rng = np.random.default_rng(99)

    assert "few_blocks" in codes(mean_loss("theta_3", rng.random((9, 3)).tolist()))
    assert "few_blocks" not in codes(mean_loss("theta_3", rng.random((10, 3)).tolist()))


@pytest.mark.parametrize("name", ["theta_2", "theta_3", "theta_4", "theta_5"])
def test_degenerate_equal_losses(name: str) -> None:
    estimate = mean_loss(name, [[0.1] * 4, [0.1] * 3, [0.1] * 5])

    assert estimate.value == 0
    assert not estimate.usable
    assert "zero_variance" in codes(estimate)


def test_degenerate_difference_that_cancels_is_zero() -> None:
    # sums 3, 1, 4, 2, 5 of nine: average V/M = 2/81 and (K-1)/K B = 4/5 5/162 = 2/81
    rows = [[1.0] * s + [0.0] * (9 - s) for s in (3, 1, 4, 2, 5)]
    estimate = mean_loss("theta_2", rows)

    assert estimate.value == 0
    assert not estimate.usable
    assert "zero_variance" in codes(estimate)


def test_degenerate_block_means_equal_up_to_their_last_bits() -> None:
    rows = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.3, 0.1], [0.3, 0.1, 0.2]]

    losses = losses_of(rows)
    estimate = VARIANCES["theta_3"]().estimate(losses)

    assert 0 < losses.moments.deviations.var() < 1e-30
    assert estimate.value == 0
    assert not estimate.usable


def test_degenerate_scores_equal_up_to_their_last_bits() -> None:
    layout = build_score_layout(BlockKind.RANDOM, np.full(3, 20.0), np.full(3, 10.0), None, 1)
    rounded = BlockLosses(layout, scores=np.array([0.3, 0.1 + 0.2, 0.3]))
    differing = BlockLosses(layout, scores=np.array([0.3, 0.3 + 1e-14, 0.3]))

    assert rounded.moments.deviations.any()
    assert VARIANCES["theta_3"]().estimate(rounded).value == 0
    assert VARIANCES["theta_3"]().estimate(differing).usable


@pytest.mark.about("variances/theta_3")
@pytest.mark.outside("scipy.stats.sem of the means of the folds, run here")
@pytest.mark.parametrize("rows", [FIVE_BY_NINE, RAGGED])
def test_against_scipy_error_of_fold_means(rows: Rows) -> None:
    from scipy import stats

    theirs = stats.sem([float(np.mean(row)) for row in rows]) ** 2
    assert_allclose(mean_loss("theta_3", rows).value, theirs, rtol=1e-13)


@pytest.mark.about("variances/theta_4")
@pytest.mark.outside("scipy.stats.sem of the losses inside each fold, run here")
@pytest.mark.parametrize("rows", [FIVE_BY_NINE, RAGGED])
def test_against_scipy_errors_inside_folds(rows: Rows) -> None:
    from scipy import stats

    theirs = sum(stats.sem(row) ** 2 for row in rows) / len(rows) ** 2
    assert_allclose(mean_loss("theta_4", rows).value, theirs, rtol=1e-13)
