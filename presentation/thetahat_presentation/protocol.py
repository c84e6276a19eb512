"""A protocol as a document: what is fixed, since when, and what names it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from thetahat_presentation.document import Cell, Document, Json, Name, Number, Section, Table
from thetahat_presentation.hidden_characters import show_hidden_in
from thetahat_presentation.numbers import format_number
from thetahat_presentation.wording import capitalise, name_method, name_parameter

LIMIT: Final = (
    "Only what is fixed is compared, with what this service has seen: data that were looked at "
    "elsewhere, or deleted here before, are not known to it."
)
WORDS: Final = {
    "kinds": "Kinds",
    "new": "New model",
    "old": "Old model",
    "require": "Requirement",
    "cheaper_by": "Share of the cost that must be saved",
    "group_by": "Groups by",
    "data_sha256": "SHA-256 of the data",
    "rows": "Rows or items",
    "evaluations": "Most evaluations",
}
"""Fields whose names say too little."""
CHOICES: Final = frozenset({"require", "target", "alternative"})
"""Fields with one of a few words, which are written without underscores."""


def show_protocol(protocol: Json) -> Document:
    """Return the document of a protocol, in which hidden characters are shown as escapes."""
    table = tabulate_fixed(protocol)
    described = [protocol["description"]] if protocol["description"] else []
    section = Section(name="fixed", title="What is fixed?", tables=[table])
    return show_hidden_in(Document.of_record(protocol["sentence"], [section], LIMIT, described))


def tabulate_fixed(protocol: Json) -> Table:
    """Return what is fixed as a table."""
    rows: list[list[Cell]] = []
    for field, value in protocol["fixed"].items():
        for name, inner in value.items() if field == "series" else [(field, value)]:
            of_series = " of a series" if field == "series" else ""
            word = WORDS.get(name, capitalise(name.replace("_", " ")))
            written = inner.replace("_", " ") if name in CHOICES else inner
            rows.append([f"{word}{of_series}", _build_cell(written)])
    return Table(caption="Fixed before the data", columns=["What", "Value"], rows=rows)


def _build_cell(value: Any) -> Cell:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return Number(value) if is_number else Name(_write(value))


def _write(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return format_number(value)
    if isinstance(value, Mapping):
        params = ", ".join(
            f"{name_parameter(key)} {_write(each)}" for key, each in value["params"].items()
        )
        name = name_method(str(value["name"]))
        return f"{name} ({params})" if params else name
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(
            " & ".join(each) if isinstance(each, list) else _write(each) for each in value
        )
    return "none" if value is None else str(value)
