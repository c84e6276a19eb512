"""How often recommended intervals of metrics covered in the nearest studied designs.

The numbers are those of ``metric_coverage.json``, which the module
``thetahat_replications.presets.interval_coverage.recommended_metrics`` writes. They are for
two-sided intervals of level 0.95 of a metric of one model, or of its difference of two models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final, Literal, TypeAlias

from thetahat.analyses.losses.expected_coverage import (
    StudiedCoverage,
    Subject,
    add_coverage,
    average_coverages,
    explain_missing,
    select_nearest_size,
)
from thetahat.analyses.losses.studied_designs import (
    DesignSizes,
    StudiedDesign,
    find_nearest_designs,
    read_designs,
)
from thetahat.analyses.metrics.group_coverage import find_coverage_of_test_set
from thetahat.analyses.metrics.metric_values import MetricValues
from thetahat.intervals.base import Interval
from thetahat.metrics.base import Metric
from thetahat.values.kept_studies import NOT_STUDIED, StudyFile, read_study
from thetahat.values.number_text import name_method

TABLE: Final = "/studies/metric_coverage"
FILE: Final = "metric_coverage.json"

_Data: TypeAlias = Literal["rare", "balanced", "numbers"]
_DATA_WORDS: Final[Mapping[_Data, str]] = {
    "rare": " with few of one class",
    "balanced": " with about as many of each class",
    "numbers": "",
}


_MetricPlace: TypeAlias = tuple[str, Subject, str, str]
"""Metric, subject, target, and interval with its variance and mean."""


def add_metric_coverage(
    metric: Metric,
    measured: MetricValues,
    intervals: Sequence[Interval],
    subject: Subject,
) -> tuple[Interval, ...]:
    """Return the intervals, the recommended ones with their coverage in the nearest cells."""
    layout = measured.layout
    data, sizes = _describe_data(metric, measured), DesignSizes.of(layout)
    designs = find_nearest_designs(read_designs(__package__, FILE), layout)
    place = (metric.info.name, subject)

    def add(interval: Interval) -> Interval:
        of_test_set = find_coverage_of_test_set(interval.method, measured)
        if of_test_set is not None:
            expected, missing = of_test_set
            shown = replace(interval, expected_coverage_missing=missing)
            return shown if expected is None else add_coverage(shown, expected)
        if not designs or data is None:
            return replace(interval, expected_coverage_missing=NOT_STUDIED)
        return _add(interval, place, designs[0], data, sizes)

    return tuple(add(interval) if interval.recommended else interval for interval in intervals)


def _describe_data(metric: Metric, measured: MetricValues) -> _Data | None:
    """Return what the data are like; None for more than two classes, which were not studied."""
    if metric.task != "classification":
        return "numbers"
    share = measured.rarer_share
    if share is None:
        return None
    return "rare" if share < _read_study().head["rare_share"] else "balanced"


def _add(
    interval: Interval,
    place: tuple[str, Subject],
    design: StudiedDesign,
    data: _Data,
    sizes: DesignSizes,
) -> Interval:
    metric, subject = place
    variance = "" if interval.variance is None else f":{interval.variance}"
    label = f"{interval.method}{variance}/{interval.mean.value}"
    cells_of_design = _read_cells(design.name)
    at_place = cells_of_design.get((metric, subject, interval.target.value, label), ())
    of_data = [cell for cell in at_place if cell.data == data]
    cells = select_nearest_size(of_data, design, sizes.n)
    missing = explain_missing(cells, design, sizes)
    if missing is not None:
        return replace(interval, expected_coverage_missing=missing)
    several = f"average of {len(cells)} cases" if len(cells) > 1 else "one case"
    rows = f"{cells[0].n} rows{_DATA_WORDS[data]}"
    words = f"{name_method(metric)}, {design.words}, {rows}; {several}"
    level = _read_study().head["level"]
    return add_coverage(interval, average_coverages(cells, words, TABLE, level))


def _read_study() -> StudyFile:
    """Return the study that is shipped with the library."""
    return read_study(__package__, FILE)


@cache
def _read_cells(design: str) -> Mapping[_MetricPlace, Sequence[StudiedCoverage]]:
    """Return the cells of a design of the study, by place."""
    cells: dict[_MetricPlace, list[StudiedCoverage]] = {}
    for row in _read_study().read_rows(design):
        if row["scheme"] != design:
            continue
        for label, (coverage, error) in row["coverage"].items():
            place = (row["metric"], row["of"], row["target"], label)
            cells.setdefault(place, []).append(
                StudiedCoverage(row["data"], row["n"], coverage, error)
            )
    return cells
