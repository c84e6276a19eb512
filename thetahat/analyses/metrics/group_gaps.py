"""Gaps of a metric between groups of rows, by the limits of the metric in both.

The influences of rows on the metric of each group, and on that of all rows, have the correlations
of these values: 0 between groups without common clusters, and above 0 between a group and all rows,
which contain it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from thetahat.analyses.groups.gaps import GapMethod, find_gaps_to_whole, find_pair_gaps
from thetahat.analyses.groups.intervals import Ends
from thetahat.analyses.groups.model_groups import GroupOptions
from thetahat.analyses.groups.moments import GroupMoments
from thetahat.analyses.groups.result import GroupGaps
from thetahat.analyses.groups.rows import GroupRows
from thetahat.analyses.groups.statements import describe_gaps, explain_missing_pair_gaps
from thetahat.analyses.metrics.square_and_add import ModelLimits, add_distances
from thetahat.distributions import compute_upper_quantile
from thetahat.values.types import FloatArray, IntArray

NO_GAPS_TO_WHOLE: Final = (
    "There is a single group, or the metric has no interval in one of them or over all rows."
)


@dataclass(frozen=True, eq=False)
class MetricLimits:
    """The limits of a metric in all groups and, as the last one, over all rows."""

    limits: Sequence[ModelLimits | None]
    """(G + 1,) limits; None where the metric has no interval."""
    correlation: FloatArray
    """(G + 1, G + 1) correlation of the values."""
    tail: float
    """Probability beyond each end at which lengths stand for standard errors."""
    _known: dict[tuple[int, float], Ends | None] = field(default_factory=dict, init=False)

    @property
    def method(self) -> GapMethod:
        """Name of the interval."""
        return "square_and_add"

    @property
    def groups(self) -> IntArray:
        """(k,) groups that have limits."""
        return np.flatnonzero([each is not None for each in self.limits[:-1]])

    @cached_property
    def covariance(self) -> FloatArray:
        """(G + 1, G + 1) covariance, with lengths of intervals in place of standard errors.

        They are above 0 also where a metric is at the end of its range and does not vary.
        """
        lengths = [self._find_distances(g, self.tail) for g in range(len(self.limits))]
        reach = np.array([0.0 if each is None else sum(each) for each in lengths])
        reach /= 2 * compute_upper_quantile(self.tail, None)
        return np.asarray(reach[:, None] * self.correlation * reach)

    def compute_ends(self, groups: tuple[int, int | None], tail: float) -> Ends | None:
        """Return the ends of a gap from the distances of both values from their limits.

        A correlation above 0 shortens them, and is left out where one of the values rests on few
        errors, from which it cannot be estimated.
        """
        g, h = groups[0], len(self.limits) - 1 if groups[1] is None else groups[1]
        first, second = self.limits[g], self.limits[h]
        of_g, of_h = self._find_distances(g, tail), self._find_distances(h, tail)
        if first is None or second is None or of_g is None or of_h is None:
            return None
        gap, r = first.measured.pooled - second.measured.pooled, float(self.correlation[g, h])
        if first.is_by_few_errors or second.is_by_few_errors:
            r = min(r, 0.0)
        return add_distances(gap, of_g, of_h, r)

    def _find_distances(self, group: int, tail: float) -> Ends | None:
        """Return the distances of a value from its limits, found once for all gaps."""
        limits = self.limits[group]
        if limits is None:
            return None
        if (group, tail) not in self._known:
            self._known[group, tail] = limits.compute_distances(tail)
        return self._known[group, tail]


def find_metric_gaps(
    limits: Sequence[ModelLimits | None],
    members: Sequence[IntArray],
    rows: GroupRows,
    options: GroupOptions,
    rng: np.random.Generator,
) -> tuple[GroupGaps, GroupGaps | None]:
    """Return the gaps of a metric between all pairs of groups, and from that of all rows.

    Where ``options`` leave gaps out, they are the largest gap between groups alone. ``limits`` are
    the (G + 1,) limits of the metric in each group and over all rows, and ``members`` the (G + 1,)
    instances of each.
    """
    level, has_gaps = options.level, options.has_gaps
    correlation = _correlate(limits, members, rows)
    of_all = MetricLimits(limits, correlation, (1 - level) / 2)
    errors = np.array([_get_error(each) for each in limits])
    moments = GroupMoments(
        n=np.array([len(each) for each in members], dtype=np.float64),
        means=np.array([0.0 if each is None else each.measured.pooled for each in limits]),
        covariance=errors[:, None] * correlation * errors,
        degrees=np.full(len(limits), math.inf),
        has_spread=errors > 0,
        skewness=np.zeros(len(limits)),
        unit_skewness=np.zeros(len(limits)),
    )
    pairs = find_pair_gaps(moments, 1 - level, rng, of_all, largest_alone=not has_gaps)
    lacking = "an interval of the metric"
    missing = explain_missing_pair_gaps(rows, lacking)
    described = describe_gaps(pairs, rows, level, missing, has_items=has_gaps, lacking=lacking)
    if not has_gaps:
        return described, None
    to_whole = None
    if limits[-1] is not None:
        to_whole = find_gaps_to_whole(moments, 1 - level, rng, of_all, whole_is_last=True)
    return described, describe_gaps(to_whole, rows, level, NO_GAPS_TO_WHOLE)


def _get_error(limits: ModelLimits | None) -> float:
    """Return the standard error of a value; 0 where it does not vary."""
    if limits is None:
        return 0.0
    if limits.recommended.standard_error is not None:
        return limits.recommended.standard_error
    return (limits.variance and limits.variance.standard_error) or 0.0


def _correlate(
    limits: Sequence[ModelLimits | None], members: Sequence[IntArray], rows: GroupRows
) -> FloatArray:
    """Return the correlations of all values, from sums of influences over independent units."""
    from scipy import sparse  # noqa: PLC0415 - as in the moments of groups

    unit = np.arange(rows.n) if rows.cluster is None else rows.cluster
    known = [(g, each) for g, each in enumerate(limits) if each is not None]
    columns = [np.full(len(members[g]), g) for g, _ in known]
    if not known:
        return np.eye(len(limits))
    sums = sparse.csr_matrix(
        (
            np.concatenate([each.measured.pooled_parts for _, each in known]),
            (np.concatenate([unit[members[g]] for g, _ in known]), np.concatenate(columns)),
        ),
        shape=(int(unit.max()) + 1, len(limits)),
    )
    products = (sums.T @ sums).toarray()
    roots = np.sqrt(np.diag(products))
    scale = np.where(roots > 0, roots, 1.0)
    correlation = products / scale / scale[:, None]
    np.fill_diagonal(correlation, 1.0)
    return np.asarray(correlation)
