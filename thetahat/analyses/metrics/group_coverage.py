"""How often the intervals of a metric in all groups held at once in the nearest studied design.

``group_metrics_coverage.json`` has the numbers of ``docs/results/edges/metrics_by_group.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from thetahat.analyses.groups.expected_coverage import add_coverage_of_study
from thetahat.analyses.groups.result import SimultaneousLevel
from thetahat.analyses.groups.rows import GroupRows
from thetahat.analyses.losses.expected_coverage import is_too_low
from thetahat.cautions import COVERS_TOO_RARELY, Caution
from thetahat.metrics._classes import find_positive_code
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.values.kept_studies import NOT_STUDIED, read_studied_intervals
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_percent

TWO_CLASSES: Final = "two classes"
NUMBERS: Final = "numbers"

POSITIVES: Final = "rows of the positive class"
NEGATIVES: Final = "rows of the other class"


def add_group_coverage(
    level: SimultaneousLevel,
    metric: Metric,
    judged: TruthAndPredictions,
    rows: GroupRows,
    layout: Layout,
) -> SimultaneousLevel:
    """Return the level of a metric's intervals with how often those of all groups held at once."""
    is_numbers = judged.task != "classification"
    if not is_numbers and (len(judged.classes) != 2 or not _is_of_two_classes(metric)):
        return replace(level, expected_coverage_missing=NOT_STUDIED)
    numbers = {} if is_numbers else _count_classes(metric, judged)
    studied = read_studied_intervals(__package__, "group_metrics_coverage.json", metric.info.name)
    data = NUMBERS if is_numbers else TWO_CLASSES
    return add_coverage_of_study(level, studied, rows, layout, data, numbers)


def list_group_cautions(levels: Mapping[str, SimultaneousLevel]) -> Iterator[Caution]:
    """Yield a caution for each metric whose intervals of all groups cover clearly too rarely."""
    for key, level in levels.items():
        expected = level.expected_coverage
        if expected is not None and is_too_low(expected):
            yield COVERS_TOO_RARELY(
                interval=f"The set of all groups' intervals of {key}",
                coverage=format_percent(round(expected.coverage, 2)),
                design=expected.design,
            )


def _is_of_two_classes(metric: Metric) -> bool:
    """Whether the metric is one of a positive class, or has no average over classes."""
    return getattr(metric, "average", "binary") == "binary"


def _count_classes(metric: Metric, judged: TruthAndPredictions) -> dict[str, int]:
    """Return the rows of both classes; of metrics alike in both, the rarer is called positive."""
    counts = np.bincount(judged.truth, minlength=2)
    code = int(np.argmin(counts))
    if hasattr(metric, "positive"):
        positive: Any = metric.positive
        code = find_positive_code(metric.info.name, positive, judged.classes)
    return {POSITIVES: int(counts[code]), NEGATIVES: int(counts[1 - code])}
