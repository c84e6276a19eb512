"""What holds for every metric of the registry."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.cases import case
from tests.thetahat.metrics.judged import draw_judged, every_case, under
from thetahat.errors import InvalidParameter
from thetahat.metrics import METRICS
from thetahat.metrics.base import MAX_ROWS, Metric, choose_n_resamples
from thetahat.references import REFERENCES

EVERY = pytest.mark.parametrize("name", METRICS)
EVERY_FORM = pytest.mark.parametrize(("name", "metric", "n_classes"), every_case())


@EVERY_FORM
def test_exact_the_influence_function_is_the_derivative(
    name: str, metric: Metric, n_classes: int
) -> None:
    """Central differences of the metric by each row's weight, at equal weights."""
    judged = draw_judged(name, 11, n_classes=n_classes)
    statistic = metric.statistic(judged)
    n, step = judged.n, 1e-5

    numerical = np.empty(n)
    for i in range(n):
        # weights sum to n, so a step of h changes a row's share of 1/n by h/n
        up, down = np.ones(n), np.ones(n)
        up[i] += step
        down[i] -= step
        numerical[i] = n * (under(statistic, up) - under(statistic, down)) / (2 * step)

    # central differences err by the third derivative times step squared, and by rounding / step
    assert_allclose(statistic.influence(), numerical, rtol=1e-6, atol=1e-7)
    assert abs(statistic.influence().mean()) < 1e-12


@EVERY_FORM
def test_degenerate_one_row_and_two_rows(name: str, metric: Metric, n_classes: int) -> None:
    """The metric is in its range, or not a number where it is undefined; nothing warns."""
    low, high = metric.value_range
    judged = draw_judged(name, 12, n_classes=n_classes)
    for rows in ([0], [1], [0, 1], [0, 0], [1, 1], [0, judged.n - 1]):
        with case(rows):
            statistic = metric.statistic(judged.rows(np.array(rows)))
            value = statistic.value()
            assert np.isnan(value) or low <= value <= high
            if not np.isnan(value):
                assert np.isfinite(statistic.influence()).all()
            resampled = statistic.resampled(np.ones((3, len(rows))))
            assert (np.isnan(resampled) | ((low <= resampled) & (resampled <= high))).all()


@EVERY_FORM
@given(st.integers(0, 2**32))
def test_exact_counts_are_repeated_rows(
    name: str, metric: Metric, n_classes: int, seed: int
) -> None:
    judged = draw_judged(name, seed, n_classes=n_classes)
    counts = np.random.default_rng(seed).integers(0, 4, judged.n)
    repeated = judged.rows(np.repeat(np.arange(judged.n), counts))

    counted = under(metric.statistic(judged), counts)

    assert_allclose(counted, metric.statistic(repeated).value(), rtol=1e-11, atol=1e-13)


@EVERY_FORM
@given(st.integers(0, 2**32))
def test_property_in_its_range_and_blind_to_the_order(
    name: str, metric: Metric, n_classes: int, seed: int
) -> None:
    judged = draw_judged(name, seed, n_classes=n_classes)
    order = np.random.default_rng(seed).permutation(judged.n)

    value, shuffled = (metric.statistic(j).value() for j in (judged, judged.rows(order)))
    influences = (metric.statistic(j).influence() for j in (judged, judged.rows(order)))

    low, high = metric.value_range
    assert low <= value <= high
    assert_allclose(shuffled, value, rtol=1e-13, atol=1e-15)
    before, after = influences
    assert_allclose(after, before[order], rtol=1e-9, atol=1e-11)


@EVERY
@pytest.mark.calibration
def test_calibrated_the_influence_function_gives_the_variance(name: str) -> None:
    """Its mean square over n is near the variance of the metric over many samples."""
    n, repetitions = 400, 1500
    metric = METRICS[name]()
    drawn = [draw_judged(name, seed, n=n) for seed in range(repetitions)]
    values = np.array([metric.statistic(judged).value() for judged in drawn])
    claimed = np.array(
        [(metric.statistic(judged).influence() ** 2).mean() / n for judged in drawn[:300]]
    )

    # the variance of a variance of nearly normal values is 2 / repetitions of its square; both
    # sides are within a few percent of order 1/n of each other
    error = np.sqrt(2 / repetitions + claimed.var() / claimed.mean() ** 2 / len(claimed))
    assert abs(claimed.mean() / values.var(ddof=1) - 1) < 4 * error + 5 / n


@EVERY
def test_property_leaves_its_input_alone(name: str) -> None:
    judged = draw_judged(name, 2)
    for array in (judged.truth, judged.output, judged.scores):
        if array is not None:
            array.setflags(write=False)
    counts = np.ones((2, judged.n))
    counts.setflags(write=False)

    statistic = METRICS[name]().statistic(judged)
    statistic.value()
    statistic.influence()
    statistic.resampled(counts)
    METRICS[name]().strata(judged)


@EVERY
def test_property_is_described(name: str) -> None:
    metric = METRICS[name]

    for text in (metric.info.summary, metric.info.assumptions, metric.info.errs):
        assert text.endswith(".")
    assert metric.info.formula
    assert metric.info.references
    assert set(metric.info.references) <= set(REFERENCES)
    assert metric.info.targets
    assert metric.undefined_if
    assert metric.higher_is_better
    assert dataclasses.is_dataclass(metric)
    assert metric() == metric()


@EVERY
@pytest.mark.parametrize("n_resamples", [-1, 1, 99, 100_001])
def test_invalid_resamples(name: str, n_resamples: int) -> None:
    kind: type = METRICS[name]
    with pytest.raises(InvalidParameter, match="n_resamples"):
        kind(n_resamples=n_resamples)


@EVERY
def test_property_resamples_as_asked_or_for_few_rows(name: str) -> None:
    kind: type = METRICS[name]

    assert choose_n_resamples(kind(), MAX_ROWS) == 1000
    assert choose_n_resamples(kind(), MAX_ROWS + 1) == 0
    assert choose_n_resamples(kind(n_resamples=250), MAX_ROWS + 1) == 250
    assert choose_n_resamples(kind(n_resamples=0), 10) == 0
