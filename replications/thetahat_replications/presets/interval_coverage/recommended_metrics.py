"""How often the recommended intervals of metrics cover, for the field ``expected_coverage``.

The numbers are from the table ``metric_cells`` of the study ``interval_coverage``, which has every
interval of every metric. ``metric_coverage.json`` is read by the library, and
``metric_coverage.md`` is for readers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from thetahat.analyses.studies.loss_records import RECOMMENDED
from thetahat.analyses.studies.shipped_coverage import average_coverage_of_metrics
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat_replications import markdown_pages
from thetahat_replications.markdown_pages import write_table
from thetahat_replications.presets.interval_coverage import recommended
from thetahat_replications.presets.interval_coverage.cell_selection import round_number
from thetahat_replications.presets.interval_coverage.metric_study import DIFFERENCE
from thetahat_replications.presets.interval_coverage.power import ABOUT, COLUMNS
from thetahat_replications.shipped_files import format_study_file

DESIGNS: Final[Mapping[str, Mapping[str, Any]]] = {
    **{name: recommended.DESIGNS[name] for name in ("holdout", "5-fold")},
    "2 x 5-fold": {
        "blocks": "random",
        "folds": 5,
        "repeated": True,
        "words": "two times five folds",
    },
    "clusters whole, 5-fold": {
        "blocks": "random",
        "folds": 5,
        "clusters": "whole",
        "cluster_size": 5,
        "words": "five folds of whole clusters of five rows",
    },
    "leave_one_source_out": recommended.DESIGNS["leave_one_source_out"],
}
"""What the library compares with a request's layout, by scheme of the study."""
RARE_SHARE: Final = 0.25
"""Share of the rarer class below which a sample is like the study's few positives, 0.15."""
LEAST_BUILT: Final = 0.2
"""Share of the draws below which an interval is left out: the others have no such metric."""
DATA: Final[Mapping[str, str]] = {
    "few positives": "rare",
    "two classes": "balanced",
    "classes in clusters": "balanced",
    "new sources": "balanced",
    "line": "numbers",
    "curve with heavy tails": "numbers",
}
"""What the data of each population are like."""

_ABOUT: Final = (
    "`{command}`: how often the recommended interval of level {level:g} of a metric covers its own "
    "target, in the cells of `interval_coverage` ({repetitions} samples of each, 50 and 200 rows). "
    "*Few positives* has 15 per cent of the second class. A difference is that "
    "of two learners on the same rows. Errors are standard errors of the simulation. " + ABOUT
)

Row = dict[str, Any]


def collect_rows(cells: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Return a row for each cell, metric, subject and target, with the coverage of all intervals.

    The two learners of a cell are two rows.
    """
    rows: dict[tuple[Any, ...], Row] = {}
    for cell in cells:
        coverage = _round_number(cell.get("coverage"))
        if coverage is None or cell["built"]["value"] < LEAST_BUILT:
            continue
        keys = ("population", "n", "scheme", "metric", "of", "target")
        place = tuple(cell[key] for key in keys)
        row = rows.setdefault(
            place,
            {
                **dict(zip(keys, place, strict=True)),
                "of": "difference" if cell["of"] == DIFFERENCE else "model",
                "data": DATA[cell["population"]],
                "coverage": {},
            },
        )
        label = cell["interval"]
        if label == RECOMMENDED:
            row["recommended"] = coverage
            row |= {name: _round_number(cell.get(name)) for name in COLUMNS}
        else:
            row["coverage"][f"{label}/{cell['mean']}"] = coverage
    return [row for row in rows.values() if "recommended" in row]


def _round_number(cell: Mapping[str, float | None] | None) -> list[float] | None:
    return None if cell is None else round_number(MonteCarloNumber(**cell))


def write_page(rows: Sequence[Row], level: float, repetitions: int, command: str) -> str:
    """Return the page of the table, in Markdown."""
    places = ("metric", "of", "target", "population", "cells")
    averages = (
        (
            *(str(row[name]) for name in places),
            f"{row['coverage']:.3f}",
            f"{row['error']:.4f}",
            f"{row['least']:.3f}",
            f"{row['largest']:.3f}",
            *("" if row[name] is None else f"{row[name]:.2f}" for name in COLUMNS),
        )
        for row in average_coverage_of_metrics(rows)
    )
    return markdown_pages.write_page(
        "Coverage of the recommended intervals of metrics",
        _ABOUT.format(level=level, repetitions=repetitions, command=command),
        write_table((*places, "coverage", "error", "least", "largest", *COLUMNS), averages),
    )


def write_files(  # noqa: PLR0913 - what is written, and where
    cells: Sequence[Mapping[str, Any]],
    level: float,
    repetitions: int,
    output: Path,
    library: Path,
    command: str,
) -> None:
    """Write the page, and the file that the library reads, each into its folder.

    Parameters
    ----------
    cells : sequence of mapping
        The rows of the table ``metric_cells``, as JSON values.
    """
    rows = collect_rows(cells)
    head = {"level": level, "rare_share": RARE_SHARE, "designs": DESIGNS}
    (library / "metric_coverage.json").write_text(format_study_file(head, rows))
    (output / "metric_coverage.md").write_text(write_page(rows, level, repetitions, command))
