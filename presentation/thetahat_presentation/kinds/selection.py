"""The choice among candidates, and by how much the error at which one was chosen is too good."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from thetahat_presentation.document import Cell, Document, Json, Name, Number, Section, Table
from thetahat_presentation.kinds.base import ModelPair, Presentation
from thetahat_presentation.numbers import format_count, format_interval, format_level, format_number
from thetahat_presentation.parts.cautions import Place, place_cautions
from thetahat_presentation.parts.documents import build_models_document, build_other_document
from thetahat_presentation.parts.headlines import describe_selected, is_choice
from thetahat_presentation.parts.models import ModelsResult, count_not_shown
from thetahat_presentation.wording import capitalise, name_method

MOST_ROWS: Final = 200
MOST_VALUES: Final = 15
"""Values of a parameter that the table of a grid has, evenly spread with both ends."""


def view(result: Json, request: Json, pair: ModelPair | None) -> Document:
    """Return the choice, the candidates, each grid, and the models on the external splits."""
    tables = [_tabulate_candidates(result), _tabulate_splits(result), *_tabulate_grids(result)]
    main = Section(name="main", title="Selection", tables=tables)
    gap, share = _describe_gap(result)
    headline = f"The selection chooses {result['chosen']['name']}. {gap}".rstrip()
    outcome = [_describe_choice(result), *share]
    if not result.get("models"):
        return build_other_document(result, [headline, *outcome], main)
    summary = result["summary"]
    chooses = is_choice(summary)
    if chooses:
        outcome.append(describe_selected(summary))
    else:
        headline = f"{headline} {ModelsResult(result, request).write_verdict()}"
    bias = (result["bias"].get("interval") or {}).get("cautions")
    placed = [*place_cautions(bias, Place("the difference to the internal error"))]
    return build_models_document(
        result, request, pair, headline=headline, outcome=outcome, main=main, more_cautions=placed
    )


def ask(result: Json, request: Json) -> list[str]:
    """Return the question."""
    del request
    question = (
        f"Which of {format_count(len(result['internal']))} candidates does the selection choose, "
        "and by how much is the error at which it was chosen too good?"
    )
    return [question]


def _name_criterion(result: Json) -> str:
    """Return what candidates are chosen by: error, or the name of a metric."""
    return name_method(str(result["chosen"].get("by", "error")))


def _describe_choice(result: Json) -> str:
    """Return the sentence about the chosen candidate."""
    chosen = result["chosen"]
    internal = chosen["internal"]
    error = internal.get("standard_error")
    spread = "" if error is None else f" (standard error {format_number(error)})"
    on = f" on {chosen['chosen_on']}" if chosen.get("chosen_on") else ""
    return (
        f"{chosen['name']} was chosen{on}, with an internal {_name_criterion(result)} of "
        f"{format_number(internal['mean'])}{spread}."
    )


def _describe_gap(result: Json) -> tuple[str, list[str]]:
    """Return by how much the internal error is too good, and how much of it is due to choosing.

    Both are empty where the difference is not known.
    """
    bias = result["bias"]
    if bias["estimate"] is None:
        return "", []
    interval = bias.get("interval")
    criterion, side = _name_criterion(result), "above" if bias["estimate"] >= 0 else "below"
    size, ends = format_number(abs(bias["estimate"])), ""
    if interval is not None:
        error = interval.get("standard_error")
        size, ends = format_interval(
            abs(bias["estimate"]), interval["lower"], interval["upper"], error
        )
    gap = f"On rows that the choice has not seen, the {criterion} is {size} {side} the internal one"
    if interval is not None:
        gap += f" ({format_level(interval['level'])} interval of the difference {ends})"
    share = bias.get("of_choice")
    part = "The part of the difference that is due to choosing is"
    return f"{gap}.", [] if share is None else [f"{part} {format_number(share)}."]


def _tabulate_candidates(result: Json) -> Table:
    """Return the candidates by their internal error, the best first, and how often each won."""
    chosen, external, internal = result["chosen"], result.get("external"), result["internal"]
    sign = -1.0 if chosen.get("higher_is_better") else 1.0
    wins = external["wins"] if external else None
    rows: list[dict[str, Cell]] = []
    for name in sorted(internal, key=lambda name: _sort_key(internal[name]["mean"], sign)):
        mean, error = internal[name]["mean"], internal[name]["standard_error"]
        title = f"{name} (chosen)" if name == chosen["name"] else name
        row: dict[str, Cell] = {"Candidate": Name(title)}
        row[f"Internal {_name_criterion(result)}"] = Number(mean, error)
        row["Standard error"] = Number(error)
        if wins is not None:
            row["Times chosen"] = Number(wins.get(name, 0))
        rows.append(row)
    notes = [
        "The internal value of the chosen candidate is too good, because it is the best of many."
    ]
    if wins is not None:
        notes.append("“Times chosen” counts the external splits in which the candidate was chosen.")
    notes += count_not_shown(len(rows), MOST_ROWS)
    return Table.of_rows("Candidates, the best one first", rows[:MOST_ROWS], notes)


def _tabulate_splits(result: Json) -> Table:
    """Return the choice in each external split."""
    criterion, splits = _name_criterion(result), (result.get("external") or {}).get("splits", ())
    return Table(
        caption="Choice in each external split",
        columns=["Test part", "Chosen", f"Internal {criterion}", f"External {criterion}"],
        rows=[
            [
                Name(str(split["block"])),
                Name(split["winner"]),
                Number(split["internal"]),
                Number(split["external"]),
            ]
            for split in splits[:MOST_ROWS]
        ],
        notes=count_not_shown(len(splits), MOST_ROWS),
    )


def _tabulate_grids(result: Json) -> Iterator[Table]:
    """Yield the internal error against each parameter of a grid."""
    criterion = _name_criterion(result)
    for name, grid in (result.get("grids") or {}).items():
        for parameter, curve in grid["parameters"].items():
            external = curve.get("external")
            columns = [capitalise(parameter), f"Internal {criterion}", "Standard error"]
            columns += [] if external is None else [f"External {criterion}"]
            rows: list[list[Cell]] = []
            for position in _choose_positions(len(curve["values"])):
                mean, error = curve["mean"][position], curve["standard_error"][position]
                row: list[Cell] = [
                    Name(format_number(curve["values"][position])),
                    Number(mean, error),
                    Number(error),
                ]
                row += [] if external is None else [Number(external[position])]
                rows.append(row)
            yield Table(caption=f"{parameter} of {name}", columns=columns, rows=rows)


def _choose_positions(n: int) -> list[int]:
    """Return at most ``MOST_VALUES`` of n positions, evenly spread, with both ends."""
    if n <= MOST_VALUES:
        return list(range(n))
    return [round(i * (n - 1) / (MOST_VALUES - 1)) for i in range(MOST_VALUES)]


def _sort_key(value: float | None, sign: float) -> tuple[bool, float]:
    """Return a key that puts the best value first and a missing one last."""
    return value is None, 0.0 if value is None else sign * value


PRESENTATION = Presentation(name="selection", title="Selection", view=view, ask=ask)
