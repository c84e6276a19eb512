"""Tables and figures of the preset ``interval_coverage`` about metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.general_tables import list_interval_rows
from thetahat.analyses.studies.loss_records import RECOMMENDED
from thetahat.analyses.studies.record_names import split_record_name
from thetahat.analyses.studies.record_reader import RecordReader
from thetahat.analyses.studies.result import StudyFigure, StudyTable, TableCell, make_table
from thetahat.analyses.studies.truths import AT_N, NEW_AT_N
from thetahat.metrics import METRICS
from thetahat.values.types import Target
from thetahat_replications.presets.interval_coverage.cell_selection import (
    Row,
    average,
    average_of_most,
    average_ratios,
    group_rows,
    read_number,
    read_numbers,
    read_value,
)
from thetahat_replications.presets.interval_coverage.coverage_figures import (
    Point,
    build_coverage_figure,
)
from thetahat_replications.presets.interval_coverage.metric_claims import judge_metrics
from thetahat_replications.presets.interval_coverage.metric_study import DIFFERENCE, MetricCell
from thetahat_replications.presets.interval_coverage.power import ABOUT, COLUMNS, measure_row

OF_MODELS: Final = "models"
"""The name of rows about the metric of one learner, in contrast to differences."""
EXPECTED: Final = "covers_expected"
"""Column with the coverage of the expected value of learning from all n rows."""
_PLACE: Final = {
    "scheme": "Scheme",
    "metric": "Metric",
    "of": "Of",
    "mean": "Mean",
    "target": "Target",
    "interval": "Interval",
}


def compute_metric_findings(
    cell_records: Sequence[tuple[MetricCell, Records]], level: float
) -> StudyFindings:
    """Return tables, figures and claims from the records of all cells of metrics."""
    rows = [row for cell, records in cell_records for row in tabulate_metrics(cell, records)]
    return build_metric_findings(rows, level)


def build_metric_findings(rows: Sequence[Row], level: float) -> StudyFindings:
    """Return tables, figures and claims from the rows of the table ``metric_cells``."""
    summary = summarise_metrics(rows)
    return StudyFindings(
        tables=(_build_summary_table(summary, rows, level), _build_cells_table(rows, level)),
        figures=build_metric_figures(summary, level),
        claims=judge_metrics(rows, level),
    )


def tabulate_metrics(cell: MetricCell, records: Records) -> list[Row]:
    """Return a row for each scheme, metric, learner or difference, mean and interval."""
    schemes = cell.study.schemes
    source_blocks = frozenset(schemes) if cell.study.setting.by_source else frozenset[str]()
    reader = RecordReader(records, source_blocks)
    rows: list[Row] = []
    for row in list_interval_rows(reader, dict.fromkeys(schemes, cell.study.level)):
        metric, subject, _ = split_record_name(str(row["subject"]))
        expected = NEW_AT_N if row["target"] == Target.NEW_SOURCE else AT_N
        rows.append(
            {
                "population": cell.population,
                "n": cell.n,
                "scheme": row["estimator"],
                "metric": metric,
                "of": subject,
                "mean": row["mean"],
                "target": row["target"],
                "interval": row["interval"],
                "coverage": row.get("coverage"),
                EXPECTED: row.get(f"covers_{expected}"),
                "width": row["width"],
                **measure_row(
                    reader,
                    row,
                    cell.study.level,
                    METRICS[metric].value_range,
                    is_difference=subject == DIFFERENCE,
                ),
                "score": row.get("score"),
                "built": row["built"],
            }
        )
    return rows


def summarise_metrics(rows: Sequence[Row]) -> list[Row]:
    """Return a row for each scheme, metric, subject, mean, target and interval.

    Numbers are averages over populations, sample sizes and, of models, learners. Width and score
    are relative to the recommended interval in the same cell for the same target.
    """
    recommended = {_get_place(row): row for row in rows if row["interval"] == RECOMMENDED}

    def find_place(row: Row) -> tuple[TableCell, ...]:
        of = DIFFERENCE if row["of"] == DIFFERENCE else OF_MODELS
        return tuple(of if key == "of" else row[key] for key in _PLACE)

    groups = group_rows(rows, find_place)
    return [
        {**dict(zip(_PLACE, place, strict=True)), **_compute_averages(group, recommended)}
        for place, group in groups.items()
    ]


def _get_place(row: Row) -> tuple[str, ...]:
    return tuple(str(row[key]) for key in ("population", "n", "scheme", "metric", "of", "target"))


def _compute_averages(
    rows: Sequence[Row], recommended: Mapping[tuple[str, ...], Row]
) -> dict[str, TableCell]:
    known = [row for row in rows if row["coverage"] is not None]
    lowest = min(known, key=_read_coverage_or_one, default=None)
    averages: dict[str, TableCell] = {
        "cells": len(rows),
        "coverage": average(read_numbers(rows, "coverage")),
        "least": None if lowest is None else read_value(lowest, "coverage"),
        "least_at": "" if lowest is None else _describe_cell(lowest),
        EXPECTED: average(read_numbers(rows, EXPECTED)),
        "width": average(read_numbers(rows, "width")),
        **{name: average_of_most(rows, name) for name in COLUMNS},
        "built": average(read_numbers(rows, "built")),
    }
    for n in _list_sample_sizes(rows):
        of_size = [row for row in rows if row["n"] == n]
        averages[f"coverage_{n}"] = average(read_numbers(of_size, "coverage"))
    for key in ("width", "score"):
        averages[f"relative_{key}"] = average_ratios(rows, key, recommended, _get_place)
    return averages


def _read_coverage_or_one(row: Row) -> float:
    coverage = read_value(row, "coverage")
    return 1.0 if coverage is None else coverage


def _describe_cell(row: Row) -> str:
    learner = "" if row["of"] == DIFFERENCE else f", {row['of']}"
    return f"{row['population']}{learner}, {row['n']}"


def _list_sample_sizes(rows: Iterable[Row]) -> list[int]:
    return sorted({n for row in rows if isinstance(n := row["n"], int)})


def _build_summary_table(summary: Sequence[Row], rows: Sequence[Row], level: float) -> StudyTable:
    def order(row: Row) -> tuple[str, ...]:
        return tuple(
            str(row[key]) for key in ("metric", "of", "scheme", "target", "mean", "interval")
        )

    return make_table(
        name="metrics",
        title=f"Intervals of level {level:g} of metrics that are not mean losses, over all cells",
        columns={
            **_PLACE,
            "cells": "Cells",
            "coverage": "Coverage of its own target",
            **{f"coverage_{n}": f"With {n} rows" for n in _list_sample_sizes(rows)},
            "least": "Least of the cells",
            "least_at": "Cell with the least",
            EXPECTED: "Coverage of the expected value at n",
            "width": "Average width",
            "relative_width": "Width relative to the recommended interval",
            **COLUMNS,
            "relative_score": "Interval score relative to the recommended interval",
            "built": "Share with an interval",
        },
        rows=sorted(summary, key=order),
        note=(
            "Averages over populations, sample sizes and, of models, two learners; a difference is "
            "the first learner's metric minus the second's on the same rows. Undefined metrics (a "
            "sample may lack a class) are left out, and the share with an interval shows how many. "
            "The expected value is that of learning from n rows; for a new source, that on a new "
            "source. " + ABOUT
        ),
    )


def _build_cells_table(rows: Sequence[Row], level: float) -> StudyTable:
    return make_table(
        name="metric_cells",
        title=f"Intervals of level {level:g} of metrics that are not mean losses, cell by cell",
        columns={
            "population": "Population",
            "n": "Rows",
            **_PLACE,
            "coverage": "Coverage of its own target",
            EXPECTED: "Coverage of the expected value at n",
            "width": "Average width",
            **COLUMNS,
            "score": "Interval score",
            "built": "Share with an interval",
        },
        rows=rows,
        note=ABOUT,
    )


def build_metric_figures(summary: Sequence[Row], level: float) -> tuple[StudyFigure, ...]:
    """Return coverage against relative width, for each target, of models and of differences."""
    figures = []
    for target in sorted({str(row["target"]) for row in summary}):
        for of, words in ((OF_MODELS, "metrics"), (DIFFERENCE, "differences of metrics")):
            points: dict[str, list[Point]] = {}
            for row in sorted(summary, key=lambda row: str(row["metric"])):
                width, coverage = read_value(row, "relative_width"), read_number(row, "coverage")
                if (row["target"], row["of"]) == (target, of) and width and coverage:
                    label = f"{row['interval']}, {row['scheme']}"
                    points.setdefault(str(row["metric"]), []).append((width, coverage, label))
            name = f"{words.replace(' ', '_')}_{target}"
            title = f"Coverage against width: {words}, target {target}"
            figures.append(build_coverage_figure(name, title, points, level))
    return tuple(figure for figure in figures if figure is not None)
