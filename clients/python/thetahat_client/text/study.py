"""A study as text: its claims, and its tables with Monte-Carlo standard errors."""

from __future__ import annotations

from collections.abc import Mapping

from thetahat_client.results import (
    MonteCarloNumberDict,
    StudyClaimDict,
    StudyResultDict,
    StudyTableDict,
)
from thetahat_client.text.page import Page, format_number


def write_study(result: StudyResultDict, page: Page) -> str:
    """Return the claims with their verdicts, then every table."""
    parts = [
        page.format_section("Claims", [_claim(claim) for claim in result.get("claims", [])]),
        *(build_study_table(table, page) for table in result["tables"]),
    ]
    study = result.get("study", {})
    if "repetitions" in study:
        parts += page.format_paragraphs(
            [f"{study['repetitions']} repetitions"], bullet="", indent=""
        )
    return "\n\n".join(part for part in parts if part)


def build_study_table(table: StudyTableDict, page: Page) -> str:
    """Return one table; each number is followed by its Monte-Carlo standard error."""
    columns: Mapping[str, str] = table["columns"]
    rows = [[format_study_cell(row.get(key)) for key in columns] for row in table["rows"]]
    notes = [table["note"]] if table.get("note") else []
    return "\n".join(
        [
            page.format_title(str(table["title"])),
            page.format_table(list(columns.values()), rows, notes),
        ]
    )


def format_study_cell(cell: MonteCarloNumberDict | float | str | None) -> str:
    """Return a cell as text: a number with its standard error, a number, a word or nothing."""
    if cell is None:
        return ""
    if isinstance(cell, dict):
        return _add_error(cell["value"], cell["standard_error"])
    return format_number(cell) if isinstance(cell, float) else str(cell)


def _claim(claim: StudyClaimDict) -> str:
    """Return a claim with its verdict as a sentence."""
    figure = _add_error(claim.get("figure"), claim.get("standard_error"))
    limits = (("least", claim.get("at_least")), ("most", claim.get("at_most")))
    bounds = [f"at {side} {format_number(limit)}" for side, limit in limits if limit is not None]
    claimed = f"; claimed: {' and '.join(bounds)}" if bounds else ""
    return (
        f"{str(claim['verdict']).upper()}  {claim['text']} ({claim['reference']}, "
        f"{claim['place']}). Measured: {claim['measured']}, {figure}{claimed}."
    )


def _add_error(value: float | None, error: float | None) -> str:
    """Return a number, with its standard error where it has one."""
    number = format_number(value)
    return number if error is None else f"{number} +- {format_number(error)}"
