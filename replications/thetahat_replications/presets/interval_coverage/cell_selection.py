"""Cells of a table selected by the values of other columns, and averages over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, TypeGuard

from thetahat.analyses.studies.claims import ClaimCase
from thetahat.analyses.studies.monte_carlo import divide, subtract
from thetahat.analyses.studies.result import TableCell
from thetahat.values.monte_carlo_number import UNDEFINED, MonteCarloNumber

Row: TypeAlias = Mapping[str, TableCell]
MOST: Final = 0.75
"""Share of the rows that need a cell for an average: the others are then little of it."""


def read_number(row: Row, column: str) -> MonteCarloNumber | None:
    """Return a cell with a number; None if the row lacks it."""
    cell = row.get(column)
    return cell if isinstance(cell, MonteCarloNumber) else None


def read_value(row: Row, column: str) -> float | None:
    """Return the value of a cell with a number; None if it is unknown."""
    number = read_number(row, column)
    return None if number is None else number.value


def is_known(cell: object) -> TypeGuard[MonteCarloNumber]:
    """Return whether a cell is a number with a value."""
    return isinstance(cell, MonteCarloNumber) and cell.value is not None


def round_number(cell: object) -> list[float] | None:
    """Return a number and its standard error as the shipped files have them; None if unknown."""
    if not is_known(cell) or cell.value is None:
        return None
    return [round(float(cell.value), 4), round(float(cell.standard_error or 0.0), 4)]


def read_numbers(rows: Iterable[Row], column: str) -> list[MonteCarloNumber]:
    """Return the cells with numbers of a column."""
    cells = (read_number(row, column) for row in rows)
    return [cell for cell in cells if cell is not None]


def average(numbers: Sequence[MonteCarloNumber]) -> MonteCarloNumber:
    """Return the mean of numbers from independent draws, with its standard error."""
    known = [n for n in numbers if n.value is not None]
    values = [n.value for n in known if n.value is not None]
    errors = [n.standard_error for n in known if n.standard_error is not None]
    if not values:
        return UNDEFINED
    mean = sum(values) / len(values)
    if len(errors) < len(values):
        return MonteCarloNumber(mean, None)
    return MonteCarloNumber(mean, math.sqrt(sum(error**2 for error in errors)) / len(values))


def average_of_most(rows: Sequence[Row], column: str) -> MonteCarloNumber | None:
    """Return the mean of a column that some rows may lack; None where too many do."""
    cells = read_numbers(rows, column)
    return average(cells) if len(cells) >= MOST * len(rows) else None


def average_ratios(
    rows: Iterable[Row],
    column: str,
    recommended: Mapping[tuple[str, ...], Row],
    get_place: Callable[[Row], tuple[str, ...]],
) -> MonteCarloNumber:
    """Return the mean over rows of a column's ratio to that of the recommended interval there."""
    pairs = [
        (read_number(row, column), read_number(recommended.get(get_place(row), {}), column))
        for row in rows
    ]
    return average([divide(a, b) for a, b in pairs if a is not None and b is not None])


def group_rows(
    rows: Iterable[Row], key: Callable[[Row], tuple[TableCell, ...]]
) -> dict[tuple[TableCell, ...], list[Row]]:
    """Return the rows by what a function makes of them, in the order in which that comes first."""
    groups: dict[tuple[TableCell, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCells:
    """The average of a column over the rows with given values in other columns."""

    column: str
    """The column that is averaged."""
    where: Mapping[str, str]
    """By column, the value of the rows; a value that ends with ``*`` is a prefix."""
    size: Literal["all", "largest", "smallest"] = "all"
    """Whether to use rows of all sample sizes ``n``, or of the largest or smallest only."""
    most_rows: int | None = None
    """The largest sample size that is used; None for all."""

    def select(self, rows: Sequence[Row]) -> MonteCarloNumber | None:
        """Return the average; None if no row has these values and a number."""
        selected = [
            row
            for row in rows
            if all(_matches(row.get(key), value) for key, value in self.where.items())
            and read_number(row, self.column) is not None
            and (self.most_rows is None or _read_sample_size(row) <= self.most_rows)
        ]
        if selected and self.size != "all":
            choose = max if self.size == "largest" else min
            n = choose(_read_sample_size(row) for row in selected)
            selected = [row for row in selected if _read_sample_size(row) == n]
        return average(read_numbers(selected, self.column)) if selected else None


@dataclass(frozen=True, slots=True)
class CellDifference:
    """The first cells minus the second, of the same table."""

    a: TableCells
    b: TableCells

    def select(self, rows: Sequence[Row]) -> MonteCarloNumber | None:
        """Return the difference; None if one of the two does not exist."""
        a, b = self.a.select(rows), self.b.select(rows)
        return None if a is None or b is None else subtract(a, b)


CellQuantity: TypeAlias = TableCells | CellDifference


def _matches(cell: TableCell, value: str) -> bool:
    if value.endswith("*"):
        return str(cell).startswith(value.removesuffix("*"))
    return cell == value


def _read_sample_size(row: Row) -> int:
    n = row["n"]
    return n if isinstance(n, int) else 0


def build_table_case(
    rows: Sequence[Row], fields: Mapping[str, str | float]
) -> ClaimCase[CellQuantity]:
    """Return the case of claims whose quantities are cells of a table."""
    return ClaimCase(lambda quantity: quantity.select(rows), fields)
