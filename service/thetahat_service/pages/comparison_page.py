"""Two evaluations side by side, such as the same learners under two schemes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from thetahat_presentation.document import Cell, Document, Json, Name, Pair, Table
from thetahat_presentation.numbers import format_number
from thetahat_presentation.wording import capitalise
from thetahat_service.pages.method_page import write_method

COMPARED: Final = ("kind", "dataset", "task", "scheme", "blocks", "loss", "margin", "level")
"""Fields of a request that are compared."""
VERDICT: Final = "Verdict"
"""The heading of the column with the verdicts, in tables of pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two evaluations."""

    title: str
    """Its name, or its kind."""
    data_sha256: str
    """The digest of its data."""
    request: Json
    """Its request."""
    document: Document
    """Its result as it is shown."""
    names: Sequence[str]
    """Its models."""


def compare(first: Side, second: Side) -> list[Table]:
    """Return what differs between the requests, and between the verdicts on pairs."""
    tables = [_compare_requests(first, second), _compare_pairs(first, second)]
    return [table for table in tables if table.rows]


def describe_agreement(first: Side, second: Side) -> str:
    """Return in a sentence whether two evaluations have the same models and data."""
    n_shared = len({*first.names} & {*second.names})
    if not n_shared:
        return "The two evaluations have no model with the same name, so nothing can be compared."
    data = "the same data" if first.data_sha256 == second.data_sha256 else "different data"
    models = "1 model is" if n_shared == 1 else f"{n_shared} models are"
    return f"{models} in both evaluations, which rest on {data}."


def _compare_requests(first: Side, second: Side) -> Table:
    rows: list[list[Cell]] = []
    for field in COMPARED:
        values = [_write_field(side.request.get(field)) for side in (first, second)]
        if values[0] != values[1]:
            rows.append([capitalise(field), *values])
    return Table(caption="What differs", columns=["Field", first.title, second.title], rows=rows)


def _compare_pairs(first: Side, second: Side) -> Table:
    """Return the verdict on each pair that both evaluations show."""
    verdicts = [_read_verdicts(side.document) for side in (first, second)]
    rows: list[list[Cell]] = [
        [Name(", ".join(sorted(pair))), *words, "yes" if words[0] == words[1] else "no"]
        for pair in verdicts[0]
        if pair in verdicts[1]
        for words in [[verdicts[0][pair], verdicts[1][pair]]]
    ]
    return Table(
        caption="Verdict on each pair",
        columns=["Pair", first.title, second.title, "Same"],
        rows=rows,
    )


def _read_verdicts(document: Document) -> dict[frozenset[str], str]:
    """Return the words of the verdict on each pair of a document."""
    section = document.find_section("pairs")
    tables = [] if section is None else [*section.tables, *section.more]
    found: dict[frozenset[str], str] = {}
    for table in tables:
        if VERDICT in table.columns:
            place = table.columns.index(VERDICT)
            for row in table.rows:
                if isinstance(row[0], Pair):
                    found[frozenset({row[0].first, row[0].second})] = str(row[place])
    return found


def _write_field(value: Any) -> str:
    return write_method(value) if isinstance(value, Mapping) else format_number(value)
