"""Intervals over items for how often one or all of k runs succeed."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from thetahat.analyses.groups.intervals import GroupEstimate, MeanEstimate, RateEstimate
from thetahat.analyses.runs.result import SuccessRate
from thetahat.paired_tests.theta_t import choose_default_variance
from thetahat.values.block_losses import BlockLosses
from thetahat.values.kept_studies import NOT_STUDIED, find_expected_coverage, read_studied_intervals
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind, IntArray
from thetahat.variances import VARIANCES

LEAST_RARER: Final = 5.0
"""Least sum over the items of the rarer of both outcomes with which t is used: with less it covers
too rarely, by docs/results/edges/runs_that_succeed.md."""
INTERVAL: Final = "runs that succeed"
ITEMS: Final = "items"
RARER: Final = "items' worth of the rarer outcome"

ONE_TEST_SET: Final = "The interval is one over the items of one test set, and there are several."
ONE_UNIT: Final = "A single item says nothing about others."
FEW_IN_TIME: Final = (
    "Fewer than five items in all had one of both outcomes, and the items are in the order of time."
)


def estimate_success_rate(by_item: BlockLosses, level: float) -> SuccessRate:
    r"""Return the mean of the items' estimates, which are from 0 to 1, with its interval.

    It is t over the items, or their clusters, on the default variance. With less than
    ``LEAST_RARER`` of the rarer outcome the spread of the items is little known. The interval is
    then Wilson's, as of one run for each item: values from 0 to 1 with mean p have a variance of
    :math:`p (1 - p)` at most, so that it is cautious. Items of a cluster then count as if they were
    all alike. ``by_item`` are the (I,) unbiased estimates of the items, and ``level`` is that of
    the interval.
    """
    layout, moments = by_item.layout, by_item.moments
    is_source = layout.kind is BlockKind.SOURCE
    mean = moments.macro_mean if is_source else moments.pooled_mean
    if layout.kind is not BlockKind.HOLDOUT:
        return _build(mean, None, level, reason=ONE_TEST_SET)
    n, cluster = layout.n_rows, layout.cluster
    if n == 1:
        return _build(mean, None, level, reason=ONE_UNIT)
    found = VARIANCES[choose_default_variance(layout)]().estimate(by_item)
    error, degrees = found.standard_error if found.usable else None, found.degrees_of_freedom
    rarer = n * min(mean, 1 - mean)
    if error is not None and degrees is not None and rarer >= LEAST_RARER:
        rate: GroupEstimate = MeanEstimate(mean, error, degrees)
    elif layout.time is not None:
        return _build(mean, error, level, reason=FEW_IN_TIME)
    else:
        effect = 1.0 if cluster is None else _find_largest_effect(cluster)
        rate = RateEstimate(mean, n, effect, None if cluster is None else degrees)
    return _build(mean, error, level, rate=rate)


def add_expected_coverage(found: SuccessRate, layout: Layout) -> SuccessRate:
    """Return the rate with how often such intervals covered over independent items."""
    if found.method is None:
        return found
    if layout.cluster is not None or layout.time is not None:
        return replace(found, expected_coverage_missing=NOT_STUDIED)
    n = layout.n_rows
    rarer = n * min(found.estimate, 1 - found.estimate)
    expected, missing = find_expected_coverage(
        read_studied_intervals(__package__, "success_coverage.json", INTERVAL),
        found.method,
        {ITEMS: n, RARER: max(1, round(rarer))},
    )
    return replace(found, expected_coverage=expected, expected_coverage_missing=missing)


def _build(
    mean: float,
    error: float | None,
    level: float,
    *,
    rate: GroupEstimate | None = None,
    reason: str | None = None,
) -> SuccessRate:
    lower, upper = (None, None) if rate is None else rate.compute_ends((1 - level) / 2)
    return SuccessRate(
        estimate=mean,
        standard_error=error,
        lower=None if lower is None else max(0.0, lower),
        upper=None if upper is None else min(1.0, upper),
        level=level,
        method=None if rate is None else rate.method,
        reason=reason,
    )


def _find_largest_effect(cluster: IntArray) -> float:
    """Return the design effect of clusters whose items are all alike."""
    sizes = np.bincount(cluster).astype(np.float64)
    return float(sizes @ sizes) / len(cluster)
