from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import stdtrit

from tests.thetahat.naive.loss_matrices import FIVE_BY_NINE, RAGGED, losses_of, repeats_of
from thetahat.errors import InsufficientData
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout, build_layout, build_score_layout
from thetahat.values.types import BlockKind, Target
from thetahat.values.words import choose_words
from thetahat.variances.base import VarianceEstimate
from thetahat.variances.nadeau_bengio import NadeauBengio


def of_scores(
    scores: list[float], n_train: float, n_test: float, n_repeats: int = 1
) -> VarianceEstimate:
    j = len(scores)
    layout = build_score_layout(
        BlockKind.RANDOM, np.full(j, n_train), np.full(j, n_test), None, n_repeats
    )
    return NadeauBengio().estimate(BlockLosses(layout, scores=np.array(scores)))


def codes(estimate: VarianceEstimate) -> set[str]:
    return {caution.code for caution in estimate.cautions}


def test_by_hand_three_equal_splits() -> None:
    # S^2 = (0.1^2 + 0.1^2 + 0) / 2 = 0.01; (1/3 + 10/20) 0.01 = 1/120
    estimate = of_scores([0.2, 0.4, 0.3], n_train=20, n_test=10)

    assert_allclose(estimate.value, 1 / 120, rtol=1e-14)
    assert_allclose(estimate.estimate, 0.3, rtol=1e-15)
    assert estimate.degrees_of_freedom == 2
    assert codes(estimate) == {"few_blocks", "large_test_parts"}


def test_by_hand_matrices() -> None:
    # (1/5 + 1/4) 1/18 = 1/40; (1/3 + 9/18) 7 = 35/6 with training sizes 7, 6, 5
    assert_allclose(NadeauBengio().estimate(losses_of(FIVE_BY_NINE)).value, 1 / 40, rtol=1e-13)
    ragged = NadeauBengio().estimate(losses_of(RAGGED, BlockKind.SOURCE))

    assert_allclose(ragged.value, 35 / 6, rtol=1e-13)
    assert ragged.details == {"test_to_train_ratio": 0.5}
    assert ragged.target == Target.NEW_SOURCE
    assert codes(ragged) == {"few_blocks"}


@pytest.mark.outside("janezd/baycomp tests/test_single.py, the variances it asserts")
def test_golden_baycomp_unit_tests() -> None:
    # baycomp tests/test_single.py: x = 4, 2, 6 and y = 5, 7, 3, one run of three folds;
    # then x = 4, 2, 6, 4 and y = 5, 7, 3, 5 in two runs of two folds
    assert_allclose(of_scores([-1, -5, 3], 20, 10).value, 13.333333333333332, rtol=1e-12)
    estimate = of_scores([-1, -5, 3, -1], 10, 10, n_repeats=2)

    assert_allclose(estimate.value, 32 / 3 * (1 / 4 + 1), rtol=1e-12)
    assert estimate.degrees_of_freedom == 3


@pytest.mark.outside(
    "mlr-org/mlr3inferr R/MeasureCiCorT.R run in R 4.2.2 (vector mlr3inferr_cor_t)"
)
def test_golden_mlr3inferr_corrected_t() -> None:
    # mlr-org/mlr3inferr R/MeasureCiCorT.R, executed in R: J = 10, ratio .9, n = 100
    scores = [0.21, 0.18, 0.25, 0.19, 0.22, 0.3, 0.17, 0.24, 0.2, 0.26]
    estimate = of_scores(scores, n_train=90, n_test=10)
    half = stdtrit(9, 0.975) * np.sqrt(estimate.value)

    assert_allclose(estimate.estimate, 0.222, rtol=1e-12)
    assert_allclose(estimate.estimate - half, 0.179907933881675, rtol=1e-12)
    assert_allclose(estimate.estimate + half, 0.264092066118325, rtol=1e-12)
    assert estimate.target == Target.THESE_SOURCES
    assert codes(estimate) == set()


def test_exact_splits_of_all_repeats_count() -> None:
    # Bouckaert and Frank's form: J = k r and n2/n1 = 1/(k - 1)
    rows = np.random.default_rng(7).random((3, 4, 6)).tolist()
    estimate = NadeauBengio().estimate(repeats_of(rows))
    means = np.array(rows).mean(axis=2).ravel()

    assert_allclose(estimate.value, (1 / 12 + 1 / 3) * means.var(ddof=1), rtol=1e-12)
    assert estimate.degrees_of_freedom == 11


def test_limit_test_parts_of_a_seventh_are_large() -> None:
    scores = np.random.default_rng(8).random(12).tolist()

    assert codes(of_scores(scores, 85, 15)) == set()
    assert codes(of_scores(scores, 84, 16)) == {"large_test_parts"}


def test_degenerate_equal_splits() -> None:
    estimate = of_scores([0.25, 0.25, 0.25], 20, 10)

    assert estimate.value == 0
    assert not estimate.usable


def one_split() -> Layout:
    return build_score_layout(BlockKind.RANDOM, np.array([20.0]), np.array([10.0]), None, 1)


def test_invalid_one_split() -> None:
    assert NadeauBengio().inapplicable(one_split()) == (
        "nadeau_bengio needs at least two splits, and there is one"
    )
    with pytest.raises(InsufficientData, match="at least two splits"):
        NadeauBengio().estimate(BlockLosses(one_split(), scores=np.array([0.1])))


def test_invalid_without_training_sizes() -> None:
    holdout = build_layout(BlockKind.HOLDOUT, [0, 0])
    assert "is for random or source or subsamples blocks" in str(
        NadeauBengio().inapplicable(holdout)
    )
    unknown = Layout(
        kind=BlockKind.RANDOM,
        words=choose_words(BlockKind.RANDOM),
        block_labels=(0, 1),
        split_block=np.array([0, 1]),
        split_repeat=np.array([0, 0]),
        n_test=np.array([3.0, 3.0]),
        n_train=None,
    )

    with pytest.raises(InsufficientData, match="training size of every split"):
        NadeauBengio().estimate(BlockLosses(unknown, scores=np.array([0.1, 0.2])))


@pytest.mark.calibration
def test_calibrated_when_the_assumed_correlation_holds() -> None:
    """Unbiased when the split means correlate by n_test / (n_train + n_test)."""
    rng, j, repetitions, rho = np.random.default_rng(20_261_121), 10, 4000, 0.1
    common, own = rng.standard_normal((repetitions, 1)), rng.standard_normal((repetitions, j))
    draws = np.sqrt(rho) * common + np.sqrt(1 - rho) * own

    values = np.array([of_scores(row, 90, 10).value for row in draws.tolist()])

    truth = rho + (1 - rho) / j
    error = values.std(ddof=1) / np.sqrt(repetitions)
    # correct code fails for one seed in 16 000; this one is fixed
    assert abs(values.mean() - truth) < 4 * error
