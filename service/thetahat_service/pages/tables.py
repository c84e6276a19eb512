"""A table as pages show it: every cell is a text already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with a caption.

    Parameters
    ----------
    caption : str
        What the table shows.
    columns : sequence of str
        Headings.
    rows : sequence of sequences of str
        Cells by row; the first cell of a row is its heading.
    numbers : frozenset of int
        Columns that are aligned as numbers.
    note : str
        A sentence below the table.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: frozenset[int] = frozenset()
    note: str = ""
