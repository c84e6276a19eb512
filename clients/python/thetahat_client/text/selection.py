"""A selection as text: the choice, the candidates, and how much too good the choice looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from thetahat_client.results import GridProfileDict, JsonValue, SelectionResultDict
from thetahat_client.text.page import Page, format_difference, format_interval, format_number

MOST_ROWS: Final = 15
"""Most rows of the table of candidates, and of the table of a parameter's values."""


def write_selection(result: SelectionResultDict, page: Page) -> str:
    """Return the choice, the candidates' internal errors and the curve of each grid."""
    parts = [
        page.format_section("Choice", list(_describe_choice(result))),
        build_candidates_table(result, page),
        *(build_grid_table(name, grid, page) for name, grid in result.get("grids", {}).items()),
    ]
    return "\n\n".join(part for part in parts if part)


def build_candidates_table(result: SelectionResultDict, page: Page) -> str:
    """Return the candidates by their internal error, the best first, and how often each won."""
    criterion = result["chosen"].get("by", "error")
    sign = -1.0 if result["chosen"].get("higher_is_better") else 1.0
    internal = result["internal"]
    names = sorted(internal, key=lambda name: _sort_key(internal[name]["mean"], sign))
    external = result.get("external")
    wins: Mapping[str, int] = external["wins"] if external else {}
    header = ["candidate", f"internal {criterion}", "standard error", *(["wins"] if wins else [])]
    rows = []
    for name in names[:MOST_ROWS]:
        error = internal[name]
        row = [name, format_number(error["mean"]), format_number(error["standard_error"])]
        rows.append([*row, *([str(wins.get(name, 0))] if wins else [])])
    n_hidden = len(names) - len(rows)
    return page.format_table(header, rows, [f"and {n_hidden} more candidates"] if n_hidden else [])


def build_grid_table(name: str, grid: GridProfileDict, page: Page) -> str:
    """Return the internal error against each parameter of a grid, for at most 15 values."""
    tables = []
    for parameter, curve in grid["parameters"].items():
        external: Sequence[float | None] | None = curve.get("external")
        header = [f"{name}: {parameter}", "internal", "standard error"]
        header += [] if external is None else ["external"]
        rows = []
        for position in _choose_positions(len(curve["values"])):
            cells = [curve["mean"][position], curve["standard_error"][position]]
            cells += [] if external is None else [external[position]]
            numbers = ["none" if cell is None else format_number(cell) for cell in cells]
            rows.append([_format_value(curve["values"][position]), *numbers])
        tables.append(page.format_table(header, rows))
    return "\n\n".join(tables)


def _describe_choice(result: SelectionResultDict) -> Iterator[str]:
    """Yield the sentences about the chosen candidate."""
    chosen, bias = result["chosen"], result["bias"]
    criterion, internal = chosen.get("by", "error"), chosen["internal"]
    error = internal["standard_error"]
    spread = "" if error is None else f", standard error {format_number(error)}"
    yield (
        f"{chosen['name']}, chosen on {chosen['chosen_on']} by its internal {criterion}, "
        f"{format_number(internal['mean'])}{spread}"
    )
    if bias["estimate"] is None:
        return
    interval = bias.get("interval")
    ends = "" if interval is None else f" ({format_interval(interval)})"
    share = bias.get("of_choice")
    due = "" if share is None else f"; {format_number(share)} of that is due to choosing"
    difference = format_difference(bias["estimate"], internal["mean"])
    yield f"external minus internal {criterion}: {difference}{ends}{due}"


def _sort_key(value: float | None, sign: float) -> float:
    """Return a key that puts the best value first and a missing one last."""
    return float("inf") if value is None else sign * value


def _choose_positions(n: int) -> list[int]:
    """Return at most ``MOST_ROWS`` of n positions, evenly spread, with both ends."""
    if n <= MOST_ROWS:
        return list(range(n))
    return [round(i * (n - 1) / (MOST_ROWS - 1)) for i in range(MOST_ROWS)]


def _format_value(value: JsonValue) -> str:
    return format_number(value) if isinstance(value, float) else str(value)
