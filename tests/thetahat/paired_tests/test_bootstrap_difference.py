"""Paired bootstrap test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from tests.thetahat.analyses.losses.tables import evaluated
from tests.thetahat.paired_tests.pairs import assert_close, pair_over, rng_of
from thetahat.analyses.losses import Choices, ChosenMethod
from thetahat.intervals.percentile import Percentile
from thetahat.numerics.bootstrap import SharedResamples, draw_seed
from thetahat.numerics.bootstrap import shared_resamples as shared
from thetahat.numerics.bootstrap.interval_ends import percentile_reach
from thetahat.paired_tests.base import PairBatch, PairedLosses
from thetahat.paired_tests.bootstrap_difference import BootstrapDifference
from thetahat.seeds import make_random_stream
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind, FloatArray

TWO, LESS, GREATER = Alternative.TWO_SIDED, Alternative.LESS, Alternative.GREATER


def holdout_pair(difference: FloatArray) -> PairedLosses:
    layout = build_layout(BlockKind.HOLDOUT, [0] * len(difference))
    return pair_over(layout, difference, np.zeros(len(difference)))


# By hand: the binomial distribution of resampled 0 and 1 differences.
def test_by_hand_share_of_resamples_as_far_out() -> None:
    # differences 1, 1, 1, -1: D = 1/2; a resample with j of its 4 draws above 0, j ~ binomial(4,
    # 3/4), has D* = (2 j - 4) / 4; |D* - 1/2| >= 1/2 for j = 4, 2, 1, 0, all but 27/64 of them
    test = BootstrapDifference(n_resamples=100_000)
    pair = holdout_pair(np.array([1.0, 1.0, 1.0, -1.0]))

    error = np.sqrt(37 / 64 * 27 / 64 / 100_000)
    two = test.test(pair, TWO, rng_of(1))
    assert_close(two.p_value, 37 / 64, atol=5 * error)
    assert two.statistic == 0.5
    # one-sided: D* - 1/2 >= 1/2 for j = 4, (3/4)^4; D* - 1/2 <= 1/2 always
    greater = test.test(pair, GREATER, rng_of(1))
    assert_close(greater.p_value, (3 / 4) ** 4, atol=5 * error)
    assert test.test(pair, LESS, rng_of(1)).p_value == 1.0
    assert [c.code for c in two.cautions] == ["few_units"]


def test_limit_many_units_give_the_normal_tail() -> None:
    difference = np.random.default_rng(2).normal(0.07, 1, 900)
    outcome = BootstrapDifference(n_resamples=20_000).test(holdout_pair(difference), TWO, rng_of(3))

    z = difference.mean() / difference.std() * 30
    expected = 2 * ndtr(-abs(z))
    # Monte-Carlo error at z = 5, and the skewness of a mean of 900 in the third decimal
    error = np.sqrt(expected * (1 - expected) / 20_000)
    assert_close(outcome.p_value, expected, atol=5 * error + 0.002)


@pytest.mark.calibration
def test_calibrated_size_under_the_null() -> None:
    # 60 skewed differences of mean 0, 1500 times: the share of p < .05 is near .05. The test is
    # first-order correct: .02 of leeway beside 4 Monte-Carlo errors
    rng, n = np.random.default_rng(4), 1500
    test = BootstrapDifference(n_resamples=499)
    rejected = [
        (test.test(holdout_pair(rng.gamma(2, size=60) - 2), TWO, rng_of(i)).p_value or 0) < 0.05
        for i in range(n)
    ]

    assert abs(np.mean(rejected) - 0.05) < 4 * np.sqrt(0.05 * 0.95 / n) + 0.02


def test_exact_pairs_of_a_batch_share_their_resamples() -> None:
    rng = np.random.default_rng(5)
    layout = build_layout(BlockKind.RANDOM, np.arange(40) % 4)
    values = rng.normal(size=(3, 40))
    pairs = tuple(pair_over(layout, values[i], values[j]) for i, j in ((0, 1), (0, 2), (1, 2)))
    batch = PairBatch(
        pairs=pairs,
        positions=np.array([[0, 1], [0, 2], [1, 2]]),
        models=(pairs[0].a, pairs[0].b, pairs[1].b),
        n_pairs_total=3,
    )
    test = BootstrapDifference(n_resamples=499)

    many = test.test_many(batch, TWO, lambda *_: rng_of(6))
    again = test.test_many(batch, TWO, lambda *_: rng_of(6))
    assert len(batch.evaluation_cache._values) == 1
    for pair, first, two in zip(pairs, many, again, strict=True):
        alone = test.test(pair, TWO, rng_of(6))
        assert first.p_value == alone.p_value == two.p_value
        assert_close(first.statistic, alone.statistic, rtol=1e-12)


@pytest.mark.parametrize(("values", "most"), [(2, 0), (2, 2**26), (1000, 0), (1000, 2**26)])
def test_exact_a_pair_gets_the_same_alone_in_a_batch_and_beside_intervals(
    values: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "MAX_SHARED_DRAWS", most)
    rng = np.random.default_rng(7)
    layout = build_layout(BlockKind.RANDOM, np.arange(1200) % 3)
    losses = rng.integers(0, values, size=(3, 1200)) + 0.02 * values * np.arange(3)[:, None]
    table = LossTable(
        layout, {f"m{i}": BlockLosses(layout, values=row) for i, row in enumerate(losses)}
    )
    test = BootstrapDifference(n_resamples=499)
    named = Choices(
        tests=(
            ChosenMethod("bootstrap_difference", "bootstrap_difference", test),
            ChosenMethod("again", "bootstrap_difference", test),
        ),
        intervals=(ChosenMethod("percentile", "percentile", Percentile(n_resamples=499)),),
    )

    result = evaluated(table, named, 11)
    for (i, j), comparison in zip(((0, 1), (0, 2), (1, 2)), result["comparisons"], strict=True):
        pair = pair_over(layout, losses[i], losses[j])
        for key in comparison["tests"]:
            alone = test.test(pair, TWO, make_random_stream(11, f"tests/{key}"))
            assert comparison["tests"][key]["p_value"] == alone.p_value
            assert 0.002 < (alone.p_value or 0) < 0.9
    if values > 2:  # the same resamples: where p < .05, 0 lies outside the interval
        mirrored = SharedResamples({"d": pair.difference}, draw_seed(rng_of_test()))
        deviations = mirrored.of_model("d", 499).sorted_deviations
        (interval,) = comparison["intervals"]
        reach = percentile_reach(deviations, 0.025 / 3)  # the intervals of three pairs
        assert reach[0] is not None
        assert_close(interval["lower"], interval["estimate"] + reach[0], rtol=1e-10)


def rng_of_test() -> np.random.Generator:
    return make_random_stream(11, "tests/bootstrap_difference")


def test_degenerate_differences_that_do_not_vary() -> None:
    test = BootstrapDifference(n_resamples=99)
    none = test.test(holdout_pair(np.zeros(30)), TWO, rng_of(1))
    same = test.test(holdout_pair(np.full(30, 0.5)), TWO, rng_of(1))
    far = test.test(holdout_pair(np.arange(30.0) + 100), TWO, rng_of(1))

    assert (none.p_value, same.p_value, far.p_value) == (1.0, None, 0.01)
    assert [c.code for c in none.cautions] == [c.code for c in same.cautions] == ["zero_variance"]
    assert [c.code for c in far.cautions] == ["smallest_p_value"]


@pytest.mark.parametrize(("way", "p_value"), [(TWO, 0.125), (Alternative.GREATER, 0.0625)])
def test_exact_few_units_bound_the_p_value_as_those_of_a_sign_test(
    way: Alternative, p_value: float
) -> None:
    outcome = BootstrapDifference().test(holdout_pair(np.array([1, 1.1, 1.2, 1.3])), way, rng_of(1))

    assert outcome.p_value == p_value
    assert "smallest_p_value" not in [caution.code for caution in outcome.cautions]


@pytest.mark.parametrize("values", [2, 1000])
def test_exact_a_single_pair_gets_the_same_alone_and_beside_intervals(values: int) -> None:
    # losses of 0 and 1 are merged for the intervals, so that the test draws by itself
    rng = np.random.default_rng(8)
    layout = build_layout(BlockKind.RANDOM, np.arange(1200) % 2)
    losses = rng.integers(0, values, size=(2, 1200)).astype(np.float64)
    table = LossTable(
        layout, {n: BlockLosses(layout, values=r) for n, r in zip("ab", losses, strict=True)}
    )
    test = BootstrapDifference(n_resamples=199)
    named = Choices(
        tests=(ChosenMethod("bootstrap_difference", "bootstrap_difference", test),),
        intervals=(ChosenMethod("percentile", "percentile", Percentile(n_resamples=199)),),
    )

    (comparison,) = evaluated(table, named, 11)["comparisons"]
    alone = test.test(pair_over(layout, losses[0], losses[1]), TWO, rng_of_test())
    assert comparison["tests"]["bootstrap_difference"]["p_value"] == alone.p_value
    assert 0.01 < (alone.p_value or 0) < 0.99


@pytest.mark.outside("scipy.stats.binom: the number of resampled differences above 0, run here")
@pytest.mark.parametrize("n_above", [11, 13])
def test_against_scipy_binomial_of_resampled_signs(n_above: int) -> None:
    from scipy import stats

    difference = np.array([1.0] * n_above + [-1.0] * (20 - n_above))
    test = BootstrapDifference(n_resamples=100_000)

    p_value = test.test(holdout_pair(difference), TWO, rng_of(5)).p_value

    # D = (2 k - 20) / 20 and D* = (2 j - 20) / 20: |D* - D| >= |D| where |j - k| >= |k - 10|
    j = np.arange(21)
    chances = stats.binom.pmf(j, 20, n_above / 20)
    expected = float(chances[np.abs(j - n_above) >= n_above - 10].sum())
    error = np.sqrt(expected * (1 - expected) / 100_000)
    assert_close(p_value, expected, atol=5 * error)
