"""A selection as text: what was chosen, among what, and how much too good its choice looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from thetahat_client.tables import WIDTH, ends, number, table, wrapped

MOST_ROWS: Final = 15
"""Of a table of candidates, or of a parameter's values."""


def selection_text(result: Mapping[str, Any], width: int = WIDTH) -> str:
    """Return the choice, the candidates' internal errors and each grid's curve."""
    parts = [
        "\n".join(["Choice", *wrapped(_choice(result), width)]),
        candidates_table(result),
        *(grid_table(name, grid) for name, grid in result.get("grids", {}).items()),
    ]
    return "\n\n".join(part for part in parts if part)


def candidates_table(result: Mapping[str, Any]) -> str:
    """Return the candidates by their internal error, the best first, and how often each won."""
    by = result["chosen"].get("by", "error")
    sign = -1.0 if result["chosen"].get("higher_is_better") else 1.0
    internal: Mapping[str, Any] = result["internal"]
    names = sorted(internal, key=lambda name: sign * _or_infinite(internal[name]["mean"], sign))
    external: Mapping[str, Any] = (result.get("external") or {}).get("wins", {})
    header = ["candidate", f"internal {by}", "standard error", *(["wins"] if external else [])]
    rows = []
    for name in names[:MOST_ROWS]:
        one = internal[name]
        wins = [str(external.get(name, 0))] if external else []
        rows.append([name, number(one["mean"]), number(one["standard_error"]), *wins])
    more = len(names) - len(rows)
    notes = [f"and {more} more candidates"] if more else []
    return "\n".join([table(header, rows), *notes])


def grid_table(name: str, grid: Mapping[str, Any]) -> str:
    """Return the internal error against each parameter of a grid; of many values, some."""
    parts = []
    for parameter, curve in grid["parameters"].items():
        external: Sequence[float | None] | None = curve.get("external")
        header = [f"{name}: {parameter}", "internal", "standard error"]
        header += [] if external is None else ["external"]
        rows = []
        for at in _some(len(curve["values"])):
            cells = [curve["mean"][at], curve["standard_error"][at]]
            cells += [] if external is None else [external[at]]
            rows.append([_value(curve["values"][at]), *map(_known, cells)])
        parts.append(table(header, rows))
    return "\n\n".join(parts)


def _choice(result: Mapping[str, Any]) -> Iterator[str]:
    chosen, bias = result["chosen"], result["bias"]
    by, internal = chosen.get("by", "error"), chosen["internal"]
    error = internal["standard_error"]
    spread = "" if error is None else f", standard error {number(error)}"
    yield (
        f"{chosen['name']}, chosen on {chosen['chosen_on']} by its internal {by}, "
        f"{number(internal['mean'])}{spread}"
    )
    if bias["estimate"] is None:
        return
    interval = bias.get("interval")
    around = "" if interval is None else f" ({ends(interval)})"
    part = bias.get("of_choice")
    due = "" if part is None else f"; {number(part)} of that is due to choosing"
    yield f"external minus internal {by}: {number(bias['estimate'])}{around}{due}"


def _or_infinite(value: float | None, sign: float) -> float:
    return sign * float("inf") if value is None else value


def _some(n: int) -> list[int]:
    """Return the places of some of n values, both ends among them."""
    if n <= MOST_ROWS:
        return list(range(n))
    return [round(at * (n - 1) / (MOST_ROWS - 1)) for at in range(MOST_ROWS)]


def _known(value: float | None) -> str:
    return "none" if value is None else number(value)


def _value(value: Any) -> str:
    return number(value) if isinstance(value, float) else str(value)
