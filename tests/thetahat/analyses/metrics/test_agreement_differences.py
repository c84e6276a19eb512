"""Differences of kappa and Matthews' coefficient with few of a class."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats

from tests.thetahat.analyses.metrics.readings import difference, folds, holdout
from tests.thetahat.metrics.judged import binary
from thetahat.analyses.losses import Choices
from thetahat.analyses.metrics.inference import MetricInference, infer_metric
from thetahat.analyses.metrics.metric_values import measure
from thetahat.metrics.base import Metric
from thetahat.metrics.cohen_kappa import CohenKappa
from thetahat.metrics.matthews import Matthews
from thetahat.values.layout import Layout

EACH = pytest.mark.parametrize(
    "metric", [CohenKappa(n_resamples=0), Matthews(n_resamples=0)], ids=["kappa", "matthews"]
)
CUT, SHIFTS, SHARED = 1.0, (1.0, 0.8), 0.7


def _compare(
    metric: Metric, positives: int, n: int, layout: Layout | None = None
) -> MetricInference:
    rng = np.random.default_rng(positives)
    truth = (np.arange(n) < positives).astype(int)
    a, b = (binary(truth, rng.normal(size=n) + 1.5 * truth, cut=1.0) for _ in range(2))
    return difference(metric, a, b, layout or holdout(n))


@EACH
def test_few_of_a_class_have_a_quantile_of_t(metric: Metric) -> None:
    found = _compare(metric, 10, 80)
    interval = found.interval
    assert interval is not None
    assert (interval.method, interval.degrees_of_freedom) == ("student_t", 9.0)
    reach = stats.t.ppf(0.975, 9) * (interval.standard_error or math.nan)
    assert interval.upper == pytest.approx(interval.estimate + reach, rel=1e-12)
    assert found.degrees_of_freedom == 9.0  # that of the p-value, too


@EACH
def test_many_of_each_class_and_folds_have_normal_quantiles(metric: Metric) -> None:
    for found in (_compare(metric, 30, 80), _compare(metric, 10, 80, folds(np.arange(80) % 4))):
        assert {each.degrees_of_freedom for each in found.intervals if each.variance} <= {None, 3.0}
        assert found.interval is not None
        assert found.interval.method != "student_t"


@EACH
def test_the_difference_is_covered_with_eight_positives(metric: Metric) -> None:
    """With normal quantiles .925 of the differences of kappa, .907 of Matthews' were covered."""
    positives, n, draws = 8, 100, 1000
    truth = (np.arange(n) < positives).astype(int)
    value = _compute_truth(metric, positives / n)
    rng, layout, covered = np.random.default_rng(33), holdout(n), 0
    choices = Choices()
    for _ in range(draws):
        common = SHARED * rng.normal(size=n)
        a, b = (
            measure(
                metric,
                binary(
                    truth,
                    common + math.sqrt(1 - SHARED**2) * rng.normal(size=n) + shift * truth,
                    cut=CUT,
                ),
                layout,
                7,
                has_replicates=False,
            )
            for shift in SHIFTS
        )
        interval = infer_metric(metric, a.minus(b), choices, is_difference=True).interval
        if interval is None or interval.lower is None or interval.upper is None:
            continue
        covered += interval.lower <= value <= interval.upper
    assert covered / draws > 0.945


def _compute_truth(metric: Metric, share: float) -> float:
    """Return the difference in the population, from the rates of hits and of false alarms."""
    false = float(special.ndtr(-CUT))
    values = []
    for shift in SHIFTS:
        hits = float(special.ndtr(shift - CUT))
        named = share * hits + (1 - share) * false
        covariance = share * (hits - named)
        if isinstance(metric, Matthews):
            values.append(covariance / math.sqrt(share * (1 - share) * named * (1 - named)))
        else:
            by_chance = share * named + (1 - share) * (1 - named)
            agreed = share * hits + (1 - share) * (1 - false)
            values.append((agreed - by_chance) / (1 - by_chance))
    return values[0] - values[1]
