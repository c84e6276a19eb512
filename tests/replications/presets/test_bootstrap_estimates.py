"""The bootstrap's estimates beside truths that are known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from thetahat.analyses.bootstrap.resampling import bootstrap_statistic
from thetahat.analyses.studies.base import Records
from thetahat.errors import EvaluationError
from thetahat.numerics.bootstrap.resamples import HashedResamples
from thetahat.statistics import Sample
from thetahat.values.json_values import to_json
from thetahat_replications.presets.bootstrap_estimates.preset import (
    BootstrapEstimates,
    build_statistic,
    compute_plain_values,
)

SMALL = BootstrapEstimates(
    n=10, plain=3, resamples=100, statistics=("mean", "variance", "correlation")
)


@pytest.fixture(name="records", scope="module")
def fixture_records() -> Records:
    return SMALL.plan({}, 3).run(0, 400)


# By hand: moments of the exponential distribution.
def test_by_hand_bias_and_variance_of_mean_and_variance(records: Records) -> None:
    row = {
        table_row["statistic"]: table_row
        for table_row in to_json(SMALL.plan({}, 3).finish(records).tables[0])["rows"]
    }
    # mean of 10: variance 1/10, bootstrap estimate (n - 1)/n^2 of it in the mean: .09
    # variance with ddof 0: bias -1/10, the bootstrap expects -s^2/n, whose mean is -.9/10
    expected = [("mean", "bias", 0.0), ("mean", "variance", 0.1), ("mean", "bootstrap_bias", 0.0)]
    expected += [("mean", "bootstrap_variance", 0.09), ("variance", "bias", -0.1)]
    expected += [("variance", "bootstrap_bias", -0.09)]
    for statistic, column, value in expected:
        number = row[statistic][column]
        assert abs(number["value"] - value) < 4.5 * number["standard_error"], (statistic, column)


def test_naive_coverage_is_a_count(records: Records) -> None:
    row = to_json(SMALL.plan({}, 3).finish(records).tables[1])["rows"][0]
    ends = records["mean/ends"][:, 1]
    covers = [low <= 1 <= high for low, high in ends]
    assert row["percentile"]["value"] == pytest.approx(np.mean(covers))


def test_naive_power_is_a_count_over_that_of_the_ideal_interval(records: Records) -> None:
    row = to_json(SMALL.plan({}, 3).finish(records).tables[1])["rows"][1]  # of the variance
    ends, values = records["variance/ends"][:, 3], records["variance/value"]
    shift = 3 * np.std(values, ddof=1)
    assert shift > 1  # a variance of 1 - shift does not exist, so that one side is left out
    finds = [high < 1 + shift for low, high in ends if low < high]
    ideal = stats.norm.cdf(3 - stats.norm.ppf(0.975))
    assert row["bca_power"]["value"] == pytest.approx(sum(finds) / len(ends) / ideal, rel=1e-6)


def test_exact_any_cut_gives_the_same_records(records: Records) -> None:
    study = SMALL.plan({}, 3)
    for name, values in study.run(7, 11).items():
        np.testing.assert_array_equal(values, records[name][7:11])


@pytest.mark.about("presets/bootstrap_estimates")
def test_exact_the_median_of_an_exponential_is_log_two() -> None:
    study = BootstrapEstimates(n=5, resamples=50, statistics=("median",)).plan({}, 1)
    row = to_json(study.finish(study.run(0, 4)).tables[0])["rows"][0]
    assert row["truth"] == pytest.approx(math.log(2))


@pytest.mark.about("presets/bootstrap_estimates")
def test_exact_normal_samples_can_be_asked_for() -> None:
    study = BootstrapEstimates(
        n=8, resamples=50, distribution="normal", statistics=("mean", "standard_deviation")
    ).plan({}, 1)
    result = study.finish(study.run(0, 6))
    assert [row["truth"] for row in to_json(result.tables[0])["rows"]] == [0.0, 1.0]


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"n": 4}, "n"),
        ({"resamples": 49}, "resamples"),
        ({"distribution": "cauchy"}, "distribution"),
        ({"statistics": ("mode",)}, "statistics"),
        ({"level": 1.0}, "level"),
    ],
)
def test_invalid_parameters_are_named(wrong: dict, place: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(EvaluationError) as refused:
        BootstrapEstimates(**wrong)
    assert refused.value.loc[0] == place


@pytest.mark.parametrize("name", ["mean", "median", "variance", "standard_deviation"])
def test_naive_plain_values_are_the_statistics_own(name: str) -> None:
    x = np.random.default_rng(3).standard_exponential((4, 7))
    statistic = build_statistic(name)
    whole = HashedResamples(np.array([0, 7]), 1, 2)
    expected = [bootstrap_statistic(statistic, Sample(row), whole).estimate for row in x]
    np.testing.assert_allclose(compute_plain_values(name, x, x), expected, rtol=1e-12)


def test_naive_plain_correlations() -> None:
    rng = np.random.default_rng(5)
    x, z = rng.standard_normal((2, 4, 7))
    y = 0.5 * x + math.sqrt(0.75) * z
    expected = [np.corrcoef(a, b)[0, 1] for a, b in zip(x, y, strict=True)]
    np.testing.assert_allclose(compute_plain_values("correlation", x, z), expected, rtol=1e-12)
