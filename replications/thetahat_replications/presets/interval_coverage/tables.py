"""Tables and figures of the preset ``interval_coverage`` about losses.

The table ``cells`` has a row for every cell, scheme, interval and target; ``summary`` averages over
the cells; ``best`` compares the best interval with the recommended one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.loss_records import RECOMMENDED
from thetahat.analyses.studies.record_reader import RecordReader
from thetahat.analyses.studies.result import StudyFigure, StudyTable, TableCell, make_table
from thetahat.analyses.studies.truths import PREDICTED
from thetahat.cautions import FEW_REPETITIONS, THESE_SOURCES_UNKNOWN, Caution, restore
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat.values.types import BlockKind
from thetahat_replications.presets.interval_coverage.best_interval import (
    add_powers,
    build_best_table,
    find_best_intervals,
)
from thetahat_replications.presets.interval_coverage.cell_selection import (
    Row,
    average,
    average_of_most,
    average_ratios,
    group_rows,
    read_number,
    read_numbers,
)
from thetahat_replications.presets.interval_coverage.cells import CoverageCell
from thetahat_replications.presets.interval_coverage.claims import EXPECTED, judge_coverage
from thetahat_replications.presets.interval_coverage.coverage_figures import (
    Point,
    build_coverage_figure,
)
from thetahat_replications.presets.interval_coverage.paired_comparison import (
    MORE_COVERAGE,
    RELATIVE_SCORE,
    Place,
    compare_with_recommended,
)
from thetahat_replications.presets.interval_coverage.power import ABOUT, COLUMNS, measure_row

SHOWN_COLUMNS: Final = ("coverage", EXPECTED, "width", "score", "built")
"""Columns of the cells' table ``intervals`` that are kept."""


def compute_findings(
    cell_records: Sequence[tuple[CoverageCell, Records]], level: float
) -> StudyFindings:
    """Return tables, figures, claims and cautions from the records of all cells."""
    rows: list[Row] = []
    cautions: dict[tuple[str, str], Caution] = {}
    for cell, records in cell_records:
        cell_findings = cell.study.finish(records)
        source_blocks = find_source_blocks(cell)
        compared = compare_with_recommended(records, source_blocks, level)
        reader, value_range = RecordReader(records, source_blocks), get_value_range(cell)
        for table in cell_findings.tables:
            if table.name == "intervals":
                draws = len(next(iter(records.values())))
                rows += [
                    {
                        **_build_cell_row(cell, row, compared),
                        **measure_row(reader, row, level, value_range),
                        "draws": draws,
                    }
                    for row in table.rows
                    if _has_truth(row)
                ]
        for caution in cell_findings.cautions:
            # another cell has the same sources
            if caution.code != THESE_SOURCES_UNKNOWN.code:
                of_all = caution.code == FEW_REPETITIONS.code
                message = caution.message if of_all else f"{cell.name}: {caution.message}"
                cautions[caution.code, message] = restore(caution.code, message)
    return replace(build_findings(rows, level), cautions=tuple(cautions.values()))


def build_findings(rows: Sequence[Row], level: float) -> StudyFindings:
    """Return tables, figures and claims from the rows of the table ``cells``."""
    summary = summarise_cells(rows, level)
    best = add_powers(find_best_intervals(summary), summary)
    return StudyFindings(
        tables=(
            build_best_table(best, level),
            _build_summary_table(summary, level),
            _build_cells_table(rows, level),
        ),
        figures=_build_figures(summary, level),
        claims=judge_coverage(summary, rows, best, level),
    )


def find_source_blocks(cell: CoverageCell) -> frozenset[str]:
    """Return the schemes of a cell whose blocks are sources."""
    return frozenset(
        one.key
        for one in cell.study.estimators
        if one.scheme is not None and one.scheme.block_kind is BlockKind.SOURCE
    )


def get_value_range(cell: CoverageCell) -> tuple[float, float]:
    """Return the smallest and the largest possible loss of a cell."""
    loss = cell.study.estimators[0].loss
    return (-math.inf, math.inf) if loss is None else loss.value_range


def _has_truth(row: Row) -> bool:
    """Whether an interval can be judged: a prediction interval needs an observation."""
    return row["target"] != PREDICTED or row.get("coverage") is not None


def _build_cell_row(
    cell: CoverageCell, row: Row, compared: Mapping[Place, Mapping[str, MonteCarloNumber]]
) -> Row:
    place: dict[str, TableCell] = {
        "population": cell.population,
        "learner": cell.learner,
        "n": cell.n,
        "scheme": row["estimator"],
        "interval": row["interval"],
        "target": row["target"],
    }
    of_interval = (str(row["estimator"]), str(row["target"]), str(row["interval"]))
    pairs: dict[str, TableCell] = {**compared.get(of_interval, {})}
    return place | {key: row[key] for key in SHOWN_COLUMNS if row.get(key) is not None} | pairs


def summarise_cells(rows: Sequence[Row], level: float) -> list[Row]:
    """Return a row for each scheme, target and interval: averages over the cells that have it.

    Coverage is that of the interval's own target if it is known, else of the expected error of
    learning from all rows. Width and score are relative to the recommended interval in the same
    cell, scheme and target.
    """
    recommended = {_get_place(row): row for row in rows if row["interval"] == RECOMMENDED}
    groups = group_rows(rows, lambda row: (row["scheme"], row["target"], row["interval"]))
    return [
        {
            "scheme": scheme,
            "target": target,
            "interval": interval,
            "cells": len(group),
            **_compute_averages(group, recommended, level),
        }
        for (scheme, target, interval), group in groups.items()
    ]


def _get_place(row: Row) -> tuple[str, ...]:
    return tuple(str(row[key]) for key in ("population", "learner", "n", "scheme", "target"))


def _compute_averages(
    rows: Sequence[Row], recommended: Mapping[tuple[str, ...], Row], level: float
) -> dict[str, TableCell]:
    coverages = [read_number(row, "coverage" if "coverage" in row else EXPECTED) for row in rows]
    known = [n for n in coverages if n is not None and n.value is not None]
    values = [n.value for n in known if n.value is not None]
    return {
        "coverage": average(known),
        "least": min(values) if values else None,
        "undercoverage": sum(max(level - v, 0) for v in values) / len(values) if values else None,
        EXPECTED: average(read_numbers(rows, EXPECTED)),
        "relative_width": average_ratios(rows, "width", recommended, _get_place).value,
        **{name: average_of_most(rows, name) for name in COLUMNS},
        RELATIVE_SCORE: average(read_numbers(rows, RELATIVE_SCORE)),
        MORE_COVERAGE: average(read_numbers(rows, MORE_COVERAGE)),
        "built": average(read_numbers(rows, "built")),
    }


def _build_summary_table(summary: Sequence[Row], level: float) -> StudyTable:
    def order(row: Row) -> tuple[str, ...]:
        return tuple(str(row[key]) for key in ("scheme", "target", "interval"))

    return make_table(
        name="summary",
        title=f"Coverage and width of intervals of level {level:g}, over all cells",
        columns={
            "scheme": "Scheme",
            "target": "Target",
            "interval": "Interval",
            "cells": "Cells",
            "coverage": "Coverage of its own target",
            "least": "Least of the cells",
            "undercoverage": "Undercoverage",
            EXPECTED: "Coverage of the expected error at n",
            "relative_width": "Width relative to the recommended interval",
            **COLUMNS,
            RELATIVE_SCORE: "Interval score relative to the recommended interval",
            MORE_COVERAGE: "Coverage minus that of the recommended interval",
            "built": "Share with an interval",
        },
        rows=sorted(summary, key=order),
        note=(
            "Averages over populations, learners and sample sizes. Undercoverage is the mean over "
            "cells of the level minus the coverage, where that is positive. The interval score is "
            "the width plus 2/alpha times the distance of a missed truth; lower is better, and it "
            "is least for the interval between the true quantiles. Scores and coverages are "
            "compared with the recommended interval's on the same draws, in pairs. " + ABOUT
        ),
    )


def _build_cells_table(rows: Sequence[Row], level: float) -> StudyTable:
    return make_table(
        name="cells",
        title=f"Coverage and width of intervals of level {level:g}, cell by cell",
        columns={
            "population": "Population",
            "learner": "Learner",
            "n": "Rows",
            "scheme": "Scheme",
            "interval": "Interval",
            "target": "Target",
            "coverage": "Coverage of its own target",
            EXPECTED: "Coverage of the expected error at n",
            "width": "Average width",
            **COLUMNS,
            "score": "Interval score",
            RELATIVE_SCORE: "Relative to the recommended interval",
            MORE_COVERAGE: "Coverage minus that of the recommended interval",
            "built": "Share with an interval",
            "draws": "Samples",
        },
        rows=rows,
        note=ABOUT,
    )


def _build_figures(summary: Sequence[Row], level: float) -> tuple[StudyFigure, ...]:
    """Return coverage against relative width, a figure for each target that has widths."""
    figures = []
    for target in sorted({str(row["target"]) for row in summary}):
        of_target = [row for row in summary if row["target"] == target]
        points: dict[str, list[Point]] = {
            scheme: [
                (width, coverage, str(row["interval"]))
                for row in of_target
                if row["scheme"] == scheme
                and isinstance(width := row["relative_width"], float)
                and width
                and (coverage := read_number(row, "coverage")) is not None
            ]
            for scheme in sorted({str(row["scheme"]) for row in of_target})
        }
        title = f"Coverage against width, target {target}"
        figures.append(build_coverage_figure(f"coverage_{target}", title, points, level))
    return tuple(figure for figure in figures if figure is not None)
