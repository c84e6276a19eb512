"""The jackknife interval of R squared on the log scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import thetahat
from tests.thetahat.analyses.metrics.readings import (
    codes,
    difference,
    folds,
    holdout,
    interval_of,
    known,
    reading,
    tree,
)
from tests.thetahat.metrics.judged import values
from thetahat.metrics.base import TruthAndPredictions
from thetahat.metrics.r2 import RSquared

pytestmark = pytest.mark.about("metrics/r2")
METRIC = RSquared(n_resamples=0)


def draw(n: int, seed: int = 4) -> TruthAndPredictions:
    rng = np.random.default_rng(seed)
    output = rng.normal(size=n)
    return values(output + 0.6 * rng.normal(size=n), output)


def r_squared(truth: np.ndarray, output: np.ndarray) -> float:
    return float(1 - ((truth - output) ** 2).sum() / ((truth - truth.mean()) ** 2).sum())


@pytest.mark.parametrize("of_cluster", [1, 3])
def test_naive_each_unit_is_left_out(of_cluster: int) -> None:
    judged = draw(36)
    unit = np.arange(36) // of_cluster
    layout = holdout(36) if of_cluster == 1 else holdout(36, cluster=unit.tolist())
    interval = reading(METRIC, judged, layout).interval
    assert interval is not None

    n = int(unit.max()) + 1
    truth, output = judged.truth, judged.output
    logs = np.array([np.log(1 - r_squared(truth[unit != u], output[unit != u])) for u in range(n)])
    error = np.sqrt((n - 1) / n * ((logs - logs.mean()) ** 2).sum())
    degrees = min(n - 1, 2 * n / (stats.kurtosis(logs, fisher=False) - 1))
    reach = stats.t.ppf(0.975, degrees) * error
    left = 1 - r_squared(truth, output)

    assert interval.method == "log_jackknife"
    assert_allclose(known(interval.degrees_of_freedom), degrees, rtol=1e-10)
    assert_allclose(known(interval.standard_error), left * error, rtol=1e-10)
    assert_allclose(known(interval.lower), 1 - left * np.exp(reach), rtol=1e-10)
    assert_allclose(known(interval.upper), 1 - left * np.exp(-reach), rtol=1e-10)
    assert known(interval.upper) < 1


def test_exact_the_scale_and_origin_of_the_targets_do_not_matter() -> None:
    judged = draw(30)
    moved = values(1e6 + 50 * judged.truth, 1e6 + 50 * judged.output)
    one, other = (reading(METRIC, each, holdout(30)).interval for each in (judged, moved))

    assert one is not None
    assert other is not None
    assert_allclose(
        [known(other.lower), known(other.upper)], [known(one.lower), known(one.upper)], rtol=1e-7
    )


def test_degenerate_fewer_than_ten_units_have_no_interval_and_a_caution_says_so() -> None:
    few = tree(METRIC, {"m": draw(9)}, holdout(9))["models"]["m"]["metrics"]["r2"]
    clusters = reading(METRIC, draw(40), holdout(40, cluster=(np.arange(40) // 8).tolist()))

    (caution,) = [each for each in few["cautions"] if each["code"] == "metric_without_interval"]
    assert few["recommended"] == {}
    assert "it would rest on 9 instances, and with fewer than 10" in caution["message"]
    assert clusters.interval is None
    (reason,) = clusters.explain_missing_intervals().values()
    assert reason.startswith("it would rest on 5 clusters")
    assert reading(METRIC, draw(10), holdout(10)).interval is not None


def test_degenerate_targets_that_vary_with_one_row_alone_have_no_interval() -> None:
    truth = np.zeros(12)
    truth[3] = 1.0
    of = reading(METRIC, values(truth, np.linspace(0, 0.1, 12)), holdout(12))

    assert of.interval is None
    assert interval_of(of, "normal", "influence").recommended is False


def test_exact_a_difference_has_none() -> None:
    of = difference(METRIC, draw(40), values(draw(40).truth, np.zeros(40)), holdout(40))

    assert "log_jackknife" not in {interval.method for interval in of.intervals}
    assert of.interval is not None


def test_exact_repeats_of_the_same_predictions_change_nothing() -> None:
    once = draw(40)
    instance = np.tile(np.arange(40), 2)
    layout = folds(
        np.tile(np.arange(40) % 4, 2), repeat=np.repeat([0, 1], 40), instance=instance.tolist()
    )
    both = interval_of(reading(METRIC, once.rows(instance), layout), "log_jackknife", None)
    one = interval_of(reading(METRIC, once, holdout(40)), "log_jackknife", None)

    assert_allclose(
        [known(both.lower), known(both.upper)], [known(one.lower), known(one.upper)], rtol=1e-12
    )
    assert "ignores_training_variance" in codes(both.cautions)


def test_degenerate_a_group_of_few_rows_says_why_it_has_no_interval() -> None:
    judged = draw(60)
    result: Any = thetahat.evaluate_predictions(
        judged.truth.tolist(),
        {"m": judged.output.tolist()},
        loss="squared",
        metrics=["r2"],
        blocks="holdout",
        groups={"g": ["a"] * 52 + ["b"] * 8},
    )
    large, small = (item.metrics["r2"] for item in result.models["m"].groups["g"].items)

    assert large.interval.method == "log_jackknife"
    assert small.interval is None
    assert small.reason.startswith("There is no interval: it would rest on 8 instances")


@pytest.mark.calibration
def test_calibrated_forty_normal_rows_at_the_level_of_five_groups() -> None:
    """Covers in .989 at .9898, where the normal interval does in .97."""
    rng, level, covers = np.random.default_rng(36), 0.95**0.2, []
    for _ in range(1500):
        output = np.sqrt(0.8) * rng.normal(size=40)
        judged = values(output + np.sqrt(0.2) * rng.normal(size=40), output)
        interval = reading(METRIC, judged, holdout(40), level=level).interval
        assert interval is not None
        covers.append(known(interval.lower) <= 0.8 <= known(interval.upper))

    # four standard errors of 1500 samples
    assert abs(np.mean(covers) - level) < 4 * np.sqrt(level * (1 - level) / 1500)
