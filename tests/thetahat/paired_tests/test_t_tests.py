"""paired_t_blocks, nadeau_bengio_t, bayle_z and theta_t."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pytest

from tests.thetahat.paired_tests.pairs import (
    ALTERNATIVES,
    SCIPY_WORDS,
    assert_close,
    blocks_pair,
    codes,
    details_of,
    differences_pair,
    holdout_pair,
    pair_over,
    rng_of,
    scores_pair,
)
from thetahat.errors import InvalidParameter
from thetahat.intervals.normal import Normal
from thetahat.paired_tests._t_test import run_t_test
from thetahat.paired_tests.bayle_z import BayleZ
from thetahat.paired_tests.nadeau_bengio_t import NadeauBengioT
from thetahat.paired_tests.paired_t_blocks import PairedTBlocks
from thetahat.paired_tests.theta_t import ThetaT
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind, Target
from thetahat.variances import VARIANCES

TWO, LESS, GREATER = Alternative.TWO_SIDED, Alternative.LESS, Alternative.GREATER

# rasbt/mlxtend, test_paired_ttest_kfold.py: -0.549, 0.596
BOSTON = [
    -0.06998990659000459, -0.19601103855112012, 0.03899658290817842, -0.24649332063427631,
    -0.24339816195646324, -0.2940300197770298, -0.4899593774404729, 0.44143384336648905,
    0.5796295871620085, -0.09894942962888542,
]  # fmt: skip

# scikit-learn 1.9.1, plot_grid_search_stats.py: AUCs of 10 x 10 folds, as steps of 0.04 below 1
RBF = (
    "chgcaaaababaacecaafafcdcaadcaafbeaaaabcaacacagaaaa"
    "aeaaahcaaaccaafdacbabcecaaadccacbahaaaagbdahcabaae"
)
LINEAR = (
    "begcabbacacbbdfbaafaebeaabedaaeceabaacdabcacagacaa"
    "afbbaibcaaccafedbcbabdfeabacccbacaiaaaagbcagcaccae"
)


def steps(letters: str) -> list[float]:
    return [1 - 0.04 * (ord(letter) - ord("a")) for letter in letters]


@pytest.mark.about("paired_tests/paired_t_blocks")
@pytest.mark.outside(
    "rasbt/mlxtend test_paired_ttest_kfold.py: -0.549, 0.596 (vector mlxtend_kfold_boston)"
)
def test_golden_mlxtend_uncorrected_t() -> None:
    pair = scores_pair(BOSTON, [0.0] * 10, n_train=90, n_test=10)

    outcome = PairedTBlocks().test(pair, TWO, rng_of())

    assert outcome.statistic is not None
    assert_close(outcome.statistic, -0.5494876134584593, rtol=1e-12)
    assert_close(outcome.p_value, 0.5960399636637005, rtol=1e-12)
    assert outcome.degrees_of_freedom == 9
    assert "ignores_training_overlap" in codes(outcome.cautions)


@pytest.mark.outside("mlxtend's ten differences, corrected (vector mlxtend_kfold_boston)")
def test_golden_mlxtend_differences_corrected() -> None:
    # the same ten folds with n_test/n_train = 1/9. Two peers differ: correctipy divides by the
    # factor in the place of its root, correctR takes the sample size for J and its n - 1 for df
    # vector mlxtend_kfold_boston
    pair = scores_pair(BOSTON, [0.0] * 10, n_train=90, n_test=10)

    outcome = NadeauBengioT().test(pair, TWO, rng_of())

    assert_close(outcome.statistic, -0.37818331228306795, rtol=1e-12)
    assert_close(outcome.p_value, 0.7140601922829097, rtol=1e-12)
    assert outcome.degrees_of_freedom == 9


@pytest.mark.about("paired_tests/nadeau_bengio_t", "paired_tests/paired_t_blocks")
@pytest.mark.outside("scikit-learn's example plot_grid_search_stats.py: 0.750, 0.227")
def test_golden_sklearn_grid_search() -> None:
    # scikit-learn prints 0.750 and 0.227, uncorrected 2.611 and 0.005
    # vector sklearn_grid_stats
    pair = scores_pair(steps(RBF), steps(LINEAR), n_train=90, n_test=10, n_repeats=10)

    corrected = NadeauBengioT().test(pair, GREATER, rng_of())
    both = NadeauBengioT().test(pair, TWO, rng_of())
    plain = PairedTBlocks().test(pair, GREATER, rng_of())

    assert_close(corrected.statistic, 0.7503126954482318, rtol=1e-9)
    assert_close(corrected.p_value, 0.2274229710133665, rtol=1e-9)
    assert_close(both.p_value, 0.454845942026733, rtol=1e-9)
    assert_close(plain.statistic, 2.6111648393354643, rtol=1e-9)
    assert_close(plain.p_value, 0.005213013150393235, rtol=1e-9)
    assert corrected.degrees_of_freedom == plain.degrees_of_freedom == 99


@pytest.mark.about("paired_tests/nadeau_bengio_t")
@pytest.mark.outside("janezd/baycomp tests/test_single.py: mean -1, variance 40/3")
def test_golden_baycomp_variance() -> None:
    # baycomp test_single.py: mean -1 for x - y, variance 40/3 with n_test/n_train = 1/2, df 2
    pair = scores_pair([4, 2, 6], [5, 7, 3], n_train=2, n_test=1)

    outcome = NadeauBengioT().test(pair, TWO, rng_of())

    assert_close(outcome.statistic, -1 / math.sqrt(40 / 3), rtol=1e-14)
    assert outcome.degrees_of_freedom == 2


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_against_scipy_ttest_rel(alternative: Alternative) -> None:
    from scipy import stats

    rng = np.random.default_rng(31)
    a, b = rng.random((7, 5)), rng.random((7, 5))
    expected = stats.ttest_rel(a.mean(1), b.mean(1), alternative=SCIPY_WORDS[alternative])

    outcome = PairedTBlocks().test(blocks_pair(a, b), alternative, rng_of())

    assert_close(outcome.statistic, expected.statistic, rtol=1e-11)
    assert_close(outcome.p_value, expected.pvalue, rtol=1e-11)


@pytest.mark.about("paired_tests/theta_t", "paired_tests/paired_t_blocks")
def test_exact_theta_t_on_theta_3_is_the_uncorrected_t() -> None:
    rng = np.random.default_rng(32)
    pair = blocks_pair(rng.random((6, 4)), rng.random((6, 4)))

    ours, plain = ThetaT().test(pair, LESS, rng_of()), PairedTBlocks().test(pair, LESS, rng_of())

    assert_close(ours.statistic, plain.statistic, rtol=1e-13)
    assert_close(ours.p_value, plain.p_value, rtol=1e-13)
    assert details_of(ours)["variance"] == "theta_3"


@pytest.mark.about("paired_tests/theta_t")
def test_by_hand_theta_t_over_two_sources() -> None:
    # differences [0, 2] and [1, 3]: means 1, 2; V = 2, 2; theta_A = (2/2 + 2/2)/4 = 1/2,
    # theta_B = 1; t = 1.5 with (1 + 1)^2 / (1 + 1) = 2 degrees, P(|t_2| > t) = 1 - t/sqrt(2 + t^2)
    pair = blocks_pair([[0, 2], [1, 3]], [[0, 0], [0, 0]], BlockKind.SOURCE)

    outcome = ThetaT().test(pair, TWO, rng_of())
    named = ThetaT(variance="theta_gamma").test(pair, TWO, rng_of())

    t = 1.5
    assert outcome.details == {"variance": "theta_B", "mean": "macro"}
    assert outcome.target is Target.THESE_SOURCES
    assert_close(outcome.statistic, t, rtol=1e-14)
    assert_close(outcome.p_value, 1 - t / math.sqrt(2 + t * t), rtol=1e-12)
    # B = 1/2, theta_gamma = 1/4: t = 3 on 1 degree, p = 1 - 2/pi atan 3
    assert_close(named.statistic, 3.0, rtol=1e-14)
    assert_close(named.p_value, 1 - 2 / math.pi * math.atan(3), rtol=1e-12)
    assert named.target is Target.NEW_SOURCE
    assert outcome.unit == named.unit == "block"


@pytest.mark.about("paired_tests/bayle_z")
def test_by_hand_bayle_z() -> None:
    # differences 1, 1, 1, 3: mean 1.5, sum of squares about it 3, variance 3/16,
    # z = 1.5 / sqrt(3/16) = 2 sqrt 3; within: V = 0 and 2, average 1, over N = 4: z = 3
    pair = blocks_pair([[1, 1], [1, 3]], [[0, 0], [0, 0]])

    pairs = BayleZ().test(pair, GREATER, rng_of())
    within = BayleZ(variance="bayle_within").test(pair, GREATER, rng_of())

    assert_close(pairs.statistic, 2 * math.sqrt(3), rtol=1e-14)
    assert_close(within.statistic, 3.0, rtol=1e-14)
    assert_close(within.p_value, 0.0013498980316300933, rtol=1e-12)  # any normal table
    assert pairs.degrees_of_freedom is None
    assert pairs.unit == "instance"
    assert "ignores_training_variance" in codes(pairs.cautions)


@pytest.mark.about("paired_tests/bayle_z")
@pytest.mark.parametrize("variance", ["bayle_all_pairs", "bayle_within"])
def test_exact_bayle_z_is_where_the_normal_interval_ends_at_zero(
    variance: Literal["bayle_all_pairs", "bayle_within"],
) -> None:
    rng = np.random.default_rng(38)
    pair = blocks_pair(rng.random((5, 6)) + 0.1, rng.random((5, 6)))
    estimate = VARIANCES[variance]().estimate(pair.difference)

    p_value = BayleZ(variance=variance).test(pair, TWO, rng_of()).p_value

    assert p_value is not None
    interval = Normal().build(pair.difference, VARIANCES[variance].info, estimate, 1 - p_value, TWO)
    assert interval is not None
    assert interval.lower == pytest.approx(0, abs=1e-12)


@pytest.mark.about("paired_tests/theta_t")
def test_by_hand_holdout_by_instance_and_cluster() -> None:
    # differences 1, 1, 3, 3: iid V/4 = (4/3)/4 = 1/3, t = 2 sqrt 3
    pair = differences_pair([1, 1, 3, 3])
    clustered = holdout_pair([1, 1, 3, 3], [0, 0, 0, 0], cluster=[7, 7, 8, 8])

    by_instance = ThetaT().test(pair, TWO, rng_of())
    by_cluster = ThetaT().test(clustered, TWO, rng_of())

    assert by_instance.unit == "instance"
    assert details_of(by_instance)["variance"] == "iid"
    assert_close(by_instance.statistic, 2 * math.sqrt(3), rtol=1e-14)
    # two equal clusters: 2/1 * (2^2 + 2^2) / 4^2 = 1, t = 2 on 1 degree
    assert by_cluster.unit == "cluster"
    assert details_of(by_cluster)["variance"] == "cluster_robust"
    assert_close(by_cluster.statistic, 2.0, rtol=1e-14)
    assert by_cluster.degrees_of_freedom == 1


@pytest.mark.parametrize("method", [PairedTBlocks(), NadeauBengioT(), BayleZ()])
@pytest.mark.parametrize(("difference", "p_value"), [(-0.1, None), (0.0, 1)])
def test_degenerate_constant_differences(
    method: PairedTBlocks | NadeauBengioT | BayleZ, difference: float, p_value: float | None
) -> None:
    b = np.random.default_rng(33).random((4, 3))  # b + difference - b differs in its last bits
    pair = blocks_pair(b + difference, b)

    for alternative in (TWO, LESS, GREATER):
        outcome = method.test(pair, alternative, rng_of())
        assert outcome.statistic is None
        assert outcome.p_value == p_value
        assert [c.code for c in outcome.cautions].count("zero_variance") == 1


def test_degenerate_statistic_beyond_the_largest_number() -> None:
    target = Target.THESE_SOURCES
    infinite = run_t_test(1e300, 1e-30, 4, LESS, target=target, unit="block")
    unknown = run_t_test(1.0, math.inf, 4, TWO, target=target, unit="block")

    assert (infinite.statistic, infinite.p_value) == (None, None)
    assert (unknown.statistic, unknown.p_value) == (None, None)
    assert codes(unknown.cautions) == {"too_large"}


@pytest.mark.parametrize("variance", ["theta_1", "theta_2", "theta_4"])
def test_degenerate_theta_t_refuses_what_is_no_variance(variance: str) -> None:
    # constant blocks: theta_4 is 0 and theta_2 is negative; theta_1 is never a variance
    pair = blocks_pair([[1, 1], [2, 2], [3, 3]], np.zeros((3, 2)))

    outcome = ThetaT(variance=variance).test(pair, TWO, rng_of())

    assert outcome.statistic is None
    assert outcome.p_value is None
    assert "variance_not_usable" in codes(outcome.cautions)


def test_degenerate_theta_t_takes_last_bits_for_no_variance() -> None:
    b = np.random.default_rng(34).random((4, 3))

    outcome = ThetaT().test(blocks_pair(b + 0.1, b), TWO, rng_of())

    assert outcome.statistic is None
    assert outcome.p_value is None


def test_invalid_variance_names() -> None:
    with pytest.raises(InvalidParameter, match="theta_9"):
        ThetaT(variance="theta_9")
    with pytest.raises(InvalidParameter, match="parameters of its own"):
        ThetaT(variance="quadratic")
    with pytest.raises(InvalidParameter, match="variance must be bayle_all_pairs or bayle_within"):
        BayleZ(variance="theta_4")


def test_invalid_layouts_are_named() -> None:
    holdout = differences_pair([1.0, 2.0, 4.0]).difference.layout
    sources = build_layout(BlockKind.SOURCE, [0, 0, 1, 1])
    single = build_layout(BlockKind.SOURCE, [0, 0, 1])

    assert "holdout" in str(PairedTBlocks().inapplicable(holdout))
    assert "nadeau_bengio" in str(NadeauBengioT().inapplicable(holdout))
    assert "bayle_z" in str(BayleZ().inapplicable(sources))
    assert "theta_B" in str(ThetaT().inapplicable(single))
    assert PairedTBlocks().inapplicable(sources) is None
    assert NadeauBengioT().inapplicable(sources) is None
    assert ThetaT().inapplicable(sources) is None
    assert BayleZ().inapplicable(build_layout(BlockKind.RANDOM, [0, 0, 1, 1])) is None


def test_exact_far_means_lose_no_digits() -> None:
    rng = np.random.default_rng(35)
    a = rng.integers(0, 64, (5, 8)) / 64
    b = rng.integers(0, 64, (5, 8)) / 64
    near, far = blocks_pair(a, b), blocks_pair(a + 2.0**30, b + 2.0**30)

    for method in (PairedTBlocks(), NadeauBengioT(), BayleZ(), ThetaT()):
        expected = method.test(near, TWO, rng_of()).p_value
        assert_close(method.test(far, TWO, rng_of()).p_value, expected, rtol=1e-12)


def rejections(method: PairedTBlocks | NadeauBengioT, draws: np.ndarray, n_test: float) -> int:
    zeros = np.zeros(draws.shape[1])
    return sum(
        (
            p := method.test(
                scores_pair(row, zeros, n_train=100 - n_test, n_test=n_test), TWO, rng_of()
            ).p_value
        )
        is not None
        and p < 0.05
        for row in draws
    )


@pytest.mark.about("paired_tests/nadeau_bengio_t", "paired_tests/paired_t_blocks")
def test_calibrated_size_with_the_assumed_correlation() -> None:
    """The corrected test holds its size when splits correlate by the test share; the plain not."""
    rng, reps, j, rho = np.random.default_rng(36), 2000, 10, 0.1
    common, own = rng.standard_normal((reps, 1)), rng.standard_normal((reps, j))
    draws = math.sqrt(rho) * common + math.sqrt(1 - rho) * own

    corrected = rejections(NadeauBengioT(), draws, 10) / reps
    plain = rejections(PairedTBlocks(), draws, 10) / reps

    error = math.sqrt(0.05 * 0.95 / reps)
    assert abs(corrected - 0.05) < 5 * error  # fails for 1 seed in 1.7 million
    # the plain statistic is the corrected one times sqrt((1/10 + 1/9)/(1/10)) = 1.453:
    # P(|t_9| > 2.2622/1.453) = .154
    assert abs(plain - 0.154) < 5 * math.sqrt(0.154 * 0.846 / reps)


@pytest.mark.about("paired_tests/theta_t")
def test_calibrated_theta_t_on_independent_sources() -> None:
    rng, reps = np.random.default_rng(37), 1000
    layout = build_layout(BlockKind.SOURCE, np.repeat(np.arange(5), 4))
    zeros, count = np.zeros(20), 0
    for _ in range(reps):
        values = np.repeat(rng.standard_normal(5), 4) + rng.standard_normal(20)
        pair = pair_over(layout, values, zeros)
        p_value = ThetaT(variance="theta_gamma").test(pair, LESS, rng_of()).p_value
        count += p_value is not None and p_value < 0.1

    assert abs(count / reps - 0.1) < 5 * math.sqrt(0.09 / reps)


@pytest.mark.about("paired_tests/theta_t")
@pytest.mark.outside("scipy.stats.ttest_1samp of the sources' mean differences, run here")
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_against_scipy_ttest_over_sources(alternative: Alternative) -> None:
    from scipy import stats

    a, b = np.random.default_rng(34).random((2, 8, 6))
    words = SCIPY_WORDS[alternative]
    theirs = stats.ttest_1samp((a - b).mean(axis=1), 0, alternative=words)

    pair = blocks_pair(a, b, BlockKind.SOURCE)
    outcome = ThetaT(variance="theta_gamma").test(pair, alternative, rng_of())

    assert_close(outcome.statistic, theirs.statistic, rtol=1e-11)
    assert_close(outcome.p_value, theirs.pvalue, rtol=1e-11)


@pytest.mark.about("paired_tests/bayle_z")
@pytest.mark.outside(
    "mlr-org/mlr3inferr, MeasureCiWaldCV in R 4.2.2 (vector mlr3inferr_wald_holdout)"
)
def test_golden_bayle_z_from_the_wald_interval_of_mlr3inferr() -> None:
    losses = [[0.3, 1.2, 0.1, 0.7], [0.9, 0.2, 1.5, 0.4], [0.6, 0.8, 1.1, 0.05]]
    lower, upper = 0.402866527196501, 0.905466806136832  # of all pairs, at 95 %
    error = (upper - lower) / 2 / 1.959963984540054

    outcome = BayleZ().test(blocks_pair(losses, np.zeros((3, 4))), TWO, rng_of())

    assert_close(outcome.statistic, (upper + lower) / 2 / error, rtol=1e-11)
