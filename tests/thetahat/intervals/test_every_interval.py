"""What holds for every interval method in the registry."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.cases import case
from tests.thetahat.descriptions import check_description
from tests.thetahat.intervals.builders import GREATER, LESS, TWO, ends, holdout_of, sources_of
from tests.thetahat.smallest_layouts import SMALLEST, check_plain, check_refusal, smallest_losses
from thetahat.intervals import INTERVALS
from thetahat.intervals.base import (
    Interval,
    IntervalOfLosses,
    PairedRatesInterval,
    ResampledInterval,
)
from thetahat.numerics.bootstrap import SharedResamples
from thetahat.numerics.paired_rates import count_clustered_pair
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.paired_counts import PairedCounts, count_pair, is_zero_one
from thetahat.values.types import Alternative, BlockKind
from thetahat.variances import VARIANCES
from thetahat.variances.quadratic import Quadratic

RESAMPLED = [name for name, kind in INTERVALS.items() if issubclass(kind, ResampledInterval)]
OF_SOME_LEVELS = {"catoni", "median_of_means"}  # more losses for more, another centre for each
OVER_SOURCES_OF_CLUSTERS = {"skewness_corrected"}  # over sources, only with clusters inside them
ONLY_ON_CLUSTERS = {"wild_cluster"}
OF_RATES_OF_SOURCES = {"price_bonett", "tango_sources"}  # of models that were trained elsewhere
BY_FORMULA = pytest.mark.parametrize(
    "name", [name for name in INTERVALS if name not in {*RESAMPLED, *OF_SOME_LEVELS}]
)
EVERY = pytest.mark.parametrize("name", INTERVALS)


def losses_for(name: str, seed: int = 95) -> BlockLosses:
    rng = np.random.default_rng(seed)
    if name in ONLY_ON_CLUSTERS:
        return holdout_of(rng.integers(0, 256, 18) / 16, cluster=[0, *[1, 2, 3, 4, 5] * 3, 4, 5])
    if BlockKind.SOURCE not in INTERVALS[name].info.blocks or name in OVER_SOURCES_OF_CLUSTERS:
        return holdout_of(np.concatenate([[0.0, 1.0], rng.integers(0, 2, 20)]))
    if name in OF_RATES_OF_SOURCES:
        layout = build_layout(BlockKind.SOURCE, np.repeat(np.arange(4), 6), n_train=0)
        return BlockLosses(layout, values=rng.integers(0, 2, 24).astype(np.float64))
    n_sources = 12 if name in RESAMPLED else 4  # so that no resample lacks a spread
    return sources_of(*((rng.integers(0, 256, 4) / 16 + k).tolist() for k in range(n_sources)))


def build(
    name: str, losses: BlockLosses, level: float = 0.9, alternative: Alternative = TWO
) -> Interval:
    method = INTERVALS[name]()
    if isinstance(method, ResampledInterval):
        shared = SharedResamples({"m": losses}, seed=3, with_errors=method.needs_errors)
        resampled = method.build_from_replicates(shared.of_model("m", 4999), level, alternative)
        assert resampled is not None
        return resampled
    if isinstance(method, IntervalOfLosses):
        share = method.build_from_losses(losses, level, alternative)
        assert share is not None
        return share
    if isinstance(method, PairedRatesInterval):
        counts = pair_up(method, losses)
        assert counts is not None
        return method.build_from_counts(counts, level, alternative)
    variance = "iid" if losses.layout.kind is BlockKind.HOLDOUT else "theta_gamma"
    if losses.layout.cluster is not None:
        variance = "cluster_robust"
    estimate = VARIANCES[variance]().estimate(losses)
    interval = method.build(losses, VARIANCES[variance].info, estimate, level, alternative)
    assert interval is not None
    return interval


def pair_up(method: PairedRatesInterval, losses: BlockLosses) -> PairedCounts | None:
    """Return the table of the losses and of the same, moved by three instances."""
    a, b = losses.rows, np.roll(losses.rows, 3)
    if not method.of_clusters:
        return count_pair(a, b)
    cluster = losses.layout.cluster
    return count_clustered_pair(a, b, np.arange(len(a)) // 2 if cluster is None else cluster)


@EVERY
def test_property_describes_itself(name: str) -> None:
    check_description(INTERVALS[name].info, name)


@EVERY
def test_property_refusals_agree_with_the_declared_blocks(name: str) -> None:
    for kind in BlockKind:
        block = [0, 0, 0, 0] if kind is BlockKind.HOLDOUT else [0, 0, 1, 1]
        layouts = [build_layout(kind, block, cluster=cluster) for cluster in (None, [0, 1, 2, 3])]
        if kind in {BlockKind.SOURCE, BlockKind.HOLDOUT}:
            layouts.append(build_layout(kind, block, n_train=0))
        reasons = [INTERVALS[name]().inapplicable(layout) for layout in layouts]

        assert (None in reasons) == (kind in INTERVALS[name].info.blocks)
        assert all(reason is None or name in reason for reason in reasons)


@EVERY
def test_property_result_is_plain_and_names_what_it_rests_on(name: str) -> None:
    interval = build(name, losses_for(name))

    assert interval.method == name
    assert interval.target in INTERVALS[name].info.targets
    assert INTERVALS[name].info.mean in {None, interval.mean}
    assert interval.level == 0.9
    assert not interval.recommended
    record = dataclasses.asdict(interval)
    assert json.loads(json.dumps(record, allow_nan=False))["lower"] == interval.lower


def every_interval(name: str, losses: BlockLosses, alternative: Alternative) -> Iterator[Interval]:
    """Yield what the method builds on the losses: for one on variances, on each that fits."""
    method, layout = INTERVALS[name](), losses.layout
    if isinstance(method, ResampledInterval):
        shared = SharedResamples({"m": losses}, seed=3, with_errors=method.needs_errors)
        resamples = shared.of_model("m", 199)
        built = [method.build_from_replicates(resamples, 0.95, alternative)]
    elif isinstance(method, PairedRatesInterval):
        zero_one = losses.values is not None and is_zero_one(losses.values)
        counts = pair_up(method, losses) if zero_one else None
        built = [] if counts is None else [method.build_from_counts(counts, 0.95, alternative)]
    elif isinstance(method, IntervalOfLosses):
        built = [method.build_from_losses(losses, 0.95, alternative)]
    else:
        variances = [v() for v in VARIANCES.values() if not issubclass(v, Quadratic)]
        fitting = [v for v in variances if v.inapplicable(layout) is None]
        estimates = [(v.info, v.estimate(losses)) for v in fitting]
        built = [
            method.build(losses, info, estimate, 0.95, alternative)
            for info, estimate in estimates
            if estimate.usable
        ]
    yield from (interval for interval in built if interval is not None)


@EVERY
def test_degenerate_smallest_layouts(name: str) -> None:
    for at, layout in SMALLEST.items():
        if (reason := INTERVALS[name]().inapplicable(layout)) is not None:
            check_refusal(reason, name)
            continue
        for which, losses in smallest_losses(layout).items():
            with case(at, which):
                for alternative in Alternative:
                    for interval in every_interval(name, losses, alternative):
                        check_plain(dataclasses.asdict(interval))
                        for end, opened in ((interval.lower, LESS), (interval.upper, GREATER)):
                            assert end is None or alternative is not opened
                            # resamples without a spread give no end, which a caution says
                            assert end is not None or alternative is opened or interval.cautions
                        if interval.lower is not None and interval.upper is not None:
                            assert interval.lower <= interval.upper


@EVERY
def test_property_input_is_left_alone(name: str) -> None:
    losses = losses_for(name)
    losses.rows.setflags(write=False)

    assert build(name, losses) == build(name, losses)


@BY_FORMULA
@given(seed=st.integers(0, 2**32), level=st.floats(1e-6, 1 - 2e-9))
@settings(max_examples=25, deadline=None)
def test_property_ends_hold_the_estimate_and_grow_with_the_level(
    name: str, seed: int, level: float
) -> None:
    losses = losses_for(name, seed)
    # that interval is about the mean less a third of the mean's skewness as the level goes to 0
    level = level if name != "skewness_corrected" else max(level, 0.2)
    # few patterns of weights decide at low levels, and for high ones there are others (Webb's)
    level = level if name != "wild_cluster" else min(max(level, 0.5), 0.9)
    interval, wider = build(name, losses, level), build(name, losses, (1 + level) / 2)

    assert interval.lower is not None
    assert interval.upper is not None
    assert wider.lower is not None
    assert wider.upper is not None
    assert wider.lower <= interval.lower <= interval.estimate
    assert interval.estimate <= interval.upper <= wider.upper
    assert math.isfinite(interval.upper - interval.lower)


@pytest.mark.parametrize("name", RESAMPLED)
@given(seed=st.integers(0, 2**32), level=st.floats(0.5, 0.99))
@settings(max_examples=10, deadline=None)
def test_property_resampled_ends_hold_the_estimate_and_grow_with_the_level(
    name: str, seed: int, level: float
) -> None:
    losses = losses_for(name, seed)
    interval, wider = build(name, losses, level), build(name, losses, (1 + level) / 2)

    (lower, upper), (below, above) = ends(interval), ends(wider)
    assert below <= lower <= interval.estimate <= upper <= above
    assert interval.variance is None
    assert interval.details["n_resamples"] == 4999


@EVERY
@given(seed=st.integers(0, 2**32), level=st.floats(0.01, 0.99))
@settings(max_examples=25, deadline=None)
def test_property_two_one_sided_bounds_are_the_two_sided_ends(
    name: str, seed: int, level: float
) -> None:
    losses = losses_for(name, seed)
    both = build(name, losses, level)
    upper = build(name, losses, (1 + level) / 2, LESS)
    lower = build(name, losses, (1 + level) / 2, GREATER)

    assert upper.lower is None
    assert lower.upper is None
    assert upper.upper is not None
    assert lower.lower is not None
    assert both.lower is not None
    assert both.upper is not None
    # a quantile of replicates moves in proportion to the rounding of its level
    rtol = 1e-9 if name not in RESAMPLED else 1e-7
    assert_allclose([lower.lower, upper.upper], [both.lower, both.upper], rtol=rtol, atol=1e-12)


@EVERY
def test_property_scale_and_shift(name: str) -> None:
    losses = losses_for(name)
    if losses.layout.kind is BlockKind.HOLDOUT or INTERVALS[name].info.only_zero_one:
        mirrored = BlockLosses(losses.layout, values=1 - losses.rows)
        plain, other = build(name, losses), build(name, mirrored)
        assert plain.lower is not None
        assert plain.upper is not None
        shift = 0 if issubclass(INTERVALS[name], PairedRatesInterval) else 1
        expected = [shift - plain.upper, shift - plain.lower]
    else:
        other = build(name, BlockLosses(losses.layout, values=8 * losses.rows + 2.0**20))
        plain = build(name, losses)
        assert plain.lower is not None
        assert plain.upper is not None
        expected = [8 * plain.lower + 2.0**20, 8 * plain.upper + 2.0**20]

    assert other.lower is not None
    assert other.upper is not None
    assert_allclose([other.lower, other.upper], expected, rtol=1e-12)
