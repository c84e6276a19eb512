"""Intervals, tests and gaps of groups as parts of a result, for models and for pairs alike."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from thetahat.analyses.groups.columns import write_group
from thetahat.analyses.groups.equal_groups import (
    EqualityTest,
    compute_size_of_wald,
    compute_wald,
    compute_wald_of_clusters,
    compute_welch,
)
from thetahat.analyses.groups.gaps import MOST_COMPARED, Gap, GapFamily
from thetahat.analyses.groups.intervals import GroupEstimate, MeanEstimate
from thetahat.analyses.groups.moments import GroupMoments
from thetahat.analyses.groups.result import (
    GroupGap,
    GroupGaps,
    GroupTest,
    SharedLevel,
    SimultaneousLevel,
)
from thetahat.analyses.groups.rows import FEW_UNITS, GroupRows
from thetahat.analyses.thresholds import (
    FEWEST_SKEWED,
    LARGEST_SIZE,
    LARGEST_SKEWNESS,
    LARGEST_SKEWNESS_OF_TEST,
)
from thetahat.cautions import (
    GROUPS_OF_THESE_SOURCES,
    GROUPS_WITHOUT_TIME,
    MANY_SKEWED_GROUPS,
    SKEWED_GROUPS,
    Caution,
)
from thetahat.intervals.base import Interval
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, BlockKind, Label, MeanKind, Target
from thetahat.variances._building import TRAINING_IGNORED


def describe_level(rows: GroupRows, level: float, level_of_all: float) -> SimultaneousLevel:
    """Return the level of each interval; ``level`` is that at which they are made."""
    return SimultaneousLevel(
        method=SharedLevel.BONFERRONI if rows.are_dependent else SharedLevel.SIDAK,
        groups=rows.n_groups,
        level=level_of_all,
        level_of_each=rows.get_level_of_each(level),
    )


def estimate_mean(moments: GroupMoments, group: int) -> MeanEstimate | None:
    """Return the mean of a group; None where no interval may be built on its variance."""
    if not moments.usable[group]:
        return None
    return MeanEstimate(
        float(moments.means[group]),
        math.sqrt(float(moments.variances[group])),
        float(moments.degrees[group]),
        float(moments.skewness_of_means[group]) if moments.are_skewed else 0.0,
        clustered=moments.n_clusters is not None,
    )


def explain_missing_interval(rows: GroupRows, group: int, what: str) -> str:
    """Return why a group has no interval; ``what`` names the values."""
    members = len(rows.get_members(group))
    if members < 2:
        return "It has a single instance."
    if rows.count_clusters(group) == 1:
        return "All its instances are of one cluster."
    return f"All its {members} {what} are equal, so their variance is not known."


def build_interval(
    estimate: GroupEstimate, tail: float, level: float, n_pairs: int | None = None
) -> Interval:
    """Return the two-sided interval with probability ``tail`` beyond each end."""
    lower, upper = estimate.compute_ends(tail)
    return Interval(
        method=estimate.method,
        variance=estimate.variance,
        target=Target.THESE_MODELS,
        mean=MeanKind.POOLED,
        estimate=estimate.estimate,
        standard_error=estimate.standard_error,
        level=level,
        alternative=Alternative.TWO_SIDED,
        lower=lower,
        upper=upper,
        degrees_of_freedom=estimate.degrees_of_freedom,
        simultaneous_pairs=n_pairs,
    )


def find_half_width(interval: Interval) -> float:
    """Return how far the interval reaches from its estimate, on the longer side."""
    lower, upper = interval.lower, interval.upper
    if lower is None or upper is None:
        return math.inf
    return max(upper - interval.estimate, interval.estimate - lower)


def is_too_small(rows: GroupRows, group: int, interval: Interval | None) -> bool:
    """Whether a group has no interval, or too few units for one to mean much."""
    clusters = rows.count_clusters(group)
    units = len(rows.get_members(group)) if clusters is None else clusters
    return interval is None or units < FEW_UNITS


def judge_equality(moments: GroupMoments, rows: GroupRows, *, prefers_wald: bool) -> GroupTest:
    """Return the test that all groups have one mean.

    It is Welch's F, or where ``prefers_wald`` and there are many instances, Wald's chi-squared; of
    clusters Wald's F.
    """
    test: EqualityTest | None
    if rows.clusters is not None:
        test = compute_wald_of_clusters(moments)
    else:
        test = compute_welch(moments)
        if prefers_wald and test is not None and compute_size_of_wald(moments) <= LARGEST_SIZE:
            test = compute_wald(moments)
    if test is None:
        return GroupTest(
            name=None,
            statistic=None,
            degrees_of_freedom=None,
            p_value=None,
            reason=_explain_missing_test(moments, rows),
        )
    return GroupTest(
        name=test.name,
        statistic=test.statistic,
        degrees_of_freedom=test.degrees_of_freedom,
        p_value=test.p_value,
    )


def rejects_too_often(moments: GroupMoments, rows: GroupRows) -> bool:
    """Return whether Welch's F of equal means exceeds its level, as of many skewed groups."""
    return (
        rows.clusters is None
        and int(moments.usable.sum()) >= MANY_SKEWED_GROUPS.threshold
        and abs(moments.typical_skewness_of_mean) > LARGEST_SKEWNESS_OF_TEST
    )


def _explain_missing_test(moments: GroupMoments, rows: GroupRows) -> str:
    if rows.n_groups < 2:
        return "There is a single group."
    if rows.clusters is None and int((moments.n > 1).sum()) < 2:
        return "Fewer than two groups have two instances."
    if not moments.usable[moments.n > 1].all() or not moments.usable.any():
        return "In a group all values are equal, or of one cluster, so its variance is not known."
    return "There are too few clusters for so many groups."


def describe_gaps(  # noqa: PLR0913 - the gaps, and what is said where some are missing
    family: GapFamily | None,
    rows: GroupRows,
    level: float,
    reason: str,
    *,
    has_items: bool = True,
    lacking: str = "a variance",
) -> GroupGaps:
    """Return gaps as a result.

    ``reason`` says why there are none, and ``lacking`` what groups need for a gap.
    """
    gaps = () if family is None else family.gaps
    items = tuple(_describe_gap(gap, rows) for gap in gaps) if has_items else None
    if family is None:
        return GroupGaps(level=level, critical_value=None, items=items, largest=None, reason=reason)
    return GroupGaps(
        level=level,
        critical_value=family.critical_value,
        items=items,
        largest=_describe_gap(family.find_largest(), rows),
        reason=_explain_missing_groups(family, rows, lacking),
    )


def _explain_missing_groups(family: GapFamily, rows: GroupRows, lacking: str) -> str | None:
    """Return which groups have no gaps; None where all have."""
    missing = sorted(set(range(rows.n_groups)) - set(family.groups.tolist()))
    if not missing:
        return None
    names = "; ".join(write_group(name_group(rows, group)) for group in missing)
    return f"Groups without {lacking} have no gaps: {names}."


def explain_missing_pair_gaps(rows: GroupRows, lacking: str = "a variance") -> str:
    """Return why the pairs of groups have no gaps; ``lacking`` is what they need."""
    if rows.n_groups > MOST_COMPARED:
        return (
            f"There are {rows.n_groups} groups; the pairs of at most {MOST_COMPARED} are compared."
        )
    return f"Fewer than two groups have {lacking}."


def _describe_gap(gap: Gap, rows: GroupRows) -> GroupGap:
    return GroupGap(
        group=name_group(rows, gap.group),
        against=None if gap.against is None else name_group(rows, gap.against),
        estimate=gap.estimate,
        standard_error=gap.standard_error or None,
        degrees_of_freedom=None if math.isinf(gap.degrees) else gap.degrees,
        method=gap.method,
        lower=gap.ends[0],
        upper=gap.ends[1],
    )


def name_group(rows: GroupRows, group: int) -> Mapping[str, Label | None]:
    """Return the values of a group by column."""
    return rows.grouping.describe(rows.grouping.labels[group])


def list_group_cautions(
    moments: GroupMoments, rows: GroupRows, layout: Layout, *, are_rates: bool
) -> Iterator[Caution]:
    """Yield the cautions about the intervals of all groups."""
    if not are_rates and moments.are_skewed:
        largest = float(abs(moments.skewness_of_means[moments.usable]).max())
        fewest = int(moments.n_units[moments.usable].min())
        if largest > LARGEST_SKEWNESS or fewest < FEWEST_SKEWED:
            yield SKEWED_GROUPS(layout.words)
    if layout.kind is BlockKind.SOURCE and rows.clusters is None:
        yield GROUPS_OF_THESE_SOURCES(layout.words)
    if layout.time is not None:
        yield GROUPS_WITHOUT_TIME(layout.words)
    yield TRAINING_IGNORED
