"""What is shown of pairs only if the request asks for it: ratios, wins, numbers needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from thetahat_presentation.document import (
    Cell,
    Number,
    Pair,
    Percent,
    PercentRange,
    PValue,
    Section,
    Table,
)
from thetahat_presentation.json_objects import Json
from thetahat_presentation.parts.models import ModelsResult
from thetahat_presentation.parts.pairs import list_first_pairs

MOST_SHOWN: Final = 15
"""Pairs of which the tables are shown at once; those of more pairs are folded away."""


def build_additions_section(shown: ModelsResult) -> Section | None:
    """Return a table for each addition that the comparisons have; None where there is none."""
    pairs = list_first_pairs(shown)
    has_every_part = {"intervals", "relative", "tests", "wins"} <= set(
        shown.result.get("include", ())
    )
    tables = (
        _tabulate_ratios(pairs),
        _tabulate_wins(pairs),
        _tabulate_numbers_needed(pairs, only_numbers=has_every_part),
    )
    present = [table for table in tables if table is not None]
    if not present:
        return None
    title = "By how many per cent, and on how many?"
    is_long = len(pairs) > MOST_SHOWN
    return Section(
        name="additions",
        title=title,
        tables=[] if is_long else present,
        more_title=f"Relative differences and wins of {len(pairs)} pairs",
        more=present if is_long else [],
    )


def _tabulate_ratios(pairs: Sequence[Json]) -> Table | None:
    rows: list[list[Cell]] = []
    for pair in pairs:
        relative: Json | None = pair.get("relative")
        if relative is None:
            continue
        is_interval = relative.get("shape") == "interval"
        ends = [relative[end] - 1 if is_interval else None for end in ("lower", "upper")]
        rows.append(
            [
                Pair(pair["a"], pair["b"]),
                Percent(relative.get("change")),
                PercentRange(*ends),
                relative["sentence"],
            ]
        )
    if not rows:
        return None
    columns = ["Pair", "Change", "Interval", "In words"]
    notes = ["A change is the first mean over the second, minus 1. The interval is Fieller's."]
    return Table(caption="Relative differences", columns=columns, rows=rows, notes=notes)


def _tabulate_wins(pairs: Sequence[Json]) -> Table | None:
    rows: list[list[Cell]] = []
    for pair in pairs:
        wins: Json | None = pair.get("wins")
        if wins is None:
            continue
        rows.append(
            [
                Pair(pair["a"], pair["b"]),
                *(Number(wins[name]) for name in ("a", "b", "ties")),
                Percent(wins["win_rate"]),
                PercentRange(wins.get("lower"), wins.get("upper")),
                PValue(wins.get("p_value")),
            ]
        )
    if not rows:
        return None
    columns = ["Pair", "First better", "Second better", "Ties", "Win rate", "Interval", "p (sign)"]
    notes = ["The win rate is that of the first model; a tie counts one half."]
    return Table(caption="Wins", columns=columns, rows=rows, notes=notes)


def _tabulate_numbers_needed(pairs: Sequence[Json], *, only_numbers: bool) -> Table | None:
    """Return the numbers; those that there are where nobody asked for them by name."""
    rows: list[list[Cell]] = [
        [Pair(pair["a"], pair["b"]), Number(needed.get("estimate")), needed["sentence"]]
        for pair in pairs
        if (needed := pair.get("number_needed")) is not None
        and not (only_numbers and needed.get("estimate") is None)
    ]
    if not rows:
        return None
    columns = ["Pair", "Instances", "In words"]
    return Table(caption="Instances for one error fewer", columns=columns, rows=rows)
