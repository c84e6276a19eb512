"""A table of results and the Markdown page that shows it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

TableCell: TypeAlias = str | int | float
"""Text, a count, or a number that is shown with three decimals; NaN is shown as nothing."""
TableRow: TypeAlias = tuple[TableCell, ...]

BETWEEN: str = " | "
"""What is between two headings or cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The rows of one table, and what a reader needs to know about them."""

    title: str
    """Heading of the page."""
    about: str
    """Markdown before the table: what was computed, and how to read it."""
    columns: tuple[str, ...]
    """Heading of each column."""
    rows: tuple[TableRow, ...]
    """Cells, as many in each row as there are columns."""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(
                    f"A row of {self.title!r} has {len(row)} cells for {len(self.columns)} columns."
                )


class TableModule(Protocol):
    """A module that simulates one table."""

    TITLE: str
    """Heading of the page."""
    ABOUT: str
    """Markdown before the table, which may name the ``repetitions`` in braces."""
    COLUMNS: str
    """The heading of each column, as the page has them between its outer bars."""

    def list_rows(self, repetitions: int, seed: int) -> Iterable[TableRow]:
        """Return the rows, from samples that depend on the seed alone."""
        ...


def build_table(module: TableModule, repetitions: int, seed: int) -> Table:
    """Simulate the table of a module."""
    return Table(
        title=module.TITLE,
        about=module.ABOUT.format(repetitions=repetitions),
        columns=tuple(module.COLUMNS.split(BETWEEN)),
        rows=tuple(module.list_rows(repetitions, seed)),
    )


def format_share(share: float, repetitions: int) -> str:
    """Return a simulated share with its Monte-Carlo standard error: ``0.052 (0.007)``."""
    error = (share * (1 - share) / repetitions) ** 0.5
    return f"{share:.3f} ({error:.3f})"


def write_page(table: Table, command: str) -> str:
    """Return the page of a table, with the command that wrote it."""
    lines = [_write_row(table.columns), _write_row(["---"] * len(table.columns))]
    lines += [_write_row([_write_cell(cell) for cell in row]) for row in table.rows]
    parts = [f"# {table.title}", f"`{command}`", table.about.strip(), "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


@dataclass(frozen=True, slots=True)
class KeptPage:
    """The table of a page that is kept."""

    repetitions: int
    """Number of repetitions of its command."""
    rows: tuple[Mapping[str, str], ...]
    """The cells of each row by column."""

    @classmethod
    def read(cls, text: str) -> KeptPage:
        """Return the table of a page that ``write_page`` wrote."""
        found = re.search(r"--repetitions (\d+)", text)
        if found is None:
            raise ValueError("The page does not name its command.")
        lines = [line[2:-2].split(BETWEEN) for line in text.splitlines() if line.startswith("| ")]
        columns = lines[0]
        rows = tuple(dict(zip(columns, cells, strict=True)) for cells in lines[2:])
        return cls(int(found[1]), rows)


def _write_row(cells: Sequence[str]) -> str:
    return f"| {BETWEEN.join(cells)} |"


def _write_cell(cell: TableCell) -> str:
    if isinstance(cell, float):
        return "" if math.isnan(cell) else f"{cell:.3f}"
    return str(cell)
