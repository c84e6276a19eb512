"""Metrics of each group of rows, with intervals that hold for all groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from thetahat.analyses.groups.model_groups import GroupMetrics, GroupOptions
from thetahat.analyses.groups.result import GroupMetric
from thetahat.analyses.groups.rows import GroupRows
from thetahat.analyses.groups.statements import describe_level
from thetahat.analyses.losses.by_group import GroupsOfTable
from thetahat.analyses.losses.choices import Choices, ChosenMethod
from thetahat.analyses.metrics.group_coverage import (
    GAPS,
    GAPS_TO_WHOLE,
    add_group_coverage,
    list_group_cautions,
)
from thetahat.analyses.metrics.group_gaps import find_metric_gaps
from thetahat.analyses.metrics.inference import infer_metric
from thetahat.analyses.metrics.log_jackknife import explain_few_units
from thetahat.analyses.metrics.metric_values import MetricValues, measure
from thetahat.analyses.metrics.square_and_add import ModelLimits
from thetahat.intervals.base import Interval
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.seeds import make_random_stream
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind, FloatArray, IntArray, Target

UNDEFINED = "The metric is not defined in this group, for example because a class is missing."
NO_VARIANCE = "The metric does not vary in this group, or its rows are of one cluster."
NOT_PAIRED = "An instance of the group is not tested once in every repeat."


def add_metrics_to_groups(
    groups: GroupsOfTable | None,
    metrics: Sequence[ChosenMethod[Metric]],
    judged: Mapping[str, TruthAndPredictions],
    layout: Layout,
) -> GroupsOfTable | None:
    """Return the groups of a table with the metrics that are measured in each."""
    if groups is None or not metrics:
        return groups
    return replace(groups, measure=partial(measure_groups, metrics, judged, layout))


def measure_groups(
    metrics: Sequence[ChosenMethod[Metric]],
    judged: Mapping[str, TruthAndPredictions],
    layout: Layout,
    rows: GroupRows,
    options: GroupOptions,
) -> dict[str, GroupMetrics]:
    """Return by model the metrics of each group.

    The rows of a group are taken as one test set, repeat by repeat; values and influences are
    averaged over repeats.

    Parameters
    ----------
    metrics : sequence of ChosenMethod
        The metrics, already checked against the task and the classes.
    judged : mapping of str to TruthAndPredictions
        Truth and predictions by model, rows in the layout's order.
    rows : GroupRows
        The groups of the instances.
    options : GroupOptions
        The level at which the intervals of all groups hold together, and whether all gaps are
        described.
    """
    level_of_all, seed = options.level, options.seed
    of_each = Choices(level=rows.get_level_of_each(level_of_all))
    whole = np.sort(rows.order)
    members = [*(rows.get_members(g) for g in range(rows.n_groups)), whole]
    parts = [list(_list_repeats(layout, rows, each)) for each in members]
    clusters = [_build_holdout(rows, each) for each in members]
    level = describe_level(rows, level_of_all, level_of_all)
    found = {}
    for name, one in judged.items():
        of_metrics = {
            entry.key: [
                _measure_group(entry.method, one, repeats, of_rows, seed, of_each, level_of_all)
                for repeats, of_rows in zip(parts, clusters, strict=True)
            ]
            for entry in metrics
        }
        levels, gaps, against_whole = {}, {}, {}
        for entry in metrics:
            key, of_study = entry.key, (entry.method, one, rows, layout)
            rng = make_random_stream(seed, f"groups/{rows.grouping.key}/{key}")
            limits = [each.limits for each in of_metrics[key]]
            levels[key] = add_group_coverage(level, *of_study)
            pairs, to_whole = find_metric_gaps(limits, members, rows, options, rng)
            gaps[key] = add_group_coverage(pairs, *of_study, gaps=GAPS)
            if to_whole is not None:
                against_whole[key] = add_group_coverage(to_whole, *of_study, gaps=GAPS_TO_WHOLE)
        found[name] = GroupMetrics(
            of_groups=[
                {key: measured[g].described for key, measured in of_metrics.items()}
                for g in range(rows.n_groups)
            ],
            levels=levels,
            gaps=gaps,
            against_whole=against_whole or None,
            cautions=tuple(
                list_group_cautions(
                    {
                        "all groups' intervals of {}": levels,
                        "all gaps of {} between groups": gaps,
                        "all gaps of {} from all rows": against_whole,
                    }
                )
            ),
        )
    return found


@dataclass(frozen=True, slots=True)
class _MeasuredGroup:
    """A metric in a group."""

    described: GroupMetric
    limits: ModelLimits | None = None
    """Its limits at any level; None where it has no interval."""


def _list_repeats(layout: Layout, rows: GroupRows, members: IntArray) -> Iterator[IntArray]:
    """Yield the rows of instances in each repeat, in the order of the instances."""
    if not rows.averages:
        yield members
        return
    instance = layout.instance
    assert instance is not None  # noqa: S101 - several rows of an instance have its name
    repeat = layout.split_repeat[layout.get_split_of_row()]
    is_member = np.zeros(rows.n, dtype=np.bool_)
    is_member[members] = True
    for r in range(layout.n_repeats):
        found = np.flatnonzero(is_member[instance] & (repeat == r))
        yield found[np.argsort(instance[found], kind="stable")]


def _build_holdout(rows: GroupRows, members: IntArray) -> Layout | None:
    """Return the layout of instances as one test set; None of a single cluster."""
    cluster = None if rows.cluster is None else rows.cluster[members]
    if cluster is not None and (cluster == cluster[0]).all():
        return None
    return build_layout(BlockKind.HOLDOUT, np.zeros(len(members), dtype=np.intp), cluster=cluster)


def _measure_group(  # noqa: PLR0913 - what a metric is measured on
    metric: Metric,
    judged: TruthAndPredictions,
    repeats: Sequence[IntArray],
    layout: Layout | None,
    seed: int,
    choices: Choices,
    level_of_all: float,
) -> _MeasuredGroup:
    if layout is None or {len(rows) for rows in repeats} != {layout.n_rows}:
        values = [metric.statistic(judged.rows(rows)).value() for rows in repeats if len(rows)]
        known = [value for value in values if not math.isnan(value)]
        mean = float(np.mean(known)) if known and len(known) == len(values) else None
        reason = UNDEFINED if mean is None else NO_VARIANCE if layout is None else NOT_PAIRED
        return _MeasuredGroup(GroupMetric(estimate=mean, interval=None, reason=reason))
    measured = _average(
        [measure(metric, judged.rows(r), layout, seed, has_replicates=False) for r in repeats]
    )
    if math.isnan(measured.pooled):
        return _MeasuredGroup(GroupMetric(estimate=None, interval=None, reason=UNDEFINED))
    interval = _find_interval(metric, measured, choices)
    if interval is None and len(repeats) == 1:  # bootstrap intervals come after all others
        measured = measure(metric, judged.rows(repeats[0]), layout, seed)
        interval = _find_interval(metric, measured, choices)
    if interval is None:
        few = explain_few_units(measured)
        reason = NO_VARIANCE if few is None else f"There is no interval: {few}."
        described = GroupMetric(estimate=measured.pooled, interval=None, reason=reason)
        return _MeasuredGroup(described)
    # The studies that its coverage is from were of single intervals of another level; that of all
    # groups at once is a part of their common level.
    simultaneous = replace(
        interval,
        level=level_of_all,
        recommended=False,
        expected_coverage=None,
        expected_coverage_missing=None,
    )
    described = GroupMetric(estimate=measured.pooled, interval=simultaneous)
    return _MeasuredGroup(described, ModelLimits(metric, measured, interval))


def _find_interval(metric: Metric, measured: MetricValues, choices: Choices) -> Interval | None:
    """Return the recommended interval about the trained model."""
    for each in infer_metric(metric, measured, choices, is_difference=False).intervals:
        if each.recommended and each.target is Target.THESE_MODELS:
            return each
    return None


def _average(measured: Sequence[MetricValues]) -> MetricValues:
    """Return the average over repeats of the same instances; all parts are linear."""
    if len(measured) == 1:
        return measured[0]
    return replace(
        measured[0],
        pooled=float(np.mean([each.pooled for each in measured])),
        pooled_parts=np.mean([each.pooled_parts for each in measured], axis=0),
        splits=np.mean([each.splits for each in measured], axis=0),
        split_influence=np.mean([each.split_influence for each in measured], axis=0),
        hits=_average_known([each.hits for each in measured]),
        left_out=_average_known([each.left_out for each in measured]),
        fold_influence=None,
        rows_without_error=None,
        blocks_without_error=None,
    )


def _average_known(values: Sequence[FloatArray | None]) -> FloatArray | None:
    known = [each for each in values if each is not None]
    return np.asarray(np.mean(known, axis=0)) if known else None
