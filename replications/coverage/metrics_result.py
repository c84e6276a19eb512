"""Tables, figures and claims of the coverage study's metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from replications.coverage.averages import average
from replications.coverage.metrics import DIFFERENCE, MetricCell
from replications.coverage.metrics_claims import metric_claims
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.figures import FigureAxis, FigureSeries, StudyFigure
from thetahat.analyses.studies.general_rows import intervals_rows
from thetahat.analyses.studies.loss_records import RECOMMENDED
from thetahat.analyses.studies.monte_carlo import divide
from thetahat.analyses.studies.record_names import split_record_name
from thetahat.analyses.studies.record_reader import RecordReader
from thetahat.analyses.studies.tables import MonteCarloNumber, StudyTable
from thetahat.analyses.studies.truths import AT_N, NEW_AT_N
from thetahat.values.types import Target

Row = dict[str, Any]
OF_MODELS: Final = "models"
"""What the metric of one learner, the one or the other, is called beside the difference."""
EXPECTED: Final = "covers_expected"
_PLACE: Final = ("population", "n", "scheme", "metric", "of", "mean", "target")


def metric_rows(cell: MetricCell, records: Records) -> list[Row]:
    """Return a row for each scheme, metric, learner or difference, mean and interval."""
    schemes = cell.study.schemes
    of_sources = frozenset(schemes) if cell.study.setting.by_source else frozenset[str]()
    reading = RecordReader(records, of_sources)
    found = []
    for row in intervals_rows(reading, dict.fromkeys(schemes, cell.study.level)):
        metric, who, _ = split_record_name(str(row["subject"]))
        expected = NEW_AT_N if row["target"] == Target.NEW_SOURCE else AT_N
        found.append(
            {
                "population": cell.population,
                "n": cell.n,
                "scheme": row["estimator"],
                "metric": metric,
                "of": who,
                "mean": row["mean"],
                "target": row["target"],
                "interval": row["interval"],
                "coverage": row.get("coverage"),
                EXPECTED: row.get(f"covers_{expected}"),
                "width": row["width"],
                "score": row.get("score"),
                "built": row["built"],
            }
        )
    return found


def metric_findings(of_cells: Sequence[tuple[MetricCell, Records]], level: float) -> StudyFindings:
    """Return what all cells of metrics say together."""
    rows = [row for cell, records in of_cells for row in metric_rows(cell, records)]
    summary = summarised_metrics(rows)
    return StudyFindings(
        tables=metric_tables(rows, summary, level),
        figures=metric_figures(summary, level),
        claims=metric_claims(rows, level),
    )


def summarised_metrics(rows: Sequence[Row]) -> list[Row]:
    """Return one row for each scheme, metric, subject, mean, target and interval.

    Numbers are averages over populations, sizes and, of single models, learners. Width and score
    are relative to the recommended interval's of the same cell and target.
    """
    recommended = {_place(row): row for row in rows if row["interval"] == RECOMMENDED}
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        of = DIFFERENCE if row["of"] == DIFFERENCE else OF_MODELS
        about = (row["scheme"], row["metric"], of, row["mean"], row["target"], row["interval"])
        groups.setdefault(about, []).append(row)
    keys = ("scheme", "metric", "of", "mean", "target", "interval")
    return [
        {**dict(zip(keys, about, strict=True)), **_averages(of_group, recommended)}
        for about, of_group in groups.items()
    ]


def _place(row: Row) -> tuple[str, ...]:
    return tuple(str(row[key]) for key in ("population", "n", "scheme", "metric", "of", "target"))


def _averages(rows: Sequence[Row], recommended: Mapping[tuple[str, ...], Row]) -> Row:
    known = [row for row in rows if row["coverage"] is not None]
    lowest = min(known, key=lambda row: _or_one(row["coverage"]), default=None)
    told: Row = {
        "cells": len(rows),
        "coverage": average([row["coverage"] for row in known]),
        "least": None if lowest is None else lowest["coverage"].value,
        "least_at": "" if lowest is None else _cell_of(lowest),
        EXPECTED: average([row[EXPECTED] for row in rows if row[EXPECTED] is not None]),
        "width": average([row["width"] for row in rows]),
        "built": average([row["built"] for row in rows]),
    }
    for n in sorted({row["n"] for row in rows}):
        told[f"coverage_{n}"] = average([row["coverage"] for row in known if row["n"] == n])
    for key in ("width", "score"):
        pairs = [(row[key], recommended.get(_place(row), {}).get(key)) for row in rows]
        told[f"relative_{key}"] = average(
            [divide(a, b) for a, b in pairs if a is not None and b is not None]
        )
    return told


def _or_one(number: MonteCarloNumber) -> float:
    return 1.0 if number.value is None else number.value


def _cell_of(row: Row) -> str:
    who = "" if row["of"] == DIFFERENCE else f", {row['of']}"
    return f"{row['population']}{who}, {row['n']}"


_PLACES: Final = {
    "scheme": "Scheme",
    "metric": "Metric",
    "of": "Of",
    "mean": "Mean",
    "target": "Target",
    "interval": "Interval",
}
_OF_A_CELL: Final = {
    "population": "Population",
    "n": "Rows",
    **_PLACES,
    "coverage": "Covers its own target",
    EXPECTED: "Covers the expected value at n",
    "width": "Average width",
    "score": "Interval score",
    "built": "Share with one",
}


def _averaged(sizes: Iterable[int]) -> dict[str, str]:
    """Return the columns of averages over cells."""
    return {
        **_PLACES,
        "cells": "Cells",
        "coverage": "Covers its own target",
        **{f"coverage_{n}": f"With {n} rows" for n in sizes},
        "least": "Least of the cells",
        "least_at": "Which is",
        EXPECTED: "Covers the expected value at n",
        "width": "Average width",
        "relative_width": "Width over the recommended one's",
        "relative_score": "Interval score over the recommended one's",
        "built": "Share with one",
    }


def metric_tables(
    rows: Sequence[Row], summary: Sequence[Row], level: float
) -> tuple[StudyTable, StudyTable]:
    """Tabulate the averages over cells, and every cell."""
    order = ("metric", "of", "scheme", "target", "mean", "interval")
    ordered = sorted(summary, key=lambda row: tuple(str(row[key]) for key in order))
    return (
        StudyTable(
            name="metrics",
            title=f"Intervals of level {level:g} of metrics that are no averages, over all cells",
            columns=_averaged(sorted({row["n"] for row in rows})),
            rows=ordered,
            note=(
                "Averages over populations, sizes and, of models, two learners; a difference is "
                "the first learner's metric less the second's on the same rows. What is undefined "
                "(a sample may lack a class) is left out, and told by the share. The expected "
                "value is that of learning from n rows; of a new source, on one."
            ),
        ),
        StudyTable(
            name="metric_cells",
            title=f"Intervals of level {level:g} of metrics that are no averages, cell by cell",
            columns=_OF_A_CELL,
            rows=list(rows),
        ),
    )


def metric_figures(summary: Sequence[Row], level: float) -> tuple[StudyFigure, ...]:
    """Coverage against relative width, a figure for each target, of models and of differences."""
    found = []
    for target in sorted({row["target"] for row in summary}):
        for of, words in ((OF_MODELS, "metrics"), (DIFFERENCE, "differences of metrics")):
            shown = [
                row
                for row in summary
                if (row["target"], row["of"]) == (target, of) and row["relative_width"].value
            ]
            if shown:
                found.append(_figure(shown, target, words, level))
    return tuple(found)


def _figure(rows: Sequence[Row], target: str, words: str, level: float) -> StudyFigure:
    series = []
    for metric in sorted({row["metric"] for row in rows}):
        of_metric = [row for row in rows if row["metric"] == metric]
        x = [row["relative_width"].value for row in of_metric]
        y = [row["coverage"].value for row in of_metric]
        error = [row["coverage"].standard_error for row in of_metric]
        series.append(FigureSeries(metric, x, y, error, "points"))
    widths = [row["relative_width"].value for row in rows]
    nominal = FigureSeries("nominal", [min(widths), max(widths)], [level, level], None, "dashed")
    return StudyFigure(
        name=f"{words.replace(' ', '_')}_{target}",
        title=f"Coverage against width: {words}, target {target}",
        x=FigureAxis("width over the recommended interval's", "log"),
        y=FigureAxis("share of repetitions"),
        series=(*series, nominal),
        note="A point is one interval under one scheme, averaged over the cells.",
    )
