"""Bootstrap replicates of a metric: rows are sorted once, and each resample only counts them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np

from thetahat.metrics.base import Metric, MetricOfKinds, WeightedMetric, choose_n_resamples
from thetahat.numerics.bootstrap.interval_ends import compute_rounding
from thetahat.numerics.bootstrap.replicates import Replicates, compute_acceleration
from thetahat.numerics.bootstrap.resamples import HashedResamples, few_kinds
from thetahat.numerics.bootstrap.units import Units, build_units, default_unit, reason_against_units
from thetahat.numerics.loops.compiling import uses_loops
from thetahat.numerics.thresholds import MANY_DRAWS
from thetahat.values.layout import Layout
from thetahat.values.types import FloatArray, IntArray, MeanKind, Target

CELLS_AT_ONCE: Final = 2**19
"""Resamples times rows that are counted together; a chunk of that size stays in the cache."""

ResampledMetric = tuple[IntArray, WeightedMetric]
"""Row numbers, and the metric on these rows."""


@dataclass(frozen=True, slots=True, eq=False)
class MetricReplicates:
    """Values of a metric under resampling."""

    values: FloatArray
    """(B,) NaN where a resample has no value."""
    units: Units
    """The units that were drawn."""

    def minus(self, other: MetricReplicates) -> MetricReplicates:
        """Return the replicates of the difference; both must come from the same resamples."""
        return replace(self, values=self.values - other.values)

    @property
    def defined(self) -> FloatArray:
        """The values of the resamples that have one."""
        return self.values[~np.isnan(self.values)]


@dataclass(frozen=True, eq=False)
class DefinedReplicates(Replicates):
    """The replicates of a metric that have a value, for the bootstrap intervals.

    ``residuals`` are the (U,) shares of the units in the error of the metric; the acceleration is
    that of these shares.
    """

    @property
    def rounding(self) -> float:
        """The largest deviation that is a rounding error."""
        return compute_rounding(self.sorted_deviations, self.estimate)

    @property
    def is_constant(self) -> bool:
        """Whether every resample gives the same value."""
        return bool(np.ptp(self.deviations) == 0)

    @cached_property
    def acceleration(self) -> float:
        """Acceleration of BCa from the influence function."""
        return compute_acceleration(self.residuals)


def draw_replicates(
    metric: Metric, layout: Layout, parts: Sequence[ResampledMetric], splits: FloatArray, seed: int
) -> MetricReplicates | None:
    """Return the replicates of a metric's main mean; None where rows cannot be matched.

    Whole sources are drawn with their metrics. Whole clusters are drawn from all blocks. Instances
    are drawn within their blocks, but from all blocks if there are repeats or if every block has
    one instance. All models and metrics of a job share their resamples. ``parts`` are those whose
    average is the main mean: splits, or whole repeats. ``splits`` are the (J,) values by split.
    """
    n_resamples, units = choose_n_resamples(metric, layout.n_rows), _choose_units(layout)
    if n_resamples == 0 or units is None:
        return None
    resamples = HashedResamples(units.starts, seed, n_resamples)
    # parts without a value are not in the estimate either
    defined = [(rows, statistic) for rows, statistic in parts if not np.isnan(statistic.value())]
    many = uses_loops(layout.n_rows * n_resamples, MANY_DRAWS)
    kinds = _RowKinds.build(defined, layout, units) if many else None
    if kinds is not None:
        return MetricReplicates(kinds.values(resamples), units)
    values = np.full(n_resamples, np.nan)
    at_once = max(1, CELLS_AT_ONCE // layout.n_rows)
    for first in range(0, n_resamples, at_once):
        stop = min(first + at_once, n_resamples)
        counts = resamples.counts(first, stop)
        if units.unit == "block":
            values[first:stop] = _average_blocks(splits, counts[:, layout.split_block])
        elif defined:
            values[first:stop] = _average_parts(defined, units.spread_over_rows(counts), many=many)
    return MetricReplicates(values, units)


@dataclass(frozen=True, slots=True, eq=False)
class _RowKinds:
    """The kinds of units: units of one kind change every part in the same way."""

    statistics: Sequence[MetricOfKinds]
    """(P,) statistics of the parts."""
    bounds: list[int]
    """(P + 1,) first kind of each part."""
    by_unit: IntArray
    """(U,) kind of each unit; the last kind is that of units in no part."""

    @classmethod
    def build(
        cls, parts: Sequence[ResampledMetric], layout: Layout, units: Units
    ) -> _RowKinds | None:
        """Return the kinds of all parts; None if there are many, or if a unit is not a row."""
        alone = units.unit == "instance" and units.unit_of_row is None
        statistics = [statistic for _, statistic in parts if isinstance(statistic, MetricOfKinds)]
        if not alone or len(statistics) < max(len(parts), 1):
            return None
        bounds, by_row = [0], np.full(layout.n_rows, -1, dtype=np.intp)
        for (rows, _), statistic in zip(parts, statistics, strict=True):
            own, n_kinds = statistic.kinds()
            by_row[rows] = bounds[-1] + own
            bounds.append(bounds[-1] + n_kinds)
            if not few_kinds(bounds[-1], layout.n_rows):
                return None
        by_row[by_row < 0] = bounds[-1]
        return cls(statistics, bounds, by_row if layout.order is None else by_row[layout.order])

    def values(self, resamples: HashedResamples) -> FloatArray:
        """Return the (B,) averages over the parts."""
        values, n_kinds = np.empty(resamples.n_resamples), self.bounds[-1] + 1
        step = max(1, CELLS_AT_ONCE // n_kinds)
        for first in range(0, len(values), step):
            stop = min(first + step, len(values))
            counts = resamples.counts_by_kind(self.by_unit, n_kinds, first, stop)
            of_parts = (
                statistic.resampled_by_kind(counts[:, low:high])
                for statistic, (low, high) in zip(
                    self.statistics, pairwise(self.bounds), strict=True
                )
            )
            values[first:stop] = sum(of_parts) / len(self.statistics)
        return values


def _choose_units(layout: Layout) -> Units | None:
    unit = default_unit(layout)
    if unit == "instance" and layout.has_one_row_each and layout.n_test.max() < 2:
        # blocks of one instance leave nothing to draw within a block
        ends = np.array([0, layout.n_rows], dtype=np.intp)
        models = Target.THESE_MODELS
        return Units(layout, "instance", ends, None, None, models, MeanKind.POOLED)
    if reason_against_units("the bootstrap", layout, unit) is not None:
        return None
    return build_units(layout, unit)


def _average_blocks(splits: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the (B,) averages of the splits, weighted by how often they are drawn."""
    known = ~np.isnan(splits)
    weights = counts[:, known]
    total = weights.sum(axis=1)
    undefined = np.full(len(counts), np.nan)
    return np.asarray(np.divide(weights @ splits[known], total, out=undefined, where=total > 0))


def _average_parts(
    parts: Sequence[ResampledMetric], counts: FloatArray, *, many: bool
) -> FloatArray:
    """Return the (B,) averages over the parts."""
    if len(parts) == 1 and len(parts[0][0]) == counts.shape[1]:
        return parts[0][1].resampled(counts, many=many)  # all rows, in order
    values = (statistic.resampled(counts[:, rows], many=many) for rows, statistic in parts)
    return np.asarray(sum(values) / len(parts))
