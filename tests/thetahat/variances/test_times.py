"""Variances of the mean loss of rows in the order of time."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tests.vectors.reading import VECTORS
from thetahat.errors import InvalidParameter
from thetahat.numerics.long_run_variance import (
    choose_block_length,
    compute_block_bootstrap_variance,
)
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind, FloatArray
from thetahat.variances.block_bootstrap import BlockBootstrap
from thetahat.variances.iid import Iid
from thetahat.variances.newey_west import NeweyWest
from thetahat_replications.edges.neighbouring_rows import draw_autoregression

CASES = [vector for vector in VECTORS.values() if vector["method"] == "long_run_variance"]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])


def in_time(n: int, time: Any = None) -> Layout:
    places = np.arange(n) if time is None else time
    return build_layout(BlockKind.HOLDOUT, np.zeros(n, dtype=np.intp), time=places)


def losses_of(values: Any, time: Any = None) -> BlockLosses:
    return BlockLosses(in_time(len(values), time), values=np.asarray(values, dtype=np.float64))


@pytest.mark.about("variances/newey_west")
@pytest.mark.outside("R sandwich 3.0.2, NeweyWest without prewhitening")
@each_case
def test_golden_newey_west(case: dict[str, Any]) -> None:
    inputs, expected = case["inputs"], case["expected"]
    losses, lag = losses_of(inputs["loss"]), inputs["lags"]
    estimate = NeweyWest(lag=lag).estimate(losses)

    assert estimate.standard_error == pytest.approx(expected["se_newey_west"], rel=1e-9)
    effective = expected["effective_sample_size_bartlett"]
    assert estimate.details["effective_n"] == pytest.approx(effective, rel=1e-9)
    assert NeweyWest().estimate(losses).details["lag"] == lag


@pytest.mark.about("variances/block_bootstrap")
@pytest.mark.outside("arch 8.0.0, optimal_block_length and 20 000 circular block samples")
@each_case
def test_golden_block_bootstrap(case: dict[str, Any]) -> None:
    losses, expected = case["inputs"]["loss"], case["expected"]
    length = choose_block_length(np.array(losses))
    estimate = BlockBootstrap(length=5).estimate(losses_of(losses))

    best = expected["arch_optimal_block_length"]["circular"]
    assert length == pytest.approx(best, rel=1e-6)
    error = expected["se_block_bootstrap_length_5"]["circular"]
    assert estimate.standard_error == pytest.approx(error, rel=0.015)


@pytest.mark.parametrize(("n", "length"), [(4, 2), (5, 2), (5, 3), (6, 1)])
def test_naive_the_block_variance_is_that_of_all_samples(n: int, length: int) -> None:
    values = np.random.default_rng(n).normal(size=n)
    starts = itertools.product(range(n), repeat=-(-n // length))
    means = [
        np.mean([values[(s + i) % n] for s in sample for i in range(length)][:n])
        for sample in starts
    ]

    assert compute_block_bootstrap_variance(values, length) == pytest.approx(np.var(means))


@pytest.mark.about("variances/newey_west", "variances/block_bootstrap")
def test_exact_without_neighbours_it_is_that_of_independent_rows() -> None:
    losses = losses_of(np.random.default_rng(1).normal(size=50))
    independent = Iid().estimate(losses).value

    assert NeweyWest(lag=0).estimate(losses).value == pytest.approx(independent * 49 / 50)
    assert BlockBootstrap(length=1).estimate(losses).value == pytest.approx(independent * 49 / 50)


@pytest.mark.parametrize("method", [NeweyWest(), BlockBootstrap()])
def test_exact_only_the_order_of_the_times_counts(method: Any) -> None:
    rng = np.random.default_rng(2)
    values = draw_autoregression(rng, 60, 0.6)
    expected = method.estimate(losses_of(values)).value
    shuffled = rng.permutation(60)
    dates = np.datetime_as_string(np.datetime64("2026-01-01") + np.arange(60) ** 2)

    for times in (np.arange(60) * 7 - 100, dates, [str(k / 8) for k in range(60)]):
        listed = np.asarray(times, dtype=object)[shuffled].tolist()
        assert method.estimate(losses_of(values[shuffled], listed)).value == pytest.approx(expected)


def test_naive_rows_of_one_time_are_summed_first() -> None:
    rng = np.random.default_rng(3)
    time = np.sort(rng.integers(0, 25, size=90))
    values = rng.normal(size=90) + np.repeat(rng.normal(size=25), np.bincount(time, minlength=25))
    _, place = np.unique(time, return_inverse=True)
    sums = [np.sum(values[place == t] - values.mean()) for t in range(place.max() + 1)]
    expected = sum(s * s for s in sums)
    for j in (1, 2):
        products = [a * b for a, b in zip(sums[j:], sums[:-j], strict=True)]
        expected += 2 * (1 - j / 3) * sum(products)

    estimate = NeweyWest(lag=2).estimate(losses_of(values, time))
    assert estimate.value == pytest.approx(expected / 90**2)
    assert estimate.degrees_of_freedom == place.max()


@pytest.mark.calibration
@pytest.mark.parametrize(("coefficient", "least", "gain"), [(0.2, 0.9, 0.01), (0.5, 0.85, 0.1)])
def test_calibrated_its_intervals_cover_where_independent_ones_do_not(
    coefficient: float, least: float, gain: float
) -> None:
    rng, covers = np.random.default_rng(4), np.zeros(2)
    for _ in range(400):
        losses = losses_of(draw_autoregression(rng, 200, coefficient))
        for i, estimate in enumerate((NeweyWest().estimate(losses), Iid().estimate(losses))):
            assert estimate.standard_error is not None
            covers[i] += abs(estimate.estimate) <= 1.97 * estimate.standard_error

    assert covers[0] / 400 > least
    assert covers[1] / 400 < covers[0] / 400 - gain


def test_exact_the_caution_has_the_coverage_of_the_nearest_series() -> None:
    rng = np.random.default_rng(5)
    alike = NeweyWest().estimate(losses_of(draw_autoregression(rng, 200, 0.9))).cautions
    apart = NeweyWest().estimate(losses_of(rng.normal(size=900))).cautions

    (caution,) = (c for c in alike if c.code == "dependent_times")
    assert "covered in about 61 %" in caution.message
    assert [c.code for c in apart] == ["ignores_training_variance"]


def test_exact_methods_that_take_rows_as_independent_say_so() -> None:
    codes = [c.code for c in Iid().estimate(losses_of(np.arange(12.0))).cautions]

    assert "ignores_time" in codes


@pytest.mark.parametrize("method", [NeweyWest(), BlockBootstrap()])
def test_degenerate_equal_losses_have_no_variance(method: Any) -> None:
    estimate = method.estimate(losses_of(np.full(12, 0.25)))

    assert estimate.value == 0
    assert not estimate.usable


def test_limit_a_large_mean_costs_no_digits() -> None:
    values: FloatArray = np.random.default_rng(6).normal(size=80).round(6)

    shifted = NeweyWest().estimate(losses_of(values + 1e6)).value
    assert shifted == pytest.approx(NeweyWest().estimate(losses_of(values)).value, rel=1e-8)


@pytest.mark.parametrize(
    ("method", "layout", "reason"),
    [
        (NeweyWest(), build_layout(BlockKind.HOLDOUT, [0] * 20), "needs the time"),
        (NeweyWest(), in_time(9), "at least 10 different times, and there are 9"),
        (NeweyWest(), in_time(20, [1] * 20), "at least 10 different times, and there are 1"),
        (NeweyWest(lag=20), in_time(20), "reaches over 20 times, and there are 20"),
        (BlockBootstrap(length=20), in_time(20), "reaches over 20 times"),
    ],
)
def test_invalid_layouts_have_a_reason(method: Any, layout: Layout, reason: str) -> None:
    assert reason in str(method.inapplicable(layout))


@pytest.mark.parametrize("build", [lambda: NeweyWest(lag=-1), lambda: BlockBootstrap(length=0)])
def test_invalid_parameters(build: Any) -> None:
    with pytest.raises(InvalidParameter, match="must be from"):
        build()
