"""Tables, figure and claims of the coverage study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from replications.coverage.averages import average
from replications.coverage.best_interval import best_claims, best_rows, best_table
from replications.coverage.cells import Cell
from replications.coverage.claims import claims
from replications.coverage.clusters import claims_of_clusters
from replications.coverage.shifted_samples import claims_of_shifts
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.figures import FigureAxis, FigureSeries, StudyFigure
from thetahat.analyses.studies.loss_records import RECOMMENDED
from thetahat.analyses.studies.monte_carlo import divide
from thetahat.analyses.studies.tables import Cell as TableCell
from thetahat.analyses.studies.tables import MonteCarloNumber, StudyTable
from thetahat.analyses.studies.truths import PREDICTED
from thetahat.cautions import Caution, restore

Row = dict[str, Any]
EXPECTED: Final = "covers_expected_at_n"
KEPT: Final = ("coverage", EXPECTED, "width", "score", "built")


def findings(of_cells: Sequence[tuple[Cell, Records]], level: float) -> StudyFindings:
    """Return what all cells say together."""
    rows: list[Row] = []
    cautions: dict[tuple[str, str], Caution] = {}
    for cell, records in of_cells:
        found = cell.study.finish(records)
        for table in found.tables:
            if table.name == "intervals":
                rows += [_placed(cell, row) for row in table.rows if _is_told(row)]
        for caution in found.cautions:
            if caution.code != "these_sources_unknown":  # another cell has the same sources
                of_all = caution.code == "few_repetitions"
                message = caution.message if of_all else f"{cell.name}: {caution.message}"
                cautions[caution.code, message] = restore(caution.code, message)
    summary = summarised(rows, level)
    best = best_rows(summary)
    return StudyFindings(
        tables=(best_table(best, level), _summary(summary, level), _cells(rows, level)),
        figures=_figures(summary, level),
        claims=(
            *claims(summary, level),
            *claims_of_clusters(rows, level),
            *claims_of_shifts(rows, level),
            *best_claims(best),
        ),
        cautions=tuple(cautions.values()),
    )


def _is_told(row: Mapping[str, Any]) -> bool:
    """Whether there is something to hold it against: a prediction needs an observation."""
    return row["target"] != PREDICTED or "coverage" in row


def _placed(cell: Cell, row: Mapping[str, Any]) -> Row:
    told = {"population": cell.population, "learner": cell.learner, "n": cell.n}
    told |= {"scheme": row["estimator"], "interval": row["interval"], "target": row["target"]}
    return {**told, **{key: row[key] for key in KEPT if key in row}}


def summarised(rows: Sequence[Row], level: float) -> list[Row]:
    """Return one row for each scheme, target and interval: averages over the cells it is in.

    Coverage is of the interval's own target where that is known, else of the expected error of
    learning from all rows. Width and score are relative to the recommended interval's of the same
    cell, scheme and target.
    """
    recommended = {_place(row): row for row in rows if row["interval"] == RECOMMENDED}
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["scheme"], row["target"], row["interval"]), []).append(row)
    return [
        {
            "scheme": scheme,
            "target": target,
            "interval": interval,
            "cells": len(of_group),
            **_averages(of_group, recommended, level),
        }
        for (scheme, target, interval), of_group in groups.items()
    ]


def _place(row: Row) -> tuple[str, ...]:
    return tuple(str(row[key]) for key in ("population", "learner", "n", "scheme", "target"))


def _averages(rows: Sequence[Row], recommended: Mapping[tuple[str, ...], Row], level: float) -> Row:
    covered = [row.get("coverage", row.get(EXPECTED)) for row in rows]
    known = [n for n in covered if isinstance(n, MonteCarloNumber) and n.value is not None]
    expected = [row.get(EXPECTED) for row in rows]
    values = [n.value for n in known if n.value is not None]
    return {
        "coverage": average(known),
        "least": min(values) if values else None,
        "undercoverage": sum(max(level - v, 0) for v in values) / len(values) if values else None,
        EXPECTED: average([n for n in expected if isinstance(n, MonteCarloNumber)]),
        "relative_width": _relative(rows, recommended, "width").value,
        "relative_score": _relative(rows, recommended, "score"),
        "built": average([row["built"] for row in rows]),
    }


def _relative(
    rows: Sequence[Row], recommended: Mapping[tuple[str, ...], Row], key: str
) -> MonteCarloNumber:
    """Return the average over cells of one number over the recommended interval's.

    Both are of the same draws, so the error, which takes them for independent, is too large.
    """
    pairs = [(row.get(key), recommended.get(_place(row), {}).get(key)) for row in rows]
    return average(
        [
            divide(a, b)
            for a, b in pairs
            if isinstance(a, MonteCarloNumber) and isinstance(b, MonteCarloNumber)
        ]
    )


_COLUMNS: Final = {
    "scheme": "Scheme",
    "target": "Target",
    "interval": "Interval",
    "cells": "Cells",
    "coverage": "Covers its own target",
    "least": "Least of the cells",
    "undercoverage": "Undercoverage",
    EXPECTED: "Covers the expected error at n",
    "relative_width": "Width over the recommended one's",
    "relative_score": "Interval score over the recommended one's",
    "built": "Share with one",
}


def _summary(summary: Sequence[Row], level: float) -> StudyTable:
    ordered = sorted(summary, key=lambda row: (row["scheme"], row["target"], row["interval"]))
    return StudyTable(
        name="summary",
        title=f"Coverage and width of intervals of level {level:g}, over all cells",
        columns=_COLUMNS,
        rows=ordered,
        note=(
            "Averages over populations, learners and sizes. Undercoverage is the mean of what "
            "coverage lacks of the level, no cell making up for another. The interval score is "
            "the width and, where the truth is missed, 2/alpha times by how much: the less the "
            "better, and least for the interval between the true quantiles."
        ),
    )


def _cells(rows: Sequence[Row], level: float) -> StudyTable:
    columns = {
        "population": "Population",
        "learner": "Learner",
        "n": "Rows",
        "scheme": "Scheme",
        "interval": "Interval",
        "target": "Target",
        "coverage": "Covers its own target",
        EXPECTED: "Covers the expected error at n",
        "width": "Average width",
        "score": "Interval score",
        "built": "Share with one",
    }
    told: list[dict[str, TableCell]] = [dict(row) for row in rows]
    title = f"Coverage and width of intervals of level {level:g}, cell by cell"
    return StudyTable(name="cells", title=title, columns=columns, rows=told)


def _figures(summary: Sequence[Row], level: float) -> tuple[StudyFigure, ...]:
    """Coverage against relative width, a figure for each target."""
    found = []
    for target in sorted({row["target"] for row in summary}):
        series = []
        of_target = [row for row in summary if row["target"] == target]
        for scheme in sorted({row["scheme"] for row in of_target}):
            shown = [r for r in of_target if r["scheme"] == scheme and r["relative_width"]]
            x = [row["relative_width"] for row in shown]
            y = [row["coverage"].value for row in shown]
            error = [row["coverage"].standard_error for row in shown]
            series.append(FigureSeries(scheme, x, y, error, "points"))
        widths = [value for one in series for value in one.x if value is not None]
        if not widths:  # of weighted risks none is recommended
            continue
        ends = [min(widths), max(widths)]
        nominal = FigureSeries("nominal", ends, [level, level], None, "dashed")
        found.append(
            StudyFigure(
                name=f"coverage_{target}",
                title=f"Coverage against width, target {target}",
                x=FigureAxis("width over the recommended interval's", "log"),
                y=FigureAxis("share of repetitions"),
                series=(*series, nominal),
                note="A point is one interval under one scheme, averaged over the cells.",
            )
        )
    return tuple(found)
