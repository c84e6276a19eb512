"""Rows of the shipped table whose interval is another one today, drawn again.

Rows without power are where the run for power found another average width. Their cells are drawn
with more samples; where the width is still another, the new row takes the place of the old one, and
the others stay:
``python -m benchmarks.coverage_study --changed-alone``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from thetahat.analyses.studies.shipped_coverage import COMMAND
from thetahat_replications.presets.interval_coverage.cells import CoverageCell
from thetahat_replications.presets.interval_coverage.kept_power import has_same_width
from thetahat_replications.presets.interval_coverage.power import POWER
from thetahat_replications.presets.interval_coverage.study_parts import (
    GROUPED,
    INDEPENDENT,
    THOUSAND,
    StudyPart,
)

DRAWS: Final = 1000
NOTE: Final = (
    f"The other rows of {DRAWS} draws are newer, too: `{COMMAND} --changed-alone` drew them again, "
    "with their width and power, because their interval had changed."
)

Row = dict[str, Any]
Place: TypeAlias = tuple[str, int, str]
"""Population, number of rows and scheme."""


def find_places(rows: Sequence[Row], schemes: Collection[str]) -> set[Place]:
    """Return the places of the rows without power; all schemes are meant by none."""
    return {
        (row["population"], row["n"], row["scheme"])
        for row in rows
        if row[POWER] is None and (not schemes or row["scheme"] in schemes)
    }


def select_cells(parts: Sequence[StudyPart], places: Collection[Place]) -> Iterator[StudyPart]:
    """Yield the parts of the shipped table with the cells and schemes of these places alone."""
    for part in parts:
        if part.name not in {INDEPENDENT, THOUSAND, GROUPED}:
            continue
        cells = []
        for cell in part.cells:
            assert isinstance(cell, CoverageCell)  # noqa: S101 - metrics have their own part
            chosen = [
                each
                for each in cell.study.estimators
                if (cell.population, cell.n, each.key) in places
            ]
            if chosen:
                cells.append(replace(cell, study=replace(cell.study, estimators=chosen)))
        if cells:
            yield replace(part, draws=min(DRAWS, part.draws), cells=tuple(cells))


def replace_changed(
    rows: Sequence[Row], drawn: Sequence[Row], place: Sequence[str]
) -> Iterator[Row]:
    """Yield the rows, or the one drawn now at the same place if its width is another."""
    by_place = {tuple(row[name] for name in place): row for row in drawn}
    for row in rows:
        new = by_place.get(tuple(row[name] for name in place), row)
        yield row if has_same_width(row["width"], new["width"]) else new
