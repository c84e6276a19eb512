"""Power as a share of that of a test that knows the standard deviation of the difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

Row: TypeAlias = dict[str, Any]

PLACE: Final = ("design", "loss", "n", "trained", "target")


def add_oracles(
    rows: Sequence[Mapping[str, Any]], oracles: Sequence[Mapping[str, Any]]
) -> list[Row]:
    """Return the rows with their power as a share of the oracle's; None where that is unknown.

    The oracle is a test of two models, so tests of several have none.
    """
    by_place = {_find_place(row): row["power"] for row in oracles}
    return [
        {
            **row,
            "of_oracle": None
            if row["subject"] == "multiple"
            else _divide(row["power"], by_place.get(_find_place(row))),
        }
        for row in rows
    ]


def _find_place(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in PLACE)


def _divide(power: float | None, of_oracle: float | None) -> float | None:
    return None if power is None or not of_oracle else power / of_oracle
