"""A series as a document: what is decided, what each look has shown, and what is fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from thetahat_presentation.captions import write_level
from thetahat_presentation.document import (
    Cell,
    Document,
    Interval,
    Json,
    Name,
    Number,
    PValue,
    Section,
    Table,
)
from thetahat_presentation.hidden_characters import show_hidden_in
from thetahat_presentation.numbers import format_number
from thetahat_presentation.wording import capitalise, join_words, name_method

FIGURE_SECTION: Final = "looks"
"""The section in which the figure of a series stands."""
FIRST_LOOKS: Final = 10
"""Looks that a terminal shows."""
STATEMENTS: Final = {
    "better": "better",
    "worse": "worse",
    "equivalent": "equivalent",
    "not_worse": "not worse",
    "futile": "out of reach",
}
"""Statements in a table."""


def show_series(series: Json, looks: Sequence[Json]) -> Document:
    """Return the document of a series, in which hidden characters are shown as escapes.

    ``series`` is the series as JSON, and ``looks`` are its newest looks, the newest one first.
    """
    plan = series["plan"]
    protocol = series.get("protocol")
    sentences = [each["sentence"] for each in (protocol, plan) if each is not None]
    table = tabulate_looks(series, looks)
    sections = [
        Section(
            name=FIGURE_SECTION,
            title="What has each look shown?",
            tables=[table] if looks else [],
            sentences=[] if looks else ["There is no batch yet."],
        ),
        Section(name="fixed", title="What is fixed?", tables=[tabulate_design(series)]),
    ]
    document = Document.of_record(series["sentence"], sections, _describe_scope(series), sentences)
    return show_hidden_in(document)


def tabulate_looks(series: Json, looks: Sequence[Json]) -> Table:
    """Return the looks as a table."""
    is_pair = len(series["models"]) > 1
    n_more = series["batches"] - len(looks)
    rows: list[dict[str, Cell]] = []
    for look in looks:
        shown = [STATEMENTS.get(held, held) for held in look["holds"]]
        error = look["standard_deviation"] / look["n"] ** 0.5 if look["n"] else None
        interval = Interval(look["lower"], look["upper"], error)
        rows.append(
            {
                "Look": Name(format_number(look["number"])),
                "Rows": Number(look["rows"]),
                "Mean difference" if is_pair else "Mean": Number(look["estimate"], error),
                f"{write_level(series['level'])} interval, all looks": interval,
                "p, all looks": PValue(look["p_value"]),
                "Shown": join_words(shown)
                if shown
                else ("no interval" if look["reason"] else "undecided"),
            }
        )
    notes = [f"{n_more} earlier looks are not listed."] if n_more > 0 else []
    table = Table.of_rows(f"Looks at {_name_value(series)}, the newest first", rows, notes)
    return replace(table, n_first=FIRST_LOOKS)


def tabulate_design(series: Json) -> Table:
    """Return what was fixed when the series was made."""
    method = series["method"]
    name = name_method(method["name"])
    params = ", ".join(
        f"{name_method(name)} {_write(value)}" for name, value in method["params"].items()
    )
    rows: list[list[Cell]] = [
        ["Models", Name(" against ".join(series["models"]))],
        ["Better", series["better"]],
        ["Level", Number(series["level"])],
        ["Method", capitalise(f"{name} ({params})" if params else name)],
        ["Decisions", join_words([STATEMENTS.get(each, each) for each in series["stop"]])],
        ["Independent", "clusters" if series["unit"] == "cluster" else "rows"],
    ]
    if series["reference"] is not None:
        rows.insert(1, ["Reference", Number(series["reference"])])
    if series["margin"] is not None:
        rows.insert(3, ["Margin", Number(series["margin"])])
    return Table(caption="Fixed at the creation", columns=["What", "Value"], rows=rows)


def ask_series(series: Json) -> list[str]:
    """Return the question that a series answers, as sentences."""
    first = series["models"][0]
    if len(series["models"]) > 1:
        question = f"Is {first} better than {series['models'][1]}?"
    else:
        side = "above" if series["better"] == "higher" else "below"
        question = f"Is the mean of {first} {side} {format_number(series['reference'])}?"
    if series["margin"] is None:
        return show_hidden_in([question])
    margin = f"Differences of up to {format_number(series['margin'])} do not matter."
    return show_hidden_in([question, margin])


def _name_value(series: Json) -> str:
    models = series["models"]
    return f"{models[0]} - {models[1]}" if len(models) > 1 else f"the mean of {models[0]}"


def _describe_scope(series: Json) -> str:
    is_planned = "looks" in series["method"]["params"]
    when = "at the planned looks" if is_planned else "after any batch"
    if series["unit"] == "cluster":
        units = (
            "Clusters are taken as independent, each with all its rows in one batch; the mean is "
            "that of the clusters' means."
        )
    else:
        units = (
            "Rows are taken as independent: if several belong together, the intervals are too "
            "short, and the series should have the unit cluster."
        )
    return (
        f"The intervals hold for all looks together, so that one may stop {when}. They are about "
        f"these trained models and one mean at all times. {units}"
    )


def _write(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return (
            " to ".join(map(format_number, value))
            if len(value) == 2
            else ", ".join(map(format_number, value))
        )
    return format_number(value) if isinstance(value, int | float) else str(value)
