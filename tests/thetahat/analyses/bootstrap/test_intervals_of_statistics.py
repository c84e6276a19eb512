from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.thetahat.statistics.replicating import LAW_GPA, LAW_LSAT, bootstrap_rows, drawn, sample
from thetahat.analyses.bootstrap import resampling
from thetahat.analyses.bootstrap.intervals import METHODS, build_intervals, explain_misfit
from thetahat.analyses.bootstrap.resampling import MAX_DRAWS, check_size
from thetahat.distributions import compute_tail_probability
from thetahat.errors import InvalidParameter
from thetahat.statistics import Sample, Statistic
from thetahat.statistics.auc import Auc
from thetahat.statistics.correlation import Correlation
from thetahat.statistics.difference import Difference
from thetahat.statistics.mean import MeanStatistic
from thetahat.statistics.median import Median
from thetahat.statistics.variance import Variance
from thetahat.values.types import Alternative

X = np.random.default_rng(0).exponential(1, 25)
TWO = Alternative.TWO_SIDED


def ends(
    statistic: Statistic, data: Sample, name: str, level: float = 0.95, n_resamples: int = 999
) -> tuple[float, float]:
    replicates = drawn(statistic, data, n_resamples, errors=name == "studentised")
    interval = build_intervals(replicates, statistic, [name], level, TWO)[0]
    assert interval.lower is not None
    assert interval.upper is not None
    return interval.lower, interval.upper


def variance(x: Any, axis: int = -1) -> Any:
    return np.var(x, axis=axis, ddof=1)


def mean_difference(x: Any, y: Any, axis: int = -1) -> Any:
    return np.mean(x, axis=axis) - np.mean(y, axis=axis)


CASES: list[tuple[Statistic, Any, tuple[Any, ...]]] = [
    (MeanStatistic(), np.mean, (X,)),
    (Variance(), variance, (X,)),
    (Median(), np.median, (X,)),
    (Difference(), mean_difference, (X, np.random.default_rng(1).normal(0, 2, 11))),
]


@pytest.mark.outside("scipy.stats.bootstrap(..., n_resamples=0, bootstrap_result=ours)")
@pytest.mark.parametrize("name", ["percentile", "basic", "bca"])
@pytest.mark.parametrize(("statistic", "function", "data"), CASES, ids=lambda v: type(v).__name__)
def test_against_scipy_on_the_same_replicates(
    statistic: Statistic, function: Any, data: tuple[Any, ...], name: str
) -> None:
    replicates = drawn(statistic, sample(*data), 999)
    scipy_s: Any = stats.bootstrap
    theirs = scipy_s(
        data,
        function,
        n_resamples=0,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=replicates.values),
        method="BCa" if name == "bca" else name,
        vectorized=True,
    )

    low, high = theirs.confidence_interval
    assert_allclose(ends(statistic, sample(*data), name), (low, high), rtol=1e-9)
    assert replicates.standard_error is not None
    assert_allclose(replicates.standard_error, theirs.standard_error)


def test_against_scipy_paired_and_with_resamples_of_its_own() -> None:
    theirs = stats.bootstrap(
        (LAW_LSAT, LAW_GPA),
        lambda x, y: np.corrcoef(x, y)[0, 1],
        paired=True,
        vectorized=False,
        n_resamples=2000,
        method="percentile",
        rng=np.random.default_rng(2),
    )
    replicates = drawn(Correlation(), sample(LAW_LSAT, LAW_GPA), 20_000)

    assert replicates.standard_error is not None
    assert_allclose(
        replicates.standard_error, theirs.standard_error, rtol=5 / (2 * 2000) ** 0.5 * 1.5
    )
    low, high = theirs.confidence_interval
    mine = build_intervals(replicates, Correlation(), ["percentile"], 0.95, TWO)[0]
    # the density near the ends gives a quantile of 2000 replicates an error of about .014 and .003
    assert mine.lower is not None
    assert mine.upper is not None
    assert abs(mine.lower - low) < 5 * 0.014
    assert abs(mine.upper - high) < 5 * 0.003


def test_exact_the_formulas_on_given_replicates() -> None:
    x = sample([3, 5, 2, 1, 7])
    rows = [[a, b, c, 0, 4] for a in range(5) for b in range(5) for c in range(5)]
    replicates = bootstrap_rows(MeanStatistic(), x, rows, errors=True)
    values, estimate = np.array([x.x[list(row)].mean() for row in rows]), 3.6
    errors = np.array([x.x[list(row)].std(ddof=1) / 5**0.5 for row in rows])
    low, high = np.quantile(values, [0.05, 0.95])
    t = np.quantile((values - estimate) / errors, [0.95, 0.05])
    reach = 1.6448536269514722 * values.std(ddof=1)

    normal, percentile, basic, _, studentised = (
        (i.lower, i.upper) for i in build_intervals(replicates, MeanStatistic(), METHODS, 0.9, TWO)
    )

    assert_allclose(np.array(normal, dtype=float), [estimate - reach, estimate + reach])
    assert_allclose(np.array(percentile, dtype=float), [low, high])
    assert_allclose(np.array(basic, dtype=float), [2 * estimate - high, 2 * estimate - low])
    own = x.x.std(ddof=1) / 5**0.5
    assert_allclose(np.array(studentised, dtype=float), estimate - t * own)


@pytest.mark.parametrize("name", METHODS)
def test_property_one_sided_ends_are_those_of_twice_the_tail(name: str) -> None:
    replicates = drawn(MeanStatistic(), sample(X), 500, errors=True)
    both = build_intervals(replicates, MeanStatistic(), [name], 0.9, TWO)[0]
    less = build_intervals(replicates, MeanStatistic(), [name], 0.95, Alternative.LESS)[0]
    greater = build_intervals(replicates, MeanStatistic(), [name], 0.95, Alternative.GREATER)[0]

    assert (less.lower, greater.upper) == (None, None)
    assert_allclose([greater.lower or 0, less.upper or 0], [both.lower or 0, both.upper or 0])


@pytest.mark.calibration
def test_calibrated_studentised_covers_a_skewed_mean_better_than_percentile() -> None:
    hits = {"percentile": 0, "studentised": 0}
    rounds, rng = 400, np.random.default_rng(5)
    for i in range(rounds):
        replicates = drawn(
            MeanStatistic(), sample(rng.exponential(1, 15)), 399, seed=i, errors=True
        )
        for each in build_intervals(replicates, MeanStatistic(), list(hits), 0.9, TWO):
            assert each.lower is not None
            assert each.upper is not None
            hits[each.method] += each.lower <= 1 <= each.upper

    error = (0.9 * 0.1 / rounds) ** 0.5
    assert abs(hits["studentised"] / rounds - 0.9) < 4 * error
    assert hits["percentile"] < hits["studentised"]


def codes(interval: Any) -> list[str]:
    return [caution.code for caution in interval.cautions]


@pytest.mark.parametrize("name", METHODS)
def test_degenerate_nothing_is_built_without_a_spread(name: str) -> None:
    same = drawn(MeanStatistic(), sample([2.0] * 30), 999, errors=True)
    single = bootstrap_rows(MeanStatistic(), sample([1, 2, 3]), [[0, 1, 1]], errors=True)
    for replicates, code in ((same, "no_spread"), (single, "one_replicate")):
        interval = build_intervals(replicates, MeanStatistic(), [name], 0.95, TWO)[0]
        assert (interval.lower, interval.upper) == (None, None)
        assert codes(interval)[0] == code
    assert single.variance is None


def test_degenerate_all_replicates_on_one_side() -> None:
    replicates = bootstrap_rows(MeanStatistic(), sample([1, 2, 9]), [[0, 1, 1], [0, 0, 1]] * 50)
    interval = build_intervals(replicates, MeanStatistic(), ["bca"], 0.95, TWO)[0]

    assert (interval.lower, interval.upper) == (None, None)
    assert codes(interval) == ["replicates_on_one_side", "few_resamples"]


def test_degenerate_a_jackknife_without_a_value() -> None:
    data = sample([1, 4, 3, 2, 5], [0, 0, 1, 0, 0])
    replicates = drawn(Auc(), data, 999, errors=True)

    for each in build_intervals(replicates, Auc(), ["bca", "studentised"], 0.95, TWO):
        assert (each.lower, each.upper) == (None, None)
        assert codes(each) == ["jackknife_undefined"]


def test_degenerate_resamples_without_a_spread_of_their_own() -> None:
    replicates = drawn(MeanStatistic(), sample([1, 2, 9]), 999, errors=True)
    interval = build_intervals(replicates, MeanStatistic(), ["studentised"], 0.95, TWO)[0]

    assert codes(interval) == ["resamples_without_spread"]
    assert None in (interval.lower, interval.upper)


def test_degenerate_the_acceleration_of_a_quantile_and_of_equal_values() -> None:
    replicates = drawn(Median(), sample(X), 999)
    assert codes(build_intervals(replicates, Median(), ["bca"], 0.95, TWO)[0]) == [
        "acceleration_of_a_quantile"
    ]
    tied = drawn(Median(), sample([1, 5, 5, 5, 9, 9]), 99)
    assert tied.acceleration == pytest.approx(0)
    flat = drawn(Median(), sample([1, 5, 5, 5, 5, 9]), 99)
    assert flat.acceleration == 0


def test_exact_studentised_fits_smooth_statistics_of_not_too_many_draws() -> None:
    assert explain_misfit("studentised", MeanStatistic(), 100) is None
    assert "not consistent" in str(explain_misfit("studentised", Median(), 100))
    assert "not consistent" in str(
        explain_misfit("studentised", Difference(statistic="median"), 100)
    )
    assert "jackknife of each" in str(
        explain_misfit("studentised", MeanStatistic(), resampling.MAX_STUDENTISED + 1)
    )
    assert explain_misfit("bca", Median(), 10**9) is None


def test_invalid_level_and_size() -> None:
    with pytest.raises(InvalidParameter, match="level must be above 0 and at most"):
        compute_tail_probability(1.0, TWO)
    check_size(1000, MAX_DRAWS // 1000 // 4, loc=())
    with pytest.raises(InvalidParameter, match="Request at most 40 resamples"):
        check_size(100_000_000, 41, loc=("n_resamples",))
    for n in (1, 1_000_001):
        with pytest.raises(InvalidParameter, match="n_resamples must lie in 2 to 1000000"):
            check_size(5, n, loc=("n_resamples",))
