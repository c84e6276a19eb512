"""How often intervals of a metric held in the nearest studied design: of all groups, of one set.

``group_metrics_coverage.json`` has the numbers of ``docs/results/edges/metrics_by_group.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from thetahat.analyses.groups.expected_coverage import (
    STUDIED_IMBALANCE,
    Studied,
    add_coverage_of_study,
)
from thetahat.analyses.groups.result import GroupGaps, SimultaneousLevel
from thetahat.analyses.groups.rows import GroupRows
from thetahat.analyses.losses.expected_coverage import is_too_low
from thetahat.analyses.metrics.metric_values import MetricValues, has_skewed_targets
from thetahat.cautions import COVERS_TOO_RARELY, Caution
from thetahat.metrics._classes import find_positive_code
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.values.clusters import compute_imbalance
from thetahat.values.coverage import ExpectedCoverage
from thetahat.values.kept_studies import (
    NOT_STUDIED,
    explain_imbalance,
    find_expected_coverage,
    read_studied_intervals,
)
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_percent
from thetahat.values.types import BlockKind

TWO_CLASSES: Final = "two classes"
NUMBERS: Final = "numbers"
SKEWED: Final = "skewed numbers"
FILE: Final = "group_metrics_coverage.json"
GAPS_FILE: Final = "metric_gaps_coverage.json"
GAPS: Final = "gaps between all groups"
GAPS_TO_WHOLE: Final = "gaps from all rows"

POSITIVES: Final = "rows of the positive class"
NEGATIVES: Final = "rows of the other class"
ROWS: Final = "rows"
CLUSTERS: Final = "clusters"


def add_group_coverage(  # noqa: PLR0913 - what a design is compared with
    statement: Studied,
    metric: Metric,
    judged: TruthAndPredictions,
    rows: GroupRows,
    layout: Layout,
    gaps: str | None = None,
) -> Studied:
    """Return the level of a metric's intervals, or its gaps, with how often all held at once.

    ``gaps`` is ``GAPS`` or ``GAPS_TO_WHOLE``; None of the intervals of groups.
    """
    if getattr(statement, "reason", None) is not None:  # there are no gaps
        return statement
    is_numbers = judged.task != "classification"
    if not is_numbers and (len(judged.classes) != 2 or not _is_of_two_classes(metric)):
        return replace(statement, expected_coverage_missing=NOT_STUDIED)
    numbers = {} if is_numbers else _count_classes(metric, judged)
    file, name = FILE, metric.info.name
    if gaps is not None:
        file, name = GAPS_FILE, f"{gaps} of {name}"
    studied = read_studied_intervals(__package__, file, name)
    data = TWO_CLASSES
    if is_numbers:
        data = SKEWED if has_skewed_targets(judged) else NUMBERS
    return add_coverage_of_study(statement, studied, rows, layout, data, numbers)


def find_coverage_of_test_set(
    method: str, measured: MetricValues
) -> tuple[ExpectedCoverage | None, str | None] | None:
    """Return how often an interval method covered in one test set, or why it is not known.

    None where the method was studied with groups alone, or not at all.
    """
    layout = measured.layout
    studied = read_studied_intervals(__package__, FILE, method)
    if not studied or layout.kind is not BlockKind.HOLDOUT or layout.time is not None:
        return None
    numbers = {ROWS: layout.n_rows}
    data = SKEWED if measured.is_skewed else NUMBERS
    if measured.strata is not None:
        counts = np.bincount(measured.strata)
        if len(counts) != 2:
            return None, NOT_STUDIED
        data, numbers = TWO_CLASSES, {POSITIVES: int(counts.min()), NEGATIVES: int(counts.max())}
    if layout.cluster is not None:
        sizes = np.bincount(layout.cluster)
        numbers[CLUSTERS] = len(sizes)
        unequal = explain_imbalance(
            CLUSTERS, len(sizes), compute_imbalance(sizes), STUDIED_IMBALANCE
        )
        if unequal is not None:
            return None, unequal
    return find_expected_coverage(studied, data, numbers)


def list_group_cautions(
    statements: Mapping[str, Mapping[str, SimultaneousLevel | GroupGaps]],
) -> Iterator[Caution]:
    """Yield a caution for each metric whose intervals of all groups cover clearly too rarely.

    ``statements`` are those about all groups or gaps by metric, by what a sentence calls them with
    braces in the place of the metric.
    """
    for what, of_metrics in statements.items():
        for key, statement in of_metrics.items():
            expected = statement.expected_coverage
            if expected is None or not is_too_low(expected):
                continue
            yield COVERS_TOO_RARELY(
                interval=f"The set of {what.format(key)}",
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
