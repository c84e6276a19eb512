"""Length and power as columns of tables whose other numbers were drawn before.

A whole study has these columns from its own samples. Here they come from a run with fewer samples,
and the other numbers stay: ``python -m benchmarks.coverage_study --power-alone``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from typing import Any, Final

from thetahat.analyses.studies.result import StudyTable
from thetahat.analyses.studies.shipped_coverage import COMMAND
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat_replications.presets.interval_coverage.cell_selection import round_number
from thetahat_replications.presets.interval_coverage.metric_tables import build_metric_findings
from thetahat_replications.presets.interval_coverage.power import COLUMNS
from thetahat_replications.presets.interval_coverage.recommended import LEVEL
from thetahat_replications.presets.interval_coverage.tables import build_findings

DRAWS: Final = 100
"""Samples of each cell, which give a power of 0.85 a standard error of 0.04."""
FARTHEST: Final = 5.0
"""Standard errors by which the widths of one interval may differ between two runs."""
_NOTE: Final = (
    f"Width over the ideal and power are from the first {DRAWS} samples "
    f"(`{COMMAND} --power-alone`). They are left out where the average width of these is more than "
    f"{FARTHEST:g} standard errors from the one of the other numbers: the interval is another "
    "today, or so few samples are unlike the others. Averages are over the cells that have them"
)
NOTE: Final = f"{_NOTE}, if most do."
"""The note of the study's own tables."""
ROWS_NOTE: Final = f"{_NOTE}."
"""The note of the shipped table, whose averages are over any cells that have them."""
_BUILDERS: Final = {
    "cells": (("population", "learner", "n", "scheme", "interval", "target"), build_findings),
    "metric_cells": (
        ("population", "n", "scheme", "metric", "of", "mean", "target", "interval"),
        build_metric_findings,
    ),
}
"""The columns that name a row of each table of cells, and what makes the other tables of it."""

Row = Mapping[str, Any]


def add_to_tables(
    kept: Sequence[Mapping[str, Any]], drawn: Sequence[StudyTable]
) -> Iterator[StudyTable]:
    """Yield the kept tables, which are JSON values, with length and power of those drawn now."""
    kept_rows = {table["name"]: table["rows"] for table in kept}
    drawn_rows = {table.name: table.rows for table in drawn}
    for name, (place, build) in _BUILDERS.items():
        rows = [
            {
                key: MonteCarloNumber(**cell) if isinstance(cell, Mapping) else cell
                for key, cell in row.items()
            }
            for row in kept_rows[name]
        ]
        for table in build(list(add_to_rows(rows, drawn_rows[name], place)), LEVEL).tables:
            yield replace(table, note=f"{table.note} {NOTE}")


def add_to_rows(
    rows: Sequence[Row], drawn: Sequence[Row], place: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield the rows with length and power of the row drawn at the same place, or None."""
    by_place = {tuple(row[name] for name in place): row for row in drawn}
    for row in rows:
        new = by_place.get(tuple(row[name] for name in place))
        is_same = new is not None and has_same_width(row["width"], new["width"])
        yield {
            **row,
            **{name: _shorten(new.get(name)) if new and is_same else None for name in COLUMNS},
        }


def _shorten(cell: Any) -> Any:
    """Return a number with four decimals, which the standard errors of so few samples allow."""
    numbers = round_number(cell)
    return cell if numbers is None else MonteCarloNumber(*numbers)


def has_same_width(kept: Any, drawn: Any) -> bool:
    """Return whether two widths are of one interval; None is that of losses drawn directly."""
    if kept is None or drawn is None:
        return kept is drawn
    (a, error_a), (b, error_b) = (
        astuple(width) if isinstance(width, MonteCarloNumber) else width for width in (kept, drawn)
    )
    if a is None or b is None:
        return a is b
    return bool(abs(a - b) <= FARTHEST * math.hypot(error_a or 0.0, error_b or 0.0))
