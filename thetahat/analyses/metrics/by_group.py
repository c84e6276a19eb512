"""Metrics of each group of rows, with intervals that hold for all groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from thetahat.analyses.groups.model_groups import GroupMetrics
from thetahat.analyses.groups.result import GroupMetric
from thetahat.analyses.groups.rows import GroupRows
from thetahat.analyses.groups.statements import describe_level
from thetahat.analyses.losses.by_group import GroupsOfTable
from thetahat.analyses.losses.choices import Choices, ChosenMethod
from thetahat.analyses.metrics.group_coverage import add_group_coverage, list_group_cautions
from thetahat.analyses.metrics.inference import infer_metric
from thetahat.analyses.metrics.log_jackknife import explain_few_units
from thetahat.analyses.metrics.metric_values import MetricValues, measure
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import Alternative, BlockKind, FloatArray, IntArray, Target

UNDEFINED = "The metric is not defined in this group, for example because a class is missing."
NO_VARIANCE = "The metric does not vary in this group, or its rows are of one cluster."
NOT_PAIRED = "An instance of the group is not tested once in every repeat."


def add_metrics_to_groups(
    groups: GroupsOfTable | None,
    metrics: Sequence[ChosenMethod[Metric]],
    judged: Mapping[str, TruthAndPredictions],
    layout: Layout,
    seed: int,
) -> GroupsOfTable | None:
    """Return the groups of a table with the metrics that are measured in each."""
    if groups is None or not metrics:
        return groups
    return replace(groups, measure=partial(measure_groups, metrics, judged, layout, seed))


def measure_groups(  # noqa: PLR0913 - a metric needs the data, the layout and the groups
    metrics: Sequence[ChosenMethod[Metric]],
    judged: Mapping[str, TruthAndPredictions],
    layout: Layout,
    seed: int,
    rows: GroupRows,
    level_of_all: float,
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
    level_of_all : float
        Level at which the intervals of all groups hold together.
    """
    of_each = Choices(level=rows.get_level_of_each(level_of_all))
    parts = [list(_list_repeats(layout, rows, g)) for g in range(rows.n_groups)]
    clusters = [_build_holdout(rows, g) for g in range(rows.n_groups)]
    level = describe_level(rows, level_of_all, level_of_all)
    found = {}
    for name, one in judged.items():
        of_groups = [
            {
                entry.key: _measure_group(
                    entry.method, one, parts[g], clusters[g], seed, of_each, level_of_all
                )
                for entry in metrics
            }
            for g in range(rows.n_groups)
        ]
        levels = {
            entry.key: add_group_coverage(level, entry.method, one, rows, layout)
            for entry in metrics
        }
        cautions = tuple(list_group_cautions(levels))
        found[name] = GroupMetrics(of_groups=of_groups, levels=levels, cautions=cautions)
    return found


def _list_repeats(layout: Layout, rows: GroupRows, group: int) -> Iterator[IntArray]:
    """Yield the rows of a group in each repeat, in the order of the instances."""
    members = rows.get_members(group)
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


def _build_holdout(rows: GroupRows, group: int) -> Layout | None:
    """Return the layout of the instances of a group as one test set; None of a single cluster."""
    members = rows.get_members(group)
    cluster = None if rows.cluster is None else rows.cluster[members]
    if cluster is not None and rows.count_clusters(group) == 1:
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
) -> GroupMetric:
    if layout is None or {len(rows) for rows in repeats} != {layout.n_rows}:
        values = [metric.statistic(judged.rows(rows)).value() for rows in repeats if len(rows)]
        known = [value for value in values if not math.isnan(value)]
        mean = float(np.mean(known)) if known and len(known) == len(values) else None
        reason = UNDEFINED if mean is None else NO_VARIANCE if layout is None else NOT_PAIRED
        return GroupMetric(estimate=mean, interval=None, reason=reason)
    measured = _average([measure(metric, judged.rows(rows), layout, seed) for rows in repeats])
    if math.isnan(measured.pooled):
        return GroupMetric(estimate=None, interval=None, reason=UNDEFINED)
    two_sided = replace(choices, alternative=Alternative.TWO_SIDED)
    inference = infer_metric(metric, measured, two_sided, is_difference=False)
    interval = next(
        (
            each
            for each in inference.intervals
            if each.recommended and each.target is Target.THESE_MODELS
        ),
        None,
    )
    if interval is None:
        few = explain_few_units(measured)
        reason = NO_VARIANCE if few is None else f"There is no interval: {few}."
        return GroupMetric(estimate=measured.pooled, interval=None, reason=reason)
    # The studies that its coverage is from were of single intervals of another level; that of all
    # groups at once is a part of their common level.
    simultaneous = replace(
        interval,
        level=level_of_all,
        recommended=False,
        expected_coverage=None,
        expected_coverage_missing=None,
    )
    return GroupMetric(estimate=measured.pooled, interval=simultaneous)


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
        replicates=None,
        rows_without_error=None,
        blocks_without_error=None,
    )


def _average_known(values: Sequence[FloatArray | None]) -> FloatArray | None:
    known = [each for each in values if each is not None]
    return np.asarray(np.mean(known, axis=0)) if known else None
