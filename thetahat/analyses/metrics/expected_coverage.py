"""How often recommended intervals of metrics covered in the nearest studied designs.

The numbers are those of ``metric_coverage.json``, which the module
``replications.presets.interval_coverage.recommended_metrics`` writes. They are for two-sided
intervals of level 0.95 of a metric of one model, or of its difference of two models.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, Literal, NotRequired, TypeAlias, TypedDict

from thetahat.analyses.losses.cautions import count_crossing_clusters
from thetahat.analyses.losses.expected_coverage import (
    Subject,
    add_coverage,
    average_coverages,
)
from thetahat.analyses.metrics.metric_values import MetricValues
from thetahat.intervals.base import Interval
from thetahat.metrics.base import Metric
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind

TABLE: Final = "/studies/metric_coverage"
_FILE: Final = "metric_coverage.json"

_Data: TypeAlias = Literal["rare", "balanced", "numbers"]
_DATA_WORDS: Final[Mapping[_Data, str]] = {
    "rare": " with few of one class",
    "balanced": " with about as many of each class",
    "numbers": "",
}


@dataclass(frozen=True, slots=True)
class _MetricCell:
    """A cell of the study: a population, a learner or two, and a number of rows."""

    data: _Data
    n: int
    coverage: float
    error: float


_MetricPlace: TypeAlias = tuple[str, Subject, str, str, str]
"""Metric, subject, design, target, and interval with its variance and mean."""


class MetricDesignJson(TypedDict):
    """A design of the shipped study, as its file has it."""

    words: str
    blocks: str
    repeated: NotRequired[bool]
    clusters: NotRequired[str]
    share: NotRequired[float]


class MetricRowJson(TypedDict):
    """A row of the shipped study: one cell, with coverage and standard error by interval."""

    metric: str
    of: Subject
    scheme: str
    target: str
    data: _Data
    n: int
    coverage: dict[str, list[float]]


class MetricStudyJson(TypedDict):
    """The shipped study of coverage, as its file has it."""

    level: float
    rare_share: float
    designs: dict[str, MetricDesignJson]
    rows: list[MetricRowJson]


@dataclass(frozen=True, slots=True)
class _MetricStudy:
    """The level of the study, the share below which a class is rare, designs and cells."""

    level: float
    rare_share: float
    designs: Mapping[str, MetricDesignJson]
    cells: Mapping[_MetricPlace, tuple[_MetricCell, ...]]


def add_metric_coverage(
    metric: Metric,
    measured: MetricValues,
    intervals: Sequence[Interval],
    subject: Subject,
) -> tuple[Interval, ...]:
    """Return the intervals, the recommended ones with their coverage in the nearest cells."""
    data = _describe_data(metric, measured)
    design = None if data is None else _find_design(measured.layout)
    if design is None or data is None:
        return tuple(intervals)
    place, n = (metric.info.name, subject, design), measured.layout.n_instances
    return tuple(
        _add(interval, place, data, n) if interval.recommended else interval
        for interval in intervals
    )


def _describe_data(metric: Metric, measured: MetricValues) -> _Data | None:
    """Return what the data are like; None for more than two classes, which were not studied."""
    if metric.task != "classification":
        return "numbers"
    share = measured.rarer_share
    if share is None:
        return None
    return "rare" if share < _read_study().rare_share else "balanced"


def _add(interval: Interval, place: tuple[str, Subject, str], data: _Data, n: int) -> Interval:
    study, (metric, _, design) = _read_study(), place
    variance = "" if interval.variance is None else f":{interval.variance}"
    label = f"{interval.method}{variance}/{interval.mean.value}"
    found = study.cells.get((*place, interval.target.value, label), ())
    cells = [cell for cell in found if cell.data == data]
    if not cells:
        return interval
    share = study.designs[design].get("share", 1.0)
    nearest = min({cell.n for cell in cells}, key=lambda size: abs(math.log(size * share / n)))
    at_size = [cell for cell in cells if cell.n == nearest]
    words = study.designs[design]["words"]
    several = f"average of {len(at_size)} cases" if len(at_size) > 1 else "one case"
    expected = average_coverages(
        [(cell.coverage, cell.error) for cell in at_size],
        f"{metric}, {words}, {nearest} rows{_DATA_WORDS[data]}; {several}",
        TABLE,
        study.level,
    )
    return add_coverage(interval, expected)


def _find_design(layout: Layout) -> str | None:
    """Return the studied design that is like the layout; none for leave-one-out and subsamples."""
    has_single_rows = layout.kind is BlockKind.RANDOM and layout.n_test.max() == 1
    if has_single_rows or (layout.has_fixed_models and layout.kind is BlockKind.SOURCE):
        return None
    clusters = None
    if layout.cluster is not None:
        clusters = "cut" if count_crossing_clusters(layout) > 0 else "whole"
    wanted = (layout.kind.value, layout.n_repeats > 1, clusters)
    for name, design in _read_study().designs.items():
        if (design["blocks"], design.get("repeated", False), design.get("clusters")) == wanted:
            return name
    return None


@cache
def _read_study() -> _MetricStudy:
    """Return the study that is shipped with the library."""
    text = files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    study: MetricStudyJson = json.loads(text)
    cells: dict[_MetricPlace, list[_MetricCell]] = {}
    for row in study["rows"]:
        for label, (coverage, error) in row["coverage"].items():
            place = (row["metric"], row["of"], row["scheme"], row["target"], label)
            cells.setdefault(place, []).append(_MetricCell(row["data"], row["n"], coverage, error))
    return _MetricStudy(
        study["level"],
        study["rare_share"],
        study["designs"],
        {place: tuple(found) for place, found in cells.items()},
    )
