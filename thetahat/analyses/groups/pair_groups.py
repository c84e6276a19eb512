"""Two models by groups: differences, what they show, and whether they depend on the group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from thetahat.analyses.groups.columns import write_group
from thetahat.analyses.groups.expected_coverage import (
    DIFFERENCES,
    PAIR_GAPS,
    add_expected_coverage,
    classify,
)
from thetahat.analyses.groups.gaps import find_pair_gaps
from thetahat.analyses.groups.intervals import (
    GroupEstimate,
    MeanEstimate,
    compute_group_tail,
    estimate_paired_rates,
)
from thetahat.analyses.groups.model_groups import ABSENT, GroupOptions
from thetahat.analyses.groups.moments import GroupMoments
from thetahat.analyses.groups.result import GroupDecision, GroupDifference, GroupTest, PairGroups
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
)
from thetahat.analyses.thresholds import FEWEST_SKEWED, LEAST_SKEWNESS
from thetahat.intervals.base import Interval
from thetahat.seeds import make_random_stream
from thetahat.values.block_losses import BlockLosses
from thetahat.values.number_text import format_p_value
from thetahat.values.paired_counts import is_zero_one
from thetahat.values.types import FloatArray

MOST_NAMED: Final = 5
"""Groups that a sentence names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCorrection:
    """The level of one pair among several."""

    alpha: float
    """1 - level of the statements about one pair."""
    n_pairs: int
    """Number of pairs whose statements hold together at the level of the request."""
    n_groupings: int
    """Number of columns and intersections, for the statement that a is worse in a group."""


@dataclass(frozen=True, slots=True, eq=False)
class _PairValues:
    """The losses of two models by instance, and how they are compared."""

    a: FloatArray
    b: FloatArray
    difference: FloatArray
    are_rates: bool
    higher: bool


def describe_pair(
    names: tuple[str, str],
    losses: tuple[BlockLosses, BlockLosses],
    rows: GroupRows,
    options: GroupOptions,
    correction: PairCorrection,
) -> PairGroups:
    """Return two models by the groups of their instances."""
    a, b = (rows.get_values(one) for one in losses)
    layout = losses[0].layout
    difference = rows.get_values(losses[0].minus(losses[1]))
    pair = _PairValues(
        a,
        b,
        difference,
        is_zero_one(a) and is_zero_one(b),
        layout.words.higher_is_better,
    )
    moments = rows.compute_moments(difference)
    items = tuple(
        _describe_group(pair, rows, moments, g, options, correction) for g in range(rows.n_groups)
    )
    level = 1 - correction.alpha
    rng = make_random_stream(options.seed, f"groups/{rows.grouping.key}/differences")
    found = find_pair_gaps(moments, correction.alpha, rng, largest_alone=not options.has_gaps)
    gaps = describe_gaps(
        found,
        rows,
        options.level,
        explain_missing_pair_gaps(rows),
        has_items=options.has_gaps,
    )
    depends = judge_equality(moments, rows, prefers_wald=True)
    cautions = tuple(list_group_cautions(moments, rows, layout, are_rates=pair.are_rates))
    described = (difference, rows, layout, classify(are_rates=pair.are_rates, cautions=cautions))
    return PairGroups(
        columns=rows.grouping.columns,
        whole=float(difference.mean()),
        simultaneous=add_expected_coverage(
            describe_level(rows, level, options.level), DIFFERENCES, *described
        ),
        items=(*items, *_list_absent(rows)),
        depends_on_group=depends,
        gaps=gaps if found is None else add_expected_coverage(gaps, PAIR_GAPS, *described),
        sentence=_write(names, rows.grouping.key, items, depends, 1 - options.level),
        cautions=cautions,
    )


def _describe_group(  # noqa: PLR0913 - what a group is made of
    pair: _PairValues,
    rows: GroupRows,
    moments: GroupMoments,
    group: int,
    options: GroupOptions,
    correction: PairCorrection,
) -> GroupDifference:
    estimate = _estimate(pair, rows, moments, group)
    tail = compute_group_tail(
        1 - correction.alpha, rows.n_groups, dependent=rows.are_dependent, one_sided=False
    )
    n_pairs = correction.n_pairs if correction.n_pairs > 1 else None
    interval = None if estimate is None else build_interval(estimate, tail, options.level, n_pairs)
    decision = _decide(interval, options.margin, higher=pair.higher)
    reaches_too_far = (
        interval is not None
        and options.margin is not None
        and find_half_width(interval) > options.margin
    )
    too_few = is_too_small(rows, group, interval) or reaches_too_far
    at_most = at_least = None
    if estimate is not None:
        of_all = compute_group_tail(
            1 - correction.alpha / correction.n_groupings,
            rows.n_groups,
            dependent=rows.are_dependent,
            one_sided=True,
        )
        alone, together = (
            estimate.compute_bounds(1 - options.level),
            estimate.compute_bounds(of_all),
        )
        at_most = -alone[0] if pair.higher else alone[1]
        at_least = -together[1] if pair.higher else together[0]
    return GroupDifference(
        group=name_group(rows, group),
        n=len(rows.get_members(group)),
        clusters=rows.count_clusters(group),
        difference=float(moments.means[group]),
        interval=interval,
        worse_by_at_most=at_most,
        worse_by_at_least=at_least,
        decision=decision,
        too_few=too_few and decision is GroupDecision.UNDECIDED,
        reason=None
        if estimate is not None
        else explain_missing_interval(rows, group, "differences"),
    )


def _estimate(
    pair: _PairValues, rows: GroupRows, moments: GroupMoments, group: int
) -> GroupEstimate | None:
    members = rows.get_members(group)
    if len(members) < 2 or rows.count_clusters(group) == 1:
        return None
    if not pair.are_rates:
        return allow_for_skewness(estimate_mean(moments, group), moments, group)
    cluster = None if rows.cluster is None else rows.cluster[members]
    return estimate_paired_rates(pair.a[members], pair.b[members], cluster)


def allow_for_skewness(
    estimate: MeanEstimate | None, moments: GroupMoments, group: int
) -> MeanEstimate | None:
    """Return the estimate whose bounds rest on all groups, too, of few rows or a skewed mean.

    They do with independent rows, where that was studied.
    """
    if estimate is None or moments.n_clusters is not None or not moments.are_skewed:
        return estimate
    variance, degrees, skewness = moments.pool()
    n = float(moments.n[group])
    if n >= FEWEST_SKEWED and abs(skewness) < LEAST_SKEWNESS * math.sqrt(n):
        return estimate
    of_all = MeanEstimate(
        estimate.estimate, math.sqrt(variance / n), degrees, skewness / math.sqrt(n)
    )
    return replace(estimate, of_all=of_all)


def _decide(interval: Interval | None, margin: float | None, *, higher: bool) -> GroupDecision:
    """Return what the simultaneous interval shows of a compared with b."""
    if interval is None or interval.lower is None or interval.upper is None:
        return GroupDecision.UNDECIDED
    lower, upper = interval.lower, interval.upper
    if higher:
        lower, upper = -upper, -lower
    if margin is not None and -margin < lower and upper < margin:
        return GroupDecision.EQUIVALENT
    if upper < 0:
        return GroupDecision.BETTER
    if lower > 0:
        return GroupDecision.WORSE
    if margin is not None and upper < margin:
        return GroupDecision.NOT_WORSE
    return GroupDecision.UNDECIDED


def _list_absent(rows: GroupRows) -> list[GroupDifference]:
    return [
        GroupDifference(
            group=rows.grouping.describe(labels),
            n=0,
            clusters=None if rows.clusters is None else 0,
            difference=None,
            interval=None,
            worse_by_at_most=None,
            worse_by_at_least=None,
            decision=GroupDecision.UNDECIDED,
            too_few=True,
            reason=ABSENT,
        )
        for labels in rows.grouping.absent
    ]


def _write(
    names: tuple[str, str],
    key: str,
    items: Sequence[GroupDifference],
    depends: GroupTest,
    alpha: float,
) -> str:
    a, b = names
    words = {
        GroupDecision.BETTER: f"{a} is better than {b} in",
        GroupDecision.WORSE: f"{a} is worse than {b} in",
        GroupDecision.EQUIVALENT: "they are equivalent in",
        GroupDecision.NOT_WORSE: f"{a} is not worse than {b} by the margin in",
    }
    said = [
        f"{phrase} {_list(found)}"
        for decision, phrase in words.items()
        if (found := [item for item in items if item.decision is decision])
    ]
    undecided = [item for item in items if item.decision is GroupDecision.UNDECIDED]
    small = [item for item in undecided if item.too_few]
    if len(undecided) > len(small):
        open_groups = [item for item in undecided if not item.too_few]
        said.append(f"it is not clear in {_list(open_groups)}")
    if small:
        said.append(f"there are too few instances to say in {_list(small)}")
    test = ""
    if depends.p_value is not None:
        shown = "depends" if depends.p_value < alpha else "is not shown to depend"
        test = f" The difference {shown} on {key} ({format_p_value(depends.p_value, alpha)})."
    return f"By {key}: {'; '.join(said)}.{test}"


def _list(items: Sequence[GroupDifference]) -> str:
    """Return the groups in words; of many their number and the first."""
    named = [write_group(item.group) for item in items[:MOST_NAMED]]
    rest = len(items) - len(named)
    if rest:
        return f"{len(items)} groups ({'; '.join(named)} and {rest} more)"
    return " and ".join(named) if len(named) < 3 else f"{', '.join(named[:-1])} and {named[-1]}"
