"""One model by groups: means, the worst group, gaps and the test of equal means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thetahat.analyses.groups.columns import write_group
from thetahat.analyses.groups.expected_coverage import (
    EXACT_RATES,
    GAPS,
    MEANS,
    WORST,
    add_expected_coverage,
    classify,
)
from thetahat.analyses.groups.gaps import RateLimits, find_gaps_to_whole, find_pair_gaps
from thetahat.analyses.groups.intervals import (
    GroupEstimate,
    RateEstimate,
    compute_group_tail,
    estimate_rate,
)
from thetahat.analyses.groups.moments import GroupMoments
from thetahat.analyses.groups.result import (
    GroupGaps,
    GroupMean,
    GroupMetric,
    ModelGroups,
    SimultaneousLevel,
    WorstGroup,
)
from thetahat.analyses.groups.rows import GroupRows
from thetahat.analyses.groups.statements import (
    build_interval,
    describe_gaps,
    describe_level,
    estimate_mean,
    explain_missing_interval,
    explain_missing_pair_gaps,
    find_half_width,
    is_too_small,
    judge_equality,
    list_group_cautions,
    name_group,
    rejects_too_often,
)
from thetahat.analyses.thresholds import MOST_SCORE_GROUPS
from thetahat.cautions import MANY_SKEWED_GROUPS, Caution
from thetahat.seeds import make_random_stream
from thetahat.values.block_losses import BlockLosses
from thetahat.values.number_text import format_number, format_percent
from thetahat.values.paired_counts import is_zero_one
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMetrics:
    """The metrics of one model in all groups."""

    of_groups: Sequence[Mapping[str, GroupMetric]]
    """By name, for each group."""
    levels: Mapping[str, SimultaneousLevel]
    """By name, the level at which the intervals of all groups hold together."""
    gaps: Mapping[str, GroupGaps]
    """By name, the gaps of all pairs of groups."""
    against_whole: Mapping[str, GroupGaps] | None
    """By name, the gap of each group from the metric over all rows; None without all gaps."""
    cautions: tuple[Caution, ...]
    """Cautions about the intervals of all groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupOptions:
    """What the statements about groups depend on beside the losses."""

    level: float
    """Level at which the intervals of all groups hold."""
    margin: float | None
    """Largest difference that does not matter."""
    seed: int
    """Seed of the draws for critical values."""
    has_gaps: bool = True
    """Whether all gaps are described, and not the largest alone."""
    has_exact_rates: bool = False
    """Whether error rates have Clopper and Pearson's limits whatever the number of groups."""

    def are_exact(self, rows: GroupRows) -> bool:
        """Return whether the limits of error rates in these groups are exact."""
        return self.has_exact_rates or rows.n_groups > MOST_SCORE_GROUPS


def describe_model(
    losses: BlockLosses,
    rows: GroupRows,
    options: GroupOptions,
    metrics: GroupMetrics | None = None,
) -> ModelGroups:
    """Return one model by the groups of its instances."""
    values = rows.get_values(losses)
    moments = rows.compute_moments(values)
    are_rates = is_zero_one(values)
    level, words = options.level, losses.layout.words
    tails = {
        one_sided: compute_group_tail(
            level, rows.n_groups, dependent=rows.are_dependent, one_sided=one_sided
        )
        for one_sided in (False, True)
    }
    items = []
    for g in range(rows.n_groups):
        estimate = _estimate(values, rows, moments, g, are_rates=are_rates)
        if isinstance(estimate, RateEstimate):
            estimate = replace(estimate, exact=options.are_exact(rows))
        interval = None if estimate is None else build_interval(estimate, tails[False], level)
        bounds = None if estimate is None else estimate.compute_bounds(tails[True])
        reaches_too_far = (
            interval is not None
            and options.margin is not None
            and find_half_width(interval) > options.margin
        )
        items.append(
            GroupMean(
                group=name_group(rows, g),
                n=len(rows.get_members(g)),
                clusters=rows.count_clusters(g),
                share=len(rows.get_members(g)) / rows.n,
                mean=float(moments.means[g]),
                interval=interval,
                bound=None if bounds is None else bounds[0 if words.higher_is_better else 1],
                too_few=is_too_small(rows, g, interval) or reaches_too_far,
                reason=None
                if estimate is not None
                else explain_missing_interval(rows, g, words.values),
                metrics=None if metrics is None else metrics.of_groups[g],
            )
        )
    cautions = tuple(list_group_cautions(moments, rows, losses.layout, are_rates=are_rates))
    if rejects_too_often(moments, rows):
        cautions = (*cautions, MANY_SKEWED_GROUPS(words, groups=rows.n_groups))
    rng = make_random_stream(options.seed, f"groups/{rows.grouping.key}")
    limits = None
    if are_rates and rows.clusters is None:
        limits = RateLimits(moments, exact=options.are_exact(rows))
    pairs = find_pair_gaps(moments, 1 - level, rng, limits, largest_alone=not options.has_gaps)
    against_whole = None
    if options.has_gaps:
        against_whole = describe_gaps(
            find_gaps_to_whole(moments, 1 - level, rng, limits), rows, level, NO_GAPS_TO_WHOLE
        )
    data = classify(are_rates=are_rates, cautions=cautions)
    if are_rates and options.are_exact(rows) and rows.n_groups <= MOST_SCORE_GROUPS:
        data = EXACT_RATES
    described = (values, rows, losses.layout, data)
    worst = _find_worst(items, options.level, words.value, higher=words.higher_is_better)
    if worst is not None and worst.groups_without_bound == 0:
        worst = add_expected_coverage(worst, WORST, *described)
    missing = explain_missing_pair_gaps(rows)
    gaps = describe_gaps(pairs, rows, level, missing, has_items=options.has_gaps)
    return ModelGroups(
        columns=rows.grouping.columns,
        whole=float(values.mean()),
        simultaneous=add_expected_coverage(describe_level(rows, level, level), MEANS, *described),
        simultaneous_metrics=None if metrics is None else metrics.levels,
        items=(*items, *_list_absent(rows)),
        worst=worst,
        equal_means=judge_equality(moments, rows, prefers_wald=False),
        gaps=gaps if pairs is None else add_expected_coverage(gaps, GAPS, *described),
        against_whole=against_whole,
        metric_gaps=None if metrics is None else metrics.gaps,
        metrics_against_whole=None if metrics is None else metrics.against_whole,
        cautions=(*cautions, *([] if metrics is None else metrics.cautions)),
    )


def _estimate(
    values: FloatArray, rows: GroupRows, moments: GroupMoments, group: int, *, are_rates: bool
) -> GroupEstimate | None:
    """Return the estimate of a group; None where it has no interval."""
    members = rows.get_members(group)
    if len(members) < 2 or rows.count_clusters(group) == 1:
        return None
    if not are_rates:
        return estimate_mean(moments, group)
    cluster = None if rows.cluster is None else rows.cluster[members]
    degrees = None if cluster is None else float(moments.degrees[group])
    return estimate_rate(values[members], cluster, degrees)


def _list_absent(rows: GroupRows) -> list[GroupMean]:
    grouping = rows.grouping
    return [
        GroupMean(
            group=grouping.describe(labels),
            n=0,
            clusters=None if rows.clusters is None else 0,
            share=0.0,
            mean=None,
            interval=None,
            bound=None,
            too_few=True,
            reason=ABSENT,
        )
        for labels in grouping.absent
    ]


NO_GAPS_TO_WHOLE = "There is a single group, or one of them has no variance."
ABSENT = "None of its rows is tested: all were left out, or serve for training alone."


def _find_worst(
    items: Sequence[GroupMean], level: float, value: str, *, higher: bool
) -> WorstGroup | None:
    """Return the group with the worst mean, and a bound of the worst one whichever it is."""
    known = [item for item in items if item.mean is not None]
    if not known:
        return None
    sign = -1 if higher else 1
    worst = max(known, key=lambda item: sign * (item.mean or 0.0))
    bounds = [item.bound for item in items if item.bound is not None]
    bound = sign * max(sign * each for each in bounds) if bounds else None
    without = len(items) - len(bounds)
    mean = float(np.float64(worst.mean))
    return WorstGroup(
        group=worst.group,
        mean=mean,
        upper_bound=None if higher else bound,
        lower_bound=bound if higher else None,
        groups_without_bound=without,
        sentence=_write_worst(worst, bound, without, level, value, higher=higher),
    )


def _write_worst(  # noqa: PLR0913 - what the sentence is about
    worst: GroupMean, bound: float | None, without: int, level: float, value: str, *, higher: bool
) -> str:
    extreme = "lowest" if higher else "highest"
    first = (
        f"The group with the {extreme} mean {value} is {write_group(worst.group)}, with "
        f"{format_number(worst.mean or 0.0)}"
    )
    if bound is None:
        return f"{first}. No group has an interval, so nothing is certain of the worst one."
    side = "below" if higher else "above"
    of_some = " that has an interval" if without else ""
    left = f" {without} {'has' if without == 1 else 'have'} none." if without else ""
    return (
        f"{first}. With {format_percent(level)} confidence no group{of_some} has a mean {value} "
        f"{side} {format_number(bound)}.{left}"
    )
