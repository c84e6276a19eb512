"""What the page of a data set shows: what was understood of the file, and its first rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from thetahat_presentation.document import Cell, Name, Number, Table
from thetahat_presentation.numbers import format_number
from thetahat_presentation.wording import capitalise
from thetahat_service.json_types import FilePreview

MAX_COLUMNS: Final = 40
"""Columns of a wide file that a preview shows."""
MAX_LISTED: Final = 500
WORDS: Final = {
    "number": "numbers",
    "integer": "whole numbers",
    "boolean": "yes or no",
    "string": "texts",
    "sparse": "sparse group",
    "matrix": "matrix of numbers",
}


def list_understood(media_type: str, details: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return what was understood of a file: names and texts."""
    facts = [("Format", media_type)]
    for name, value in details.items():
        if isinstance(value, bool | int | float | str):
            text = {"\t": "tab", " ": "space"}.get(str(value), format_number(value))
            facts.append((capitalise(name.replace("_", " ")), text))
    return facts


def tabulate_columns(preview: FilePreview) -> Table:
    """Return the columns of a file with their types."""
    columns = preview["columns"]
    left_out = len(columns) - MAX_LISTED
    return Table(
        caption="Columns",
        columns=["Name", "Values", "Missing in the first rows"],
        rows=[
            [
                Name(column["name"]),
                WORDS.get(column["type"], column["type"]),
                Number(column["missing"]),
            ]
            for column in columns[:MAX_LISTED]
        ],
        notes=[f"{left_out} more columns are not listed."] if left_out > 0 else [],
    )


def tabulate_rows(preview: FilePreview) -> Table:
    """Return the first rows of a file."""
    columns = preview["columns"][:MAX_COLUMNS]
    left_out = len(preview["columns"]) - len(columns)
    return Table(
        caption=f"The first {len(preview['rows'])} rows",
        columns=["Row", *[column["name"] for column in columns]],
        rows=[
            [Name(str(number)), *[_build_cell(cell) for cell in row[:MAX_COLUMNS]]]
            for number, row in enumerate(preview["rows"], start=1)
        ],
        notes=[f"{left_out} more columns are not shown."] if left_out else [],
    )


def _build_cell(value: Any) -> Cell:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {format_number(number)}" for name, number in value.items())
    return Name(value) if isinstance(value, str) else Number(value)
