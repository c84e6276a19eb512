"""The independent units of a metric that is at an end of its range, and what they exclude."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from thetahat.metrics.base import WeightedMetric
from thetahat.values.layout import Layout
from thetahat.values.types import IntArray


@dataclass(frozen=True, slots=True, eq=False)
class UnitsWithoutError:
    """The statistics of the parts of a mean, with the cluster of each of their rows."""

    statistics: Sequence[WeightedMetric]
    """Over all rows of the first repeat, or over each of its blocks that has a value."""
    units: Sequence[IntArray | None]
    """(m,) cluster of the rows of each part; None where every row is a unit of its own."""

    def find_bound(self, tail: float, limit: float) -> float | None:
        """Return the farthest mean that this many units without an error do not exclude.

        The errors may all be in one part, or be spread over all of them, which then share the
        tail: the farther one of both counts.
        """
        n = len(self.statistics)
        alone, spread = (
            [
                statistic.find_bound_at_limit(share, unit)
                for statistic, unit in zip(self.statistics, self.units, strict=True)
            ]
            for share in (tail, tail ** (1 / n))
        )
        known = [bound for bound in alone if bound is not None]
        shared = [bound for bound in spread if bound is not None]
        if len(known) < n or len(shared) < n:
            return None
        in_one = max(abs(bound - limit) for bound in known) / n
        in_all = sum(abs(bound - limit) for bound in shared) / n
        return math.copysign(max(in_one, in_all), known[0] - limit) + limit


def select_parts(
    layout: Layout, rows: Sequence[IntArray], statistics: Sequence[WeightedMetric]
) -> UnitsWithoutError:
    """Return the parts that have a value, with the clusters of their rows."""
    defined = [
        (of_part, statistic)
        for of_part, statistic in zip(rows, statistics, strict=True)
        if not math.isnan(statistic.value())
    ]
    cluster = layout.cluster
    return UnitsWithoutError(
        [statistic for _, statistic in defined],
        [None if cluster is None else cluster[of_part] for of_part, _ in defined],
    )
