"""Whether another interval would have been the better one to recommend, scheme by scheme."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from thetahat.analyses.studies.claims import StudyClaim
from thetahat.analyses.studies.loss_records import RECOMMENDED
from thetahat.analyses.studies.tables import MonteCarloNumber, StudyTable

Row = Mapping[str, Any]
ENOUGH: Final = 0.03
"""Undercoverage that an interval may have, and be compared by its score."""
NEAR: Final = 0.02
"""Undercoverage within so much of the least of all is compared where none covers enough."""
ALWAYS: Final = 0.98
"""Share of repetitions that an interval is there in, to be compared."""
WORSE: Final = 0.95
"""Interval score, relative to the recommended interval's, from which another is no better."""


def best_rows(summary: Sequence[Row]) -> list[dict[str, Any]]:
    """Return for each scheme and target the recommended interval and the best of all.

    The best has the least interval score among those whose undercoverage is ``ENOUGH`` at most,
    or within ``NEAR`` of the least where all have more. Only intervals are compared that are
    there in nearly every repetition, and in as many cells as the recommended one is.
    """
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in summary:
        groups.setdefault((row["scheme"], row["target"]), []).append(row)
    return [
        found
        for (scheme, target), rows in groups.items()
        if (found := _best(scheme, target, rows)) is not None
    ]


def _best(scheme: str, target: str, rows: Sequence[Row]) -> dict[str, Any] | None:
    recommended = next((row for row in rows if row["interval"] == RECOMMENDED), None)
    if recommended is None or recommended["undercoverage"] is None:
        return None
    compared = [row for row in rows if _is_compared(row, recommended)]
    if not compared:
        return None
    least = min(row["undercoverage"] for row in compared)
    bound = ENOUGH if least <= ENOUGH else least + NEAR
    covering = [row for row in compared if row["undercoverage"] <= bound]
    best = min(covering, key=lambda row: row["relative_score"].value)
    return {
        "scheme": scheme,
        "target": target,
        "recommended_coverage": recommended["coverage"],
        "recommended_undercoverage": recommended["undercoverage"],
        "lacking": _lacking(recommended, best),
        "best": best["interval"],
        "coverage": best["coverage"],
        "undercoverage": best["undercoverage"],
        "relative_width": best["relative_width"],
        "relative_score": best["relative_score"],
    }


def _is_compared(row: Row, recommended: Row) -> bool:
    return (
        row["cells"] == recommended["cells"]
        and row["built"].value >= ALWAYS
        and row["undercoverage"] is not None
        and row["relative_score"].value is not None
    )


def _lacking(recommended: Row, best: Row) -> MonteCarloNumber:
    """Return how much more undercoverage the recommended interval has than the best."""
    if best["interval"] == RECOMMENDED:
        return MonteCarloNumber(0.0, 0.0)
    errors = [row["coverage"].standard_error for row in (recommended, best)]
    known = [error for error in errors if error is not None]
    lacking = recommended["undercoverage"] - best["undercoverage"]
    return MonteCarloNumber(lacking, math.hypot(*known) if len(known) == len(errors) else None)


def best_table(rows: Sequence[dict[str, Any]], level: float) -> StudyTable:
    """Tabulate the best beside the recommended."""
    columns = {
        "scheme": "Scheme",
        "target": "Target",
        "recommended_coverage": "The recommended one covers",
        "recommended_undercoverage": "Its undercoverage",
        "lacking": "More than the best one's",
        "best": "Best",
        "coverage": "Covers",
        "undercoverage": "Undercoverage",
        "relative_width": "Width over the recommended one's",
        "relative_score": "Interval score over the recommended one's",
    }
    return StudyTable(
        name="best",
        title=f"The best interval of level {level:g} beside the recommended one",
        columns=columns,
        rows=list(rows),
        note=(
            "Best is the least interval score among intervals that are always there and whose "
            f"undercoverage is {ENOUGH:g} at most (within {NEAR:g} of the least, where all have "
            "more)."
        ),
    )


def best_claims(rows: Sequence[dict[str, Any]]) -> list[StudyClaim]:
    """Return for each scheme and target whether the recommendation stands."""
    found = []
    for row in rows:
        place = f"{row['scheme']}, {row['target']}"
        found.append(
            StudyClaim(
                text="No interval that is always there covers clearly nearer to its level.",
                reference="",
                place="the rule of recommendation",
                measured=f"undercoverage of the recommended less that of {row['best']}, {place}",
                figure=row["lacking"],
                at_most=NEAR,
            )
        )
        found.append(
            StudyClaim(
                text="No interval that covers as nearly has a clearly lower interval score.",
                reference="",
                place="the rule of recommendation",
                measured=f"score of {row['best']} over the recommended one's, {place}",
                figure=row["relative_score"],
                at_least=WORSE,
            )
        )
    return found
