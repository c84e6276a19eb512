"""For each scheme and target, the best interval compared with the recommended one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from thetahat.analyses.studies.loss_records import RECOMMENDED
from thetahat.analyses.studies.result import StudyTable, TableCell, make_table
from thetahat.values.monte_carlo_number import MonteCarloNumber, make_exact
from thetahat_replications.presets.interval_coverage.cell_selection import (
    Row,
    read_number,
    read_value,
)
from thetahat_replications.presets.interval_coverage.paired_comparison import MORE_COVERAGE
from thetahat_replications.presets.interval_coverage.power import ABOUT, COLUMNS

MAX_SHORTFALL: Final = 0.03
"""Undercoverage up to which an interval is compared by its interval score."""
NEARLY_BEST: Final = 0.02
"""If every interval has more undercoverage than ``MAX_SHORTFALL``, those within this distance of
the smallest undercoverage are compared."""
_RECOMMENDED: Final = "recommended_"
"""What the names of columns about the recommended interval begin with."""
ALWAYS: Final = 0.98
"""Share of repetitions in which an interval must exist to be compared."""


def find_best_intervals(summary: Sequence[Row]) -> list[dict[str, TableCell]]:
    """Return a row for each scheme and target with the recommended and the best interval.

    The best interval has the smallest interval score among those whose undercoverage is at most
    ``MAX_SHORTFALL``, or within ``NEARLY_BEST`` of the smallest if all have more. Only intervals
    are compared that exist in nearly every repetition, and in as many cells as the recommended one.
    """
    groups: dict[tuple[TableCell, TableCell], list[Row]] = {}
    for row in summary:
        groups.setdefault((row["scheme"], row["target"]), []).append(row)
    best_rows = (_find_best(rows) for rows in groups.values())
    return [row for row in best_rows if row is not None]


def add_powers(best: Sequence[Row], summary: Sequence[Row]) -> list[dict[str, TableCell]]:
    """Return the rows with length and power of both intervals, from the rows of the summary."""
    by_place = {(row["scheme"], row["target"], row["interval"]): row for row in summary}
    return [
        {
            **row,
            **{
                f"{prefix}{name}": by_place[row["scheme"], row["target"], interval].get(name)
                for prefix, interval in ((_RECOMMENDED, RECOMMENDED), ("", row["best"]))
                for name in COLUMNS
            },
        }
        for row in best
    ]


def _find_best(rows: Sequence[Row]) -> dict[str, TableCell] | None:
    recommended = next((row for row in rows if row["interval"] == RECOMMENDED), None)
    if recommended is None or recommended["undercoverage"] is None:
        return None
    compared = [row for row in rows if _is_compared(row, recommended)]
    if not compared:
        return None
    least = min(_read_undercoverage(row) for row in compared)
    bound = MAX_SHORTFALL if least <= MAX_SHORTFALL else least + NEARLY_BEST
    covering = [row for row in compared if _read_undercoverage(row) <= bound]
    best = min(covering, key=_read_relative_score)
    return {
        "scheme": recommended["scheme"],
        "target": recommended["target"],
        "recommended_coverage": recommended["coverage"],
        "recommended_undercoverage": recommended["undercoverage"],
        "lacking": _compute_lacking_coverage(recommended, best),
        "best": best["interval"],
        "coverage": best["coverage"],
        "undercoverage": best["undercoverage"],
        "relative_width": best["relative_width"],
        "relative_score": best["relative_score"],
    }


def _is_compared(row: Row, recommended: Row) -> bool:
    built = read_value(row, "built")
    return (
        row["cells"] == recommended["cells"]
        and built is not None
        and built >= ALWAYS
        and row["undercoverage"] is not None
        and read_value(row, "relative_score") is not None
    )


def _read_undercoverage(row: Row) -> float:
    undercoverage = row["undercoverage"]
    return undercoverage if isinstance(undercoverage, float | int) else math.inf


def _read_relative_score(row: Row) -> float:
    score = read_value(row, "relative_score")
    return math.inf if score is None else score


def _compute_lacking_coverage(recommended: Row, best: Row) -> MonteCarloNumber:
    """Return the undercoverage of the recommended interval minus that of the best.

    Its error is that of the difference of their coverages on the same draws.
    """
    if best["interval"] == RECOMMENDED:
        return make_exact(0.0)
    more = read_number(best, MORE_COVERAGE)
    lacking = _read_undercoverage(recommended) - _read_undercoverage(best)
    return MonteCarloNumber(lacking, None if more is None else more.standard_error)


def is_recommended_one(row: Row) -> bool:
    """Return whether the best interval of a row is the recommended one, by whatever name.

    It then has the same undercoverage and exactly the same mean scores.
    """
    is_equal = read_value(row, "relative_score") == 1 and read_value(row, "lacking") == 0
    return row["best"] == RECOMMENDED or is_equal


def build_best_table(rows: Sequence[Row], level: float) -> StudyTable:
    """Return the table of the best intervals."""
    return make_table(
        name="best",
        title=f"The best interval of level {level:g} compared with the recommended one",
        columns={
            "scheme": "Scheme",
            "target": "Target",
            "recommended_coverage": "Coverage of the recommended interval",
            "recommended_undercoverage": "Its undercoverage",
            **{f"{_RECOMMENDED}{name}": f"Its {title.lower()}" for name, title in COLUMNS.items()},
            "lacking": "That minus the best interval's undercoverage",
            "best": "Best interval",
            "coverage": "Coverage",
            "undercoverage": "Undercoverage",
            "relative_width": "Width relative to the recommended interval",
            **COLUMNS,
            "relative_score": "Interval score relative to the recommended interval",
        },
        rows=rows,
        note=(
            "The best interval has the least interval score among intervals that always exist and "
            f"whose undercoverage is at most {MAX_SHORTFALL:g} (within {NEARLY_BEST:g} of the "
            f"least, if all have more). {ABOUT}"
        ),
    )
