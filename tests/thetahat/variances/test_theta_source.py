"""The estimators of the multiple-source variance, on the matrices of ``test_theta_random``."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.analyses.metrics.readings import known
from tests.thetahat.naive.loss_matrices import FIVE_BY_NINE, RAGGED, Rows, losses_of, repeats_of
from thetahat.errors import UnsupportedCombination
from thetahat.values.types import BlockKind, MeanKind, Target
from thetahat.variances import VARIANCES
from thetahat.variances.base import VarianceEstimate

# the V_k of nine zeros and ones are as 18 : 8 : 20 : 8 : 18
FIVE_BY_NINE_DEGREES = 8 * 72**2 / 1176
# V_k / M_k = 1, 1 and 1/6 with 1, 2 and 3 degrees
RAGGED_DEGREES = (13 / 6) ** 2 / (1 + 1 / 2 + 1 / 36 / 3)
GOLDEN = [
    ("theta_omega", FIVE_BY_NINE, -1 / 45, 4, Target.THESE_SOURCES),
    ("theta_gamma", FIVE_BY_NINE, 1 / 90, 4, Target.NEW_SOURCE),
    ("theta_A", FIVE_BY_NINE, 1 / 225, FIVE_BY_NINE_DEGREES, Target.THESE_SOURCES),
    ("theta_B", FIVE_BY_NINE, 2 / 225, FIVE_BY_NINE_DEGREES, Target.THESE_SOURCES),
    ("theta_omega", RAGGED, -71 / 18, 2, Target.THESE_SOURCES),
    ("theta_gamma", RAGGED, 7 / 3, 2, Target.NEW_SOURCE),
    ("theta_A", RAGGED, 13 / 54, RAGGED_DEGREES, Target.THESE_SOURCES),
    ("theta_B", RAGGED, 13 / 27, RAGGED_DEGREES, Target.THESE_SOURCES),
]


def mean_loss(name: str, rows: Rows) -> VarianceEstimate:
    return VARIANCES[name]().estimate(losses_of(rows, BlockKind.SOURCE))


def codes(estimate: VarianceEstimate) -> set[str]:
    return {caution.code for caution in estimate.cautions}


@pytest.mark.about(
    "variances/theta_omega", "variances/theta_gamma", "variances/theta_A", "variances/theta_B"
)
@pytest.mark.parametrize(("name", "rows", "value", "degrees", "target"), GOLDEN)
def test_by_hand_values(
    name: str, rows: Rows, value: float, degrees: float, target: Target
) -> None:
    estimate = mean_loss(name, rows)

    assert_allclose(estimate.value, value, rtol=1e-13)
    assert_allclose(known(estimate.degrees_of_freedom), degrees, rtol=1e-14)
    assert estimate.target == target
    assert estimate.mean == MeanKind.MACRO
    assert estimate.usable == (value > 0)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("theta_omega", {"negative_variance", "few_blocks", "counts_source_differences_against"}),
        (
            "theta_gamma",
            {"few_blocks", "liberal_if_blocks_covary", "pessimistic_for_these_sources"},
        ),
        ("theta_A", {"ignores_training_variance"}),
        ("theta_B", {"ignores_training_variance"}),
        ("theta_omega_k", {"negative_variance", "depends_on_the_mean"}),
        ("theta_gamma_kl", {"negative_variance", "depends_on_the_mean"}),
    ],
)
def test_exact_cautions(name: str, expected: set[str]) -> None:
    assert codes(mean_loss(name, FIVE_BY_NINE)) == expected


@pytest.mark.about("variances/theta_omega_k")
def test_by_hand_theta_omega_k() -> None:
    # V_k/9 - (m_k^2 - 1/9), in 36ths: 1 - 0; 4/9 + 32/9; 10/9 - 28/9; as the second; 1 - 12
    estimate = mean_loss("theta_omega_k", FIVE_BY_NINE)

    assert_allclose(estimate.value, np.array([1, 4, -2, 4, -11]) / 36, rtol=1e-12)
    assert not estimate.usable
    assert estimate.degrees_of_freedom is None
    assert estimate.details == {"sources": [0, 1, 2, 3, 4]}


@pytest.mark.about("variances/theta_omega_k")
def test_by_hand_theta_omega_k_ragged() -> None:
    # 16 - w_k: w = 1x3; (4 + 10 + 10)/3; (48 + 84 + 112 + 49)/6
    estimate = mean_loss("theta_omega_k", RAGGED)

    assert_allclose(estimate.value, [13, 8, -197 / 6], rtol=1e-12)


@pytest.mark.about("variances/theta_gamma_kl")
def test_by_hand_theta_gamma_kl_ragged() -> None:
    # 16 - 2x3, 16 - 2x7, 16 - 3x7
    estimate = mean_loss("theta_gamma_kl", RAGGED)

    assert_allclose(
        estimate.value, [[np.nan, 10, 2], [10, np.nan, -5], [2, -5, np.nan]], rtol=1e-13
    )
    assert "2 of the 6 values" in estimate.cautions[0].message
    assert not estimate.usable


@pytest.mark.about(
    "variances/theta_omega_k",
    "variances/theta_gamma_kl",
    "variances/theta_omega",
    "variances/theta_gamma",
)
def test_exact_averages_of_the_single_estimators() -> None:
    per_source = mean_loss("theta_omega_k", RAGGED).value
    per_pair = mean_loss("theta_gamma_kl", RAGGED).value

    assert_allclose(np.mean(per_source), mean_loss("theta_omega", RAGGED).value, rtol=1e-12)
    assert_allclose(np.nanmean(per_pair), mean_loss("theta_gamma", RAGGED).value, rtol=1e-12)


def test_exact_repeats_average_by_source_and_by_pair() -> None:
    other: Rows = [[0, 4], [9, 2, 1], [3, 3, 5, 6]]
    losses = repeats_of([RAGGED, other], BlockKind.SOURCE)

    for name in ("theta_omega_k", "theta_gamma_kl"):
        average = (mean_loss(name, RAGGED).value + mean_loss(name, other).value) / 2
        assert_allclose(VARIANCES[name]().estimate(losses).value, average, rtol=1e-12)


def test_exact_repeats_that_lack_a_source() -> None:
    # sources 0, 1, 2, then 0, 1: values of source 2 come from the first repeat alone
    losses = repeats_of([RAGGED, RAGGED[:2]], BlockKind.SOURCE)
    of_k = VARIANCES["theta_omega_k"]().estimate(losses).value
    of_kl = np.asarray(VARIANCES["theta_gamma_kl"]().estimate(losses).value)

    # second repeat: mu = 5/2, plug 25/4, w = 3 and 8, g = 6
    assert_allclose(of_k, [(13 + 13 / 4) / 2, (8 - 7 / 4) / 2, -197 / 6], rtol=1e-12)
    assert_allclose(of_kl[0, 1], (10 + 1 / 4) / 2, rtol=1e-12)
    assert_allclose(of_kl[2, :2], [2, -5], rtol=1e-12)


def test_exact_pairs_that_never_met_are_nan() -> None:
    first, second = RAGGED[:2], RAGGED[1:]
    block = [0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2]
    losses = repeats_of([first, second], BlockKind.SOURCE)
    assert losses.layout.block_labels == (0, 1)  # repeats_of numbers blocks inside a repeat

    from thetahat.values.block_losses import BlockLosses
    from thetahat.values.layout import build_layout

    layout = build_layout(BlockKind.SOURCE, block, repeat=[0] * 5 + [1] * 7)
    value = VARIANCES["theta_gamma_kl"]().estimate(BlockLosses(layout, values=losses.rows)).value
    missing = np.isnan(np.asarray(value))

    assert_array_equal(missing, [[True, False, True], [False, True, False], [True, False, True]])


@pytest.mark.parametrize("name", ["theta_omega_k", "theta_gamma_kl"])
def test_degenerate_equal_losses_give_zeros(name: str) -> None:
    estimate = mean_loss(name, [[0.3] * 3, [0.3] * 2])
    value = np.asarray(estimate.value)

    assert_array_equal(value[~np.isnan(value)], 0)
    assert codes(estimate) == {"depends_on_the_mean"}


@pytest.mark.parametrize("name", ["theta_A", "theta_B"])
def test_degenerate_constant_sources(name: str) -> None:
    estimate = mean_loss(name, [[1, 1], [5, 5, 5]])

    assert estimate.value == 0
    assert not estimate.usable
    assert "zero_variance" in codes(estimate)


def test_limit_too_many_pairs() -> None:
    method = VARIANCES["theta_gamma_kl"]()
    most, more = (losses_of([[k] for k in range(n)], BlockKind.SOURCE) for n in (256, 257))

    assert method.inapplicable(most.layout) is None
    assert "257 sources have 32896 pairs" in str(method.inapplicable(more.layout))
    with pytest.raises(UnsupportedCombination, match="at most 256 sources"):
        method.estimate(more)


@pytest.mark.about("variances/theta_gamma")
@pytest.mark.outside("scipy.stats.sem of the means of the sources, run here")
@pytest.mark.parametrize("rows", [FIVE_BY_NINE, RAGGED])
def test_against_scipy_error_of_source_means(rows: Rows) -> None:
    from scipy import stats

    theirs = stats.sem([float(np.mean(row)) for row in rows]) ** 2
    assert_allclose(mean_loss("theta_gamma", rows).value, theirs, rtol=1e-13)


@pytest.mark.about("variances/theta_A")
@pytest.mark.outside("scipy.stats.sem of the losses inside each source, run here")
@pytest.mark.parametrize("rows", [FIVE_BY_NINE, RAGGED])
def test_against_scipy_errors_inside_sources(rows: Rows) -> None:
    from scipy import stats

    theirs = sum(stats.sem(row) ** 2 for row in rows) / len(rows) ** 2
    assert_allclose(mean_loss("theta_A", rows).value, theirs, rtol=1e-13)
