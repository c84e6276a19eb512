"""What the page of a data set shows: what was understood of the file, and its first rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from thetahat_presentation.document import Cell, Name, Number, Table
from thetahat_presentation.numbers import format_number
from thetahat_presentation.showing import name_kind
from thetahat_presentation.wording import capitalise
from thetahat_service.json_types import (
    ColumnDescription,
    FilePreview,
    FileUnderstanding,
    UnderstoodColumn,
)

MAX_COLUMNS: Final = 40
"""Columns of a wide file that a preview shows."""
MAX_LISTED: Final = 500
TOO_LARGE: Final = (
    "The file is too large to be looked at for a page, so no roles of columns are proposed."
)
UNDERSTOOD: Final = (
    *("Name", "Values", "Seems to be", "Because it", "For example", "Missing"),
    "Faults by row",
)
OPTIONS: Final = re.compile(r" \((?:--|thetahat )[^()]*\)")
"""What a question says for the command line alone."""
WORDS: Final = {
    "number": "numbers",
    "integer": "whole numbers",
    "boolean": "yes or no",
    "string": "texts",
    "sparse": "sparse group",
    "matrix": "matrix of numbers",
}


def list_understood(media_type: str, details: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return what was understood of a file as a whole: names and texts."""
    facts = [("Format", media_type)]
    for name, value in details.items():
        if isinstance(value, bool | int | float | str):
            text = {"\t": "tab", " ": "space"}.get(str(value), format_number(value))
            facts.append((capitalise(name.replace("_", " ")), text))
    return facts


def list_questions(understood: FileUnderstanding | None) -> list[str]:
    """Return sentences on what a file holds, and which questions it can answer."""
    if understood is None:
        return [TOO_LARGE]
    kind = name_kind(understood["kind"]).lower()
    return [
        f"This seems to be a file for {kind}: {understood['kind_reason']}",
        *(OPTIONS.sub("", question) for question in understood["questions"]),
    ]


def tabulate_columns(
    columns: Sequence[ColumnDescription], understood: FileUnderstanding | None
) -> Table:
    """Return the columns of a file: what each seems to be for, why, and its cells.

    Of a file that was not looked at, ``understood`` is None, and the table has the types alone.
    """
    if understood is None:
        names = ["Name", "Values"]
        rows: list[list[Cell]] = [[Name(c["name"]), _name_type(c["type"])] for c in columns]
    else:
        has_faults = any(column["not_numbers"] for column in understood["columns"])
        names = list(UNDERSTOOD if has_faults else UNDERSTOOD[:-1])
        rows = [_build_row(column)[: len(names)] for column in understood["columns"]]
    left_out = len(columns) - len(rows[:MAX_LISTED])
    return Table(
        caption="Columns",
        columns=names,
        rows=rows[:MAX_LISTED],
        notes=[f"{left_out} more columns are not listed."] if left_out > 0 else [],
    )


def _build_row(column: UnderstoodColumn) -> list[Cell]:
    marks = " or ".join(f"{mark!r} ({n})" for mark, n in column["missing_marks"].items())
    missing = format_number(column["missing"])
    faults = [f"row {cell['row']}: {cell['value']!r}" for cell in column["first_not_numbers"]]
    more = column["not_numbers"] - len(faults)
    return [
        Name(column["name"]),
        _name_type(column["type"]),
        column["role"],
        column["reason"],
        Name(", ".join(column["examples"])),
        Name(f"{missing}: {marks}") if marks else Number(column["missing"]),
        Name(", ".join([*faults, *([f"{more} more"] if more > 0 else [])])),
    ]


def _name_type(kind: str) -> str:
    return WORDS.get(kind, kind)


def tabulate_rows(preview: FilePreview) -> Table:
    """Return the first rows of a file."""
    columns = preview["columns"][:MAX_COLUMNS]
    left_out = len(preview["columns"]) - len(columns)
    return Table(
        caption=f"The first {len(preview['rows'])} rows",
        columns=["Row, from 0", *[column["name"] for column in columns]],
        rows=[
            [Name(str(number)), *[_build_cell(cell) for cell in row[:MAX_COLUMNS]]]
            for number, row in enumerate(preview["rows"])
        ],
        notes=[f"{left_out} more columns are not shown."] if left_out else [],
    )


def _build_cell(value: Any) -> Cell:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {format_number(number)}" for name, number in value.items())
    return Name(value) if isinstance(value, str) else Number(value)
