"""Intervals that rest on resamples."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import stdtr

from tests.thetahat.intervals.builders import (
    GREATER,
    LESS,
    TWO,
    codes,
    ends,
    holdout_of,
    sources_of,
)
from thetahat.errors import InvalidParameter
from thetahat.intervals import INTERVALS
from thetahat.intervals.basic import Basic
from thetahat.intervals.bca import Bca
from thetahat.intervals.percentile import Percentile
from thetahat.intervals.studentised import Studentised
from thetahat.numerics.bootstrap import SharedResamples
from thetahat.numerics.bootstrap.interval_ends import (
    bca_reach,
    compute_rounding,
    quantile,
    studentised_reach,
)
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind, FloatArray, MeanKind, Target
from thetahat.variances import VARIANCES

# mlxtend's documentation of its bootstrap, to four decimals
TEXT = """
    3.9144 5.9973 5.2830 3.4937 4.4214 6.6514 2.5733 4.5711 6.2659 4.1333 4.3211 4.9053
    6.4914 4.3611 4.5560 4.5656 7.2059 7.1868 6.0041 5.3862 5.7374 6.4907 4.0642 6.1758
    3.7461 4.3622 5.9071 3.5713 4.8599 4.1382 4.7444 2.2014 3.2285 4.3001 5.9275 4.8264
    5.0028 5.6882 4.1205 5.2836 4.1946 3.2723 4.6091 5.5738 5.3386 4.9882 7.3924 5.4129
    5.9787 7.2381 3.7059 3.9612 6.7437 4.2019 5.0297 6.0693 5.8907 6.7549 6.4956 6.0694
    4.2273 5.7949 5.3143 3.6737 6.4173 5.8072 5.0455 4.7669 3.8017 5.1995 5.4684 4.1688
    6.1622 3.9028 2.8769 6.0397 4.5966 4.8740 4.1625 3.3940 6.2552 4.3111 6.6610 5.8073
    4.6852 3.9141 4.2675 3.7875 7.0871 5.1644 6.1502 3.7326 5.1810 6.1779 4.6650 6.0311
    3.9154 3.6365 5.3794 4.6208
    """

SAMPLE = np.array(TEXT.split(), dtype=np.float64)
ALL = (Basic, Bca, Percentile, Studentised)


def built(
    kind: Any,
    losses: BlockLosses,
    n_resamples: int = 9999,
    level: float = 0.95,
    alternative: Alternative = TWO,
) -> Any:
    shared = SharedResamples({"m": losses}, 7, with_errors=kind.needs_errors)
    return kind(n_resamples).build_from_replicates(
        shared.of_model("m", n_resamples), level, alternative
    )


@pytest.mark.about("intervals/percentile")
@pytest.mark.outside("rasbt/mlxtend, documentation of bootstrap: se 0.11, interval 4.80 to 5.26")
def test_golden_percentile_of_mlxtends_sample() -> None:
    # vector bootstrap_mean
    interval = built(Percentile, holdout_of(SAMPLE), 50_000)

    # they drew 1000 times: an end's Monte-Carlo error is about 0.007, and two decimals are shown
    assert interval.estimate == pytest.approx(5.03, abs=0.005)
    assert_allclose(interval.standard_error, 0.11, atol=0.008)
    assert_allclose(ends(interval), [4.80, 5.26], atol=0.03)


@pytest.mark.about("intervals/bca", "intervals/percentile", "intervals/basic")
@pytest.mark.outside("scipy.stats.bootstrap on the same replicates")
@pytest.mark.parametrize("alternative", [TWO, LESS, GREATER])
@pytest.mark.parametrize(
    ("kind", "name"), [(Bca, "BCa"), (Percentile, "percentile"), (Basic, "basic")]
)
def test_against_scipy_on_the_same_replicates(
    kind: Any, name: str, alternative: Alternative
) -> None:
    from scipy import stats

    bootstrap: Any = stats.bootstrap

    values = np.random.default_rng(1).gamma(1.0, size=25)
    shared = SharedResamples({"m": holdout_of(values)}, 7)
    replicates = shared.of_model("m", 2999)
    interval = kind().build_from_replicates(replicates, 0.9, alternative)
    assert interval is not None

    theirs = bootstrap(
        (values,),
        np.mean,
        n_resamples=0,
        confidence_level=0.9,
        alternative={"two_sided": "two-sided"}.get(alternative, alternative),
        method=name,
        bootstrap_result=SimpleNamespace(
            bootstrap_distribution=replicates.estimate + replicates.deviations
        ),
    )
    low, high = theirs.confidence_interval
    # one-sided: their "less" is the interval without a lower end, as here
    assert interval.lower == (None if alternative is LESS else pytest.approx(low, rel=1e-10))
    assert interval.upper == (None if alternative is GREATER else pytest.approx(high, rel=1e-10))
    assert_allclose(interval.standard_error, theirs.standard_error, rtol=1e-12)


@pytest.mark.outside("scipy.stats.bootstrap of two samples on the same replicates")
def test_against_scipy_bca_over_blocks() -> None:
    from scipy import stats

    bootstrap: Any = stats.bootstrap

    rng = np.random.default_rng(2)
    first, second = rng.gamma(1.0, size=12), rng.gamma(3.0, size=30)
    layout = build_layout(BlockKind.RANDOM, [0] * 12 + [1] * 30)
    losses = BlockLosses(layout, values=np.concatenate([first, second]))
    replicates = SharedResamples({"m": losses}, 7).of_model("m", 2999)
    interval = Bca().build_from_replicates(replicates, 0.9, TWO)

    theirs = bootstrap(
        (first, second),
        lambda x, y, axis=-1: (np.mean(x, axis=axis) + np.mean(y, axis=axis)) / 2,
        n_resamples=0,
        confidence_level=0.9,
        method="BCa",
        bootstrap_result=SimpleNamespace(
            bootstrap_distribution=replicates.estimate + replicates.deviations
        ),
    )
    assert_allclose(ends(interval), theirs.confidence_interval, rtol=1e-9)


@pytest.mark.about("intervals/studentised", "intervals/basic", "intervals/percentile")
def test_by_hand_five_replicates() -> None:
    # 1, 4, 7: mean 4, V = 9, standard error sqrt 3. Deviations -2 -1 0 1 4 over errors 2 1 1 1 1
    # are t* = -1 -1 0 1 4; quantiles at .1 and .9 are -1 + .4 x 0 = -1 and 1 + .6 x 3 = 2.8
    shared = SharedResamples({"m": holdout_of([1.0, 4.0, 7.0])}, 7)
    replicates = replace(
        shared.of_model("m", 99),
        deviations=np.array([-2.0, -1.0, 0.0, 1.0, 4.0]),
        draw_errors=lambda: np.array([2.0, 1.0, 1.0, 1.0, 1.0]),
    )

    studentised, basic, percentile = (
        ends(kind().build_from_replicates(replicates, 0.8, TWO))
        for kind in (Studentised, Basic, Percentile)
    )

    assert_allclose(studentised, (4 - 2.8 * 3**0.5, 4 + 3**0.5), rtol=1e-12)
    # deviations at .1 and .9 are -2 + .4 = -1.6 and 2.8; the basic interval is the mirror image
    assert_allclose(percentile, (2.4, 6.8), rtol=1e-12)
    assert_allclose(basic, (1.2, 5.6), rtol=1e-12)


@pytest.mark.about("intervals/studentised")
def test_naive_studentised_from_its_definition() -> None:
    values = np.random.default_rng(3).gamma(2.0, size=40)
    replicates = SharedResamples({"m": holdout_of(values)}, 7).of_model("m", 999)
    interval = Studentised().build_from_replicates(replicates, 0.9, TWO)

    error = values.std(ddof=1) / np.sqrt(40)
    t = replicates.deviations / replicates.errors
    low, high = np.quantile(t, [0.05, 0.95])
    assert_allclose(ends(interval), [values.mean() - high * error, values.mean() - low * error])


@pytest.mark.about("intervals/bca")
def test_naive_bca_of_clusters_by_a_jackknife_in_a_loop() -> None:
    rng = np.random.default_rng(4)
    values, cluster = rng.gamma(1.0, size=60), rng.integers(0, 9, 60)
    replicates = SharedResamples({"m": holdout_of(values, cluster=cluster.tolist())}, 7).of_model(
        "m", 99
    )

    without = np.array([values[cluster != c].mean() for c in dict.fromkeys(cluster.tolist())])
    U = without.mean() - without
    assert_allclose(replicates.acceleration, (U**3).sum() / (6 * (U**2).sum() ** 1.5), rtol=1e-10)


@pytest.mark.about(
    "intervals/basic", "intervals/bca", "intervals/percentile", "intervals/studentised"
)
@pytest.mark.parametrize("kind", ALL)
def test_limit_many_units_give_the_normal_interval(kind: Any) -> None:
    values = np.random.default_rng(5).normal(size=4000)
    interval = built(kind, holdout_of(values), 20_000)

    # Monte-Carlo error of a quantile: sqrt(.025 x .975 / B) / density .058 = .019 standard errors
    error = values.std() / np.sqrt(4000)
    expected = values.mean() + np.array([-1.96, 1.96]) * error
    assert_allclose(ends(interval), expected, atol=5 * 0.019 * error)


@pytest.mark.about(
    "intervals/basic", "intervals/bca", "intervals/percentile", "intervals/studentised"
)
@pytest.mark.calibration
@pytest.mark.parametrize(("kind", "n"), [(Percentile, 20), (Basic, 20), (Studentised, 20)])
def test_calibrated_coverage_of_a_normal_mean(kind: Any, n: int) -> None:
    # percentile and basic take the variance with n in the place of n - 1, and a normal quantile:
    # they cover as |t| < 1.645 sqrt((n - 1) / n) does; the studentised finds t's own quantile
    rng, runs = np.random.default_rng(6), 1200
    held = 0
    for _ in range(runs):
        low, high = ends(built(kind, holdout_of(rng.normal(size=n)), 999, 0.9))
        held += low <= 0 <= high
    reach = 1.6449 * np.sqrt((n - 1) / n)
    expected = 0.9 if kind is Studentised else 1 - 2 * stdtr(n - 1, -reach)

    # 4 Monte-Carlo errors, and .01 for quantiles of 999 replicates
    assert abs(held / runs - expected) < 4 * np.sqrt(0.09 / runs) + 0.01


def test_exact_fields_of_an_interval() -> None:
    by_source = built(Percentile, sources_of(*[[float(k), k + 1.0] for k in range(25)]))
    assert by_source.target is Target.NEW_SOURCE
    assert by_source.mean is MeanKind.MACRO
    assert by_source.details == {"unit": "block", "n_units": 25, "n_resamples": 9999}
    assert codes(by_source) == ["liberal_if_blocks_covary"]

    few = built(Percentile, sources_of(*[[float(k), k + 1.0] for k in range(4)]), 150)
    assert codes(few) == ["few_resamples", "few_units", "liberal_if_blocks_covary"]

    layout = build_layout(BlockKind.RANDOM, [0, 0, 1, 1, 1])
    folds = built(Percentile, BlockLosses(layout, values=np.arange(5.0)))
    assert folds.target is Target.THESE_MODELS
    assert codes(folds) == ["small_blocks", "ignores_training_variance"]
    # (1/2 + 1/3) / 2 of the variance is missing
    assert "about 42 %" in folds.cautions[0].message


@pytest.mark.parametrize("kind", ALL)
def test_degenerate_losses_that_do_not_vary_give_no_interval(kind: Any) -> None:
    assert built(kind, holdout_of([0.5] * 10)) is None
    losses = holdout_of([0, 1])
    variance = VARIANCES["iid"]().estimate(losses)
    assert kind().build(losses, VARIANCES["iid"].info, variance, 0.9, TWO) is None


@pytest.mark.parametrize("n_errors", [3, 6, 7])
def test_exact_bca_counts_resamples_with_the_mean_of_the_data_half(n_errors: int) -> None:
    """Of ten losses of 0 and 1, more than a fifth of the resamples have as many errors."""
    losses = holdout_of([0.0] * (10 - n_errors) + [1.0] * n_errors)
    replicates = SharedResamples({"m": losses}, 7).of_model("m", 999)
    exact = np.rint(np.sort(replicates.deviations) * 10) / 10
    reach, _ = bca_reach(exact, replicates.acceleration, 0.025)

    interval = built(Bca, losses, 999)

    assert_allclose(ends(interval), n_errors / 10 + np.array(reach, dtype=float), atol=1e-12)
    assert 0.2 < (exact == 0).mean() < 0.4


def test_exact_bca_takes_deviations_within_rounding_for_none() -> None:
    values = np.array([-0.2, -0.1, 0.0, 0.0, 0.0, 0.1, 0.3])
    rounded = values + np.array([0, 0, -1e-16, 1e-16, 2e-16, 0, 0])
    rounding = compute_rounding(rounded, 0.7)

    reach, cautions = bca_reach(rounded, 0.1, 0.1, rounding)
    assert reach == pytest.approx(bca_reach(values, 0.1, 0.1)[0], abs=1e-15)
    assert cautions == ()
    assert 1e-15 < rounding < 1e-13
    assert compute_rounding(values, 0.0) < 1e-14


def test_degenerate_bca_with_all_replicates_on_one_side() -> None:
    (low, high), (caution,) = bca_reach(np.array([0.1, 0.2, 0.3]), 0.0, 0.05)

    assert (low, high) == (None, None)
    assert caution.code == "replicates_on_one_side"
    (low, high), (caution,) = bca_reach(np.array([-0.1, 0.2, 0.3]), 0.9, 1e-9)
    assert (low, high) == (None, None)
    assert caution.code == "acceleration_too_large"


def test_degenerate_bca_leaves_the_ends_open_with_its_caution() -> None:
    # one loss stands out so far that the formula breaks down at this level
    losses = holdout_of([0.0] * 50 + [1.0])
    interval = built(Bca, losses, 999, 1 - 1e-9)

    assert (interval.lower, interval.upper) == (None, None)
    assert codes(interval)[0] == "acceleration_too_large"


def test_degenerate_studentised_with_resamples_without_a_spread() -> None:
    interval = built(Studentised, holdout_of([0.0, 1.0, 3.0]))

    assert interval.lower is None
    assert interval.upper is None
    assert codes(interval)[0] == "resamples_without_spread"
    assert studentised_reach(np.array([-np.inf, 0.0, 1.0]), 2.0, 0.25) == (-1.0, None)


def test_by_hand_quantile_is_linear_between_values() -> None:
    values: FloatArray = np.array([1.0, 2.0, 4.0, 8.0])

    for p in (0.0, 0.1, 0.5, 2 / 3, 0.99, 1.0):
        assert quantile(values, p) == pytest.approx(np.quantile(values, p), rel=1e-14)
    assert quantile(np.array([np.inf, np.inf]), 0.5) == np.inf


@pytest.mark.parametrize("name", ["basic", "bca", "percentile", "studentised"])
def test_invalid_number_of_resamples_and_layouts(name: str) -> None:
    kind: Any = INTERVALS[name]
    with pytest.raises(InvalidParameter, match="n_resamples must be from 99 to 1000000"):
        kind(98)
    alone = build_layout(BlockKind.RANDOM, [0, 1, 2])
    assert "every fold has one" in kind().inapplicable(alone)
    mixed = build_layout(BlockKind.RANDOM, [0, 1, 1])
    reason = kind().inapplicable(mixed)
    assert (reason is None) == (name != "studentised")
