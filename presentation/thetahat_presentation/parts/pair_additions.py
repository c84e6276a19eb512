"""What is shown of pairs only if the request asks for it: ratios, wins, numbers needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from thetahat_presentation.document import (
    Cell,
    Json,
    Number,
    Pair,
    Percent,
    PercentRange,
    PValue,
    Section,
    Table,
)
from thetahat_presentation.numbers import format_count
from thetahat_presentation.parts.models import ModelsResult
from thetahat_presentation.parts.pairs import list_first_pairs

MOST_SHOWN: Final = 15
"""Pairs of which the tables are shown at once; those of more pairs are folded away."""


def build_additions_section(shown: ModelsResult) -> Section:
    """Return a table for each addition that the comparisons have."""
    pairs = list_first_pairs(shown)
    has_every_part = {"intervals", "relative", "tests", "wins"} <= set(
        shown.result.get("include", ())
    )
    tables = (
        _tabulate_ratios(pairs),
        _tabulate_wins(pairs),
        _tabulate_numbers_needed(pairs, only_numbers=has_every_part),
    )
    is_long = len(pairs) > MOST_SHOWN
    return Section(
        name="additions",
        title="By how many per cent, and on how many?",
        tables=() if is_long else tables,
        more_title=f"Relative differences and wins of {len(pairs)} pairs",
        more=tables if is_long else (),
    )


def _tabulate_ratios(pairs: Sequence[Json]) -> Table:
    shown = [(pair, each) for pair in pairs if (each := pair.get("relative")) is not None]
    rows: list[dict[str, Cell]] = [
        {
            "Pair": Pair(pair["a"], pair["b"]),
            "Change": Percent(relative.get("change")),
            "Interval": _read_ends(relative if relative.get("shape") == "interval" else {}),
            "By log ratio": _read_ends(relative.get("log_ratio") or {}),
            "In words": relative["sentence"],
        }
        for pair, relative in shown
    ]
    notes = ["A change is the first mean over the second, minus 1. The interval is Fieller's."]
    of_log = [relative for _, relative in shown if relative.get("log_ratio")]
    if of_log:
        notes.append("Fieller's interval is recommended; that of the log ratio is beside it.")
    if any(relative.get("shape") != "interval" for relative in of_log):
        notes.append(
            "Where there is none by Fieller, that of the log ratio is finite but covers too "
            "rarely: use the difference."
        )
    return Table.of_rows("Relative differences", rows, notes)


def _read_ends(ratios: Json) -> PercentRange:
    """Return the ends of an interval of ratios as changes."""
    lower, upper = (ratios.get(end) for end in ("lower", "upper"))
    return PercentRange(None if lower is None else lower - 1, None if upper is None else upper - 1)


def _tabulate_wins(pairs: Sequence[Json]) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "Pair": Pair(pair["a"], pair["b"]),
            "First better": Number(wins["a"]),
            "Second better": Number(wins["b"]),
            "Ties": Number(wins["ties"]),
            "Win rate": Percent(wins["win_rate"]),
            "Interval": PercentRange(wins.get("lower"), wins.get("upper")),
            "p (sign)": PValue(_choose_p_value(wins)),
        }
        for pair in pairs
        if (wins := pair.get("wins")) is not None
    ]
    notes = ["The win rate is that of the first model; a tie counts one half."]
    n_pairs = next((n for pair in pairs if (n := _count_simultaneous(pair)) is not None), None)
    if n_pairs is not None:
        notes.append(f"Intervals and p hold for all {format_count(n_pairs)} pairs at once.")
    reasons = [wins["reason"] for pair in pairs if (wins := pair.get("wins") or {}).get("reason")]
    return Table.of_rows("Wins", rows, [*notes, *dict.fromkeys(reasons)])


def _choose_p_value(wins: Json) -> float | None:
    """Return the p-value for all pairs at once, where there are several."""
    adjusted: float | None = wins.get("p_value_adjusted")
    return wins.get("p_value") if adjusted is None else adjusted


def _count_simultaneous(pair: Json) -> int | None:
    wins: Json = pair.get("wins") or {}
    return wins.get("simultaneous_pairs")


def _tabulate_numbers_needed(pairs: Sequence[Json], *, only_numbers: bool) -> Table:
    """Return the numbers; those that there are where nobody asked for them by name."""
    rows: list[list[Cell]] = [
        [Pair(pair["a"], pair["b"]), Number(needed.get("estimate")), needed["sentence"]]
        for pair in pairs
        if (needed := pair.get("number_needed")) is not None
        and not (only_numbers and needed.get("estimate") is None)
    ]
    columns = ["Pair", "Instances", "In words"]
    return Table(caption="Instances for one error fewer", columns=columns, rows=rows)
