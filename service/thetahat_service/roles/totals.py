"""A row at the end of a table that sums up the rows above it, as spreadsheets and pandas have."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.common_names import TOTAL_WORDS
from thetahat.tables.column_profiles import ColumnProfile
from thetahat.values.types import FloatArray

FEWEST_ROWS: Final = 5
LARGEST_CHANCE: Final = 1e-4
"""The largest probability by which the last values may agree with means or sums by chance."""


@dataclass(frozen=True, slots=True)
class TotalRow:
    """A row of totals: its number, from 0, and what shows it, as the end of a sentence."""

    row: int
    reason: str


def find_named_total(columns: Iterable[ColumnProfile]) -> TotalRow | None:
    """Return the last row if a text such as ``mean`` in it shows that it is no test instance."""
    for column in columns:
        cell = column.last
        if cell is not None and cell.text.strip(" :.*").lower() in TOTAL_WORDS:
            return TotalRow(cell.row, f"{cell.text!r} stands in column {column.name!r}")
    return None


def find_computed_total(models: Sequence[FloatArray]) -> TotalRow | None:
    """Return the last row if its values are the means or the sums of the values above them.

    ``models`` are the (n,) numbers of the models.
    """
    for word, find in (("mean", _average), ("sum", math.fsum)):
        if _agree_in_every_column(models, find):
            reason = f"in every column its value is the {word} of the values above it"
            return TotalRow(len(models[0]) - 1, reason)
    return None


def _agree_in_every_column(
    columns: Iterable[FloatArray], find: Callable[[list[float]], float]
) -> bool:
    """Return whether all last values are what is found of those above, hardly by chance."""
    chance = 1.0
    for values in columns:
        above, last = values[:-1], float(values[-1])
        if len(above) < FEWEST_ROWS or not np.isfinite(values).all() or above.std() == 0:
            continue
        tolerance = _find_tolerance(last)
        if not abs(find(above.tolist()) - last) <= tolerance:
            return False
        is_of_another_kind = last > 2 * above.max() or (
            not last.is_integer() and bool((above == np.round(above)).all())
        )
        chance *= (
            LARGEST_CHANCE / 10
            if is_of_another_kind
            else min(1.0, 2 * tolerance / float(above.std()))
        )
    return chance < LARGEST_CHANCE


def _average(values: list[float]) -> float:
    return math.fsum(values) / len(values)


def _find_tolerance(value: float) -> float:
    """Return half a unit of the last digit that the value is written with."""
    _, _, decimals = f"{value!r}".partition(".")
    digits = 0 if decimals == "0" else len(decimals.partition("e")[0])
    return max(0.5001 * 10.0**-digits, 1e-9 * abs(value))
