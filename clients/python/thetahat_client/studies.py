"""A study as text: its claims, and its tables with Monte-Carlo errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thetahat_client.tables import WIDTH, number, section, table, wrapped


def study_text(result: Mapping[str, Any], width: int = WIDTH) -> str:
    """Return the claims with their verdicts, then every table."""
    parts = [
        section("Claims", [_claim(claim) for claim in result.get("claims", [])], width),
        *(study_table(one, width) for one in result["tables"]),
    ]
    asked = result.get("study", {})
    if "repetitions" in asked:
        parts.append(f"{asked['repetitions']} repetitions")
    return "\n\n".join(part for part in parts if part)


def study_table(told: Mapping[str, Any], width: int = WIDTH) -> str:
    """Return one table; a number stands with its Monte-Carlo error behind it."""
    columns: Mapping[str, str] = told["columns"]
    rows = [[study_cell(row.get(key)) for key in columns] for row in told["rows"]]
    notes = wrapped([told["note"]] if told.get("note") else [], width, bullet="")
    return "\n".join([str(told["title"]), table(list(columns.values()), rows), *notes])


def study_cell(cell: Any) -> str:
    """Return a cell: a number with its error, a number, a word, or nothing."""
    if cell is None:
        return ""
    if isinstance(cell, Mapping):
        value, error = cell.get("value"), cell.get("standard_error")
        return number(value) if error is None else f"{number(value)} +- {number(error)}"
    return number(cell) if isinstance(cell, float) else str(cell)


def _claim(claim: Mapping[str, Any]) -> str:
    figure, error = claim.get("figure"), claim.get("standard_error")
    size = number(figure) if error is None else f"{number(figure)} +- {number(error)}"
    bounds = [
        f"at {side} {number(claim[key])}"
        for side, key in (("least", "at_least"), ("most", "at_most"))
        if claim.get(key) is not None
    ]
    claimed = f"; claimed: {' and '.join(bounds)}" if bounds else ""
    return (
        f"{str(claim['verdict']).upper()}  {claim['text']} ({claim['reference']}, "
        f"{claim['place']}). Measured: {claim['measured']}, {size}{claimed}."
    )
