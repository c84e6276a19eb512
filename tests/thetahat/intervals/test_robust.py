"""trimmed_mean, median_of_means and catoni: intervals that rest less on the largest losses."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import binom, mstats, quantile_test, trim_mean, ttest_ind

import thetahat
from tests.thetahat.intervals.builders import GREATER, LESS, TWO, codes, ends, holdout_of
from thetahat.errors import InvalidParameter
from thetahat.intervals.base import Interval, IntervalOfLosses
from thetahat.intervals.catoni import Catoni
from thetahat.intervals.median_of_means import MedianOfMeans
from thetahat.intervals.trimmed_mean import TrimmedMean
from thetahat.values.types import FloatArray

LOSSES = np.array([0.3, 1.2, 0.1, 0.7, 0.9, 0.2, 1.5, 0.4, 0.6, 0.8, 1.1, 0.05, 9.0, 0.33, 0.02])


def build(method: IntervalOfLosses, values: Any = LOSSES, level: float = 0.95) -> Interval:
    interval = method.build_from_losses(holdout_of(values), level, TWO)
    assert interval is not None
    return interval


@pytest.mark.about("intervals/trimmed_mean")
@pytest.mark.outside(
    "scipy.stats.trim_mean, and ttest_ind(trim=0.1) for Yuen's standard error, run here"
)
def test_against_scipy_trimmed_mean() -> None:
    interval = build(TrimmedMean())

    assert_allclose(interval.estimate, trim_mean(LOSSES, 0.1), rtol=1e-12)
    # two copies: t = (x - y) / sqrt(2 s^2), degrees 2 (h - 1)
    shifted = ttest_ind(LOSSES + 1.0, LOSSES, trim=0.1)
    error = interval.standard_error
    assert error is not None
    assert_allclose(shifted.statistic, 1 / math.sqrt(2 * error**2), rtol=1e-10)
    assert_allclose(shifted.df, 2 * (interval.degrees_of_freedom or 0))
    # Tukey and McLaughlin's form, which scipy.stats.mstats has, differs by terms of order 1/n
    theirs = mstats.trimmed_mean_ci(LOSSES, (0.1, 0.1), alpha=0.05)
    assert_allclose(ends(interval), theirs, atol=0.03)


@pytest.mark.about("intervals/trimmed_mean")
def test_exact_trimmed_mean_says_that_it_is_about_something_else() -> None:
    result = thetahat.evaluate({"a": LOSSES}, blocks="holdout", intervals=["trimmed_mean"])

    (interval,) = result.models["a"].intervals or ()
    assert not interval.recommended
    assert codes(interval)[0] == "trimmed_losses"
    assert f"{LOSSES.mean():.6g}"[:4] in interval.cautions[0].message
    assert interval.details == {"n_cut_at_each_end": 1}


@pytest.mark.about("intervals/median_of_means")
@pytest.mark.parametrize("k", [6, 9, 17])
def test_against_scipy_stats_quantile_test_of_the_group_means(k: int) -> None:
    values = np.random.default_rng(2).lognormal(size=5 * k)
    means = [values[j::k].mean() for j in range(k)]

    theirs: Any = quantile_test(means, q=0, p=0.5).confidence_interval(0.95)

    assert_allclose(ends(build(MedianOfMeans(n_groups=k), values)), (theirs.low, theirs.high))


@pytest.mark.about("intervals/median_of_means")
def test_naive_median_of_means() -> None:
    groups = [LOSSES[k::6] for k in range(6)]
    means = sorted(float(np.mean(group)) for group in groups)

    interval = build(MedianOfMeans())

    assert_allclose(interval.estimate, (means[2] + means[3]) / 2)
    assert_allclose(ends(interval), (means[0], means[5]))
    assert interval.details == {"n_groups": 6}


@pytest.mark.about("intervals/median_of_means")
@pytest.mark.parametrize(("k", "level"), [(7, 0.95), (9, 0.95), (17, 0.95), (9, 0.9), (30, 0.99)])
def test_naive_median_of_means_takes_the_innermost_means_of_that_level(
    k: int, level: float
) -> None:
    values = np.random.default_rng(3).exponential(size=4 * k)
    means = np.sort([values[j::k].mean() for j in range(k)])
    tail = (1 - level) / 2
    rank = max(r for r in range(k) if binom.cdf(r - 1, k, 0.5) <= tail)

    interval = build(MedianOfMeans(n_groups=k), values, level)

    assert_allclose(ends(interval), (means[rank - 1], means[k - rank]))


@pytest.mark.about("intervals/median_of_means")
def test_exact_median_of_means_over_all_samples_of_a_symmetric_distribution() -> None:
    """Over every sample of 8 signs in 4 groups, its level for the median 0 is at least 1 - 2/16."""
    covered = []
    for signs in itertools.product((-1.0, 1.0), repeat=8):
        interval = MedianOfMeans(n_groups=4).build_from_losses(holdout_of(signs), 0.875, TWO)
        assert interval is not None
        lower, upper = ends(interval)
        covered.append(lower <= 0 <= upper)

    # a group's mean is -1, 0 or 1 with 1/4, 1/2, 1/4: all above 0 or all below it in 2 of 4^4
    assert np.mean(covered) == 1 - 2 / 256


@pytest.mark.about("intervals/catoni")
@pytest.mark.parametrize("bound", [None, 4.0])
@pytest.mark.parametrize("alternative", [TWO, LESS, GREATER])
def test_naive_catoni_is_proposition_2_4(bound: float | None, alternative: Any) -> None:
    n = len(LOSSES)
    variance = float(LOSSES.var(ddof=1)) if bound is None else bound
    size = math.log(1 / (0.025 if alternative is TWO else 0.05))
    a = math.sqrt(2 * size / (n * (variance + 2 * variance * size / (n - 2 * size))))
    low, high = LOSSES.min(), LOSSES.max()
    for _ in range(200):  # bisection of the decreasing sum, one loss at a time
        middle = (low + high) / 2
        total = 0.0
        for loss in LOSSES:
            x = a * (loss - middle)
            total += math.log(1 + x + x * x / 2) if x >= 0 else -math.log(1 - x + x * x / 2)
        low, high = (middle, high) if total > 0 else (low, middle)
    reach = math.sqrt(2 * variance * size / (n - 2 * size))

    interval = Catoni(variance_bound=bound).build_from_losses(holdout_of(LOSSES), 0.95, alternative)

    assert interval is not None
    assert_allclose(interval.estimate, low, rtol=1e-10)
    for end, expected in ((interval.lower, low - reach), (interval.upper, low + reach)):
        assert end is None or end == pytest.approx(expected, rel=1e-9)
    assert ("variance_without_bound" in codes(interval)) == (bound is None)


@pytest.mark.about("intervals/catoni")
def test_by_hand_catoni_of_symmetric_losses() -> None:
    """By symmetry the estimate is 3; log 40 = 3.688879, and 2 log 40 / (10 - 2 log 40) = 2.813532.

    The square root of that is 1.677359, the reach for a variance of 1.
    """
    values = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]

    interval = build(Catoni(variance_bound=1.0), values)

    assert interval.estimate == pytest.approx(3, abs=1e-12)
    assert_allclose(ends(interval), (3 - 1.677359, 3 + 1.677359), atol=1e-6)


def test_degenerate_too_few_or_equal_losses_give_none() -> None:
    equal, few = holdout_of(np.ones(30)), holdout_of(LOSSES[:7])
    for method in (TrimmedMean(), Catoni()):
        assert method.build_from_losses(equal, 0.95, TWO) is None
    assert Catoni().build_from_losses(few, 0.95, TWO) is None
    assert MedianOfMeans().build_from_losses(few, 0.95, TWO) is None
    assert MedianOfMeans(n_groups=3).build_from_losses(holdout_of(LOSSES), 0.95, TWO) is None

    result = thetahat.evaluate({"a": LOSSES[:7]}, blocks="holdout", intervals=["catoni"])
    left_out = [omitted.name for omitted in result.not_applicable if omitted.family == "intervals"]
    assert left_out == ["catoni"]


@pytest.mark.parametrize(
    "method", [MedianOfMeans(n_groups=7), Catoni(variance_bound=4.0)], ids=["means", "catoni"]
)
def test_property_ends_hold_the_estimate_and_grow_with_the_level(method: IntervalOfLosses) -> None:
    values = np.random.default_rng(14).exponential(size=60)
    widths = []
    for level in (0.5, 0.8, 0.9, 0.98):
        interval = build(method, values, level)
        lower, upper = ends(interval)
        assert lower <= interval.estimate <= upper
        widths.append(upper - lower)

    assert widths == sorted(widths)


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        (TrimmedMean, {"share": 0.5}),
        (TrimmedMean, {"share": 0.0}),
        (MedianOfMeans, {"n_groups": 1}),
        (Catoni, {"variance_bound": 0.0}),
    ],
)
def test_invalid_parameters(method: Any, parameters: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        method(**parameters)


def test_invalid_clusters_and_repeats_are_refused() -> None:
    for method in (TrimmedMean(), MedianOfMeans(), Catoni()):
        reason = method.inapplicable(holdout_of(LOSSES[:3], cluster=[0, 0, 1]).layout)
        assert reason is not None
        assert "in clusters" in reason


def test_exact_they_are_by_request_and_not_for_differences() -> None:
    losses = {"a": LOSSES, "b": LOSSES[::-1].copy()}
    default = thetahat.evaluate(losses, blocks="holdout")
    named = thetahat.evaluate(
        losses, blocks="holdout", intervals=["catoni", "median_of_means", "student_t"]
    )

    assert "catoni" not in str(default.models)
    assert {i.method for i in named.models["a"].intervals or ()} == {
        "catoni",
        "median_of_means",
        "student_t",
    }
    (comparison,) = named.comparisons
    assert "catoni" not in str(comparison)


@pytest.mark.calibration
@pytest.mark.parametrize(
    ("method", "variance", "least", "most"),
    [
        (MedianOfMeans(), 1.0, 0.94, 0.99),
        (Catoni(variance_bound=1.0), 1.0, 0.97, 1.0),
    ],
)
def test_calibrated_on_exponential_losses(
    method: IntervalOfLosses, variance: float, least: float, most: float
) -> None:
    rng = np.random.default_rng(11)
    covered = []
    for _ in range(1000):
        values: FloatArray = rng.exponential(size=120) * math.sqrt(variance)
        lower, upper = ends(build(method, values))
        covered.append(lower <= 1.0 <= upper)

    assert least < np.mean(covered) < most


@pytest.mark.parametrize(
    ("method", "n", "level", "reason"),
    [
        ("catoni", 5, 0.95, "catoni needs 8 or more instances at level 0.95, and there are 5"),
        ("catoni", 7, 0.95, "catoni needs 8 or more instances at level 0.95, and there are 7"),
        (
            "median_of_means",
            11,
            0.95,
            "median_of_means needs 12 or more instances, two in each of 6 groups, and there are 11",
        ),
        (
            MedianOfMeans(n_groups=5),
            40,
            0.95,
            "median_of_means needs more than 5 groups at level 0.95",
        ),
    ],
)
def test_exact_an_interval_that_is_left_out_has_its_reason(
    method: Any, n: int, level: float, reason: str
) -> None:
    losses = {"a": LOSSES.repeat(3)[:n]}
    result = thetahat.evaluate(
        losses, blocks="holdout", level=level, intervals=[method, "student_t"]
    )

    assert [interval.method for interval in result.models["a"].intervals or ()] == ["student_t"]
    reasons = {omitted.name: omitted.reason for omitted in result.not_applicable}
    assert reasons["median_of_means" if "median" in reason else "catoni"] == reason


@pytest.mark.parametrize(("method", "n"), [("catoni", 8), ("median_of_means", 12)])
def test_exact_the_least_number_of_instances_is_enough(method: Any, n: int) -> None:
    losses = {"a": LOSSES[:n]}
    result = thetahat.evaluate(losses, blocks="holdout", intervals=[method])

    assert [interval.method for interval in result.models["a"].intervals or ()] == [method]


def test_exact_catoni_on_constant_losses_says_that_they_do_not_vary() -> None:
    losses = {"a": np.full(20, 0.5), "b": LOSSES.repeat(2)[:20]}
    result = thetahat.evaluate(losses, blocks="holdout", intervals=["catoni"])

    reasons = {omitted.name: omitted.reason for omitted in result.not_applicable}
    assert "do not vary" in reasons["catoni"]
    assert not result.models["a"].intervals
    assert len(result.models["b"].intervals or ()) == 1
