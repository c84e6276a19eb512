"""Tables of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thetahat.values.json_values import plain


@dataclass(frozen=True, slots=True)
class MonteCarloNumber:
    """A number from repetitions.

    Parameters
    ----------
    value : float or None
        None where it is not defined.
    standard_error : float or None
        Its Monte-Carlo standard error, in the same units; None where there is none to be told.
    """

    value: float | None
    standard_error: float | None = None

    def as_data(self) -> dict[str, Any]:
        """Return it as the wire has it."""
        told: dict[str, Any] = plain({"value": self.value, "standard_error": self.standard_error})
        return told


Cell = MonteCarloNumber | float | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyTable:
    """A table with named columns.

    Parameters
    ----------
    name, title : str
        What it is called in the result, and for people.
    columns : mapping of str to str
        By key, the column's heading.
    rows : sequence of mapping
        By column's key; a key may be missing.
    note : str
        How to read it.
    """

    name: str
    title: str
    columns: Mapping[str, str]
    rows: Sequence[Mapping[str, Cell]]
    note: str = ""

    def as_data(self) -> dict[str, Any]:
        """Return it as the wire has it: a cell with an error is an object."""
        rows = [{key: _cell(row.get(key)) for key in self.columns} for row in self.rows]
        return {
            "name": self.name,
            "title": self.title,
            "columns": dict(self.columns),
            "rows": rows,
            "note": self.note,
        }


def _cell(cell: Cell) -> Any:
    return cell.as_data() if isinstance(cell, MonteCarloNumber) else plain(cell)
