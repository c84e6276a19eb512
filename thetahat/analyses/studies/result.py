"""The parts of a study's result: numbers with errors, tables, figures and judged claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat.values.types import FloatArray

ClaimVerdict: TypeAlias = Literal["holds", "fails", "undecided"]
SeriesStyle: TypeAlias = Literal["line", "dashed", "points", "bars"]
AxisScale: TypeAlias = Literal["linear", "log"]


TableCell: TypeAlias = MonteCarloNumber | float | int | str | None
TableRow: TypeAlias = Mapping[str, TableCell]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyTable:
    """A table with named columns."""

    name: str
    """The table's name in the result, unique within the study."""
    title: str
    """The table's title for readers."""
    columns: Mapping[str, str]
    """The heading of each column, by the key that the rows use."""
    rows: tuple[TableRow, ...]
    """The rows; each has a cell for every column: a number with its standard error, a plain number,
    a text, or null for an empty cell."""
    note: str = ""
    """How to read the table."""


def make_table(
    name: str,
    title: str,
    columns: Mapping[str, str],
    rows: Iterable[TableRow],
    note: str = "",
) -> StudyTable:
    """Return a table; cells that a row lacks are empty, and keys that are no column are dropped."""
    complete = tuple({key: row.get(key) for key in columns} for row in rows)
    return StudyTable(name=name, title=title, columns=columns, rows=complete, note=note)


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureAxis:
    """An axis of a figure."""

    title: str
    """The axis label, with units where there are any."""
    scale: AxisScale = "linear"
    """``linear`` or ``log``."""
    labels: tuple[str, ...] = ()
    """The names of the categories at 0, 1, ...; empty for a numerical axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureSeries:
    """A set of points that a figure draws together."""

    name: str
    """The entry in the legend."""
    x: tuple[float | None, ...]
    """Horizontal coordinates; null leaves a gap. A line joins its points in this order."""
    y: tuple[float | None, ...]
    """Vertical coordinates, one for each of ``x``; null leaves a gap."""
    error: tuple[float | None, ...] | None
    """Half the length of each error bar: one Monte-Carlo standard error, unless the figure's note
    says otherwise. Null if there are no error bars."""
    style: SeriesStyle = "line"
    """``line``, ``dashed`` (a reference line), ``points`` or ``bars``."""
    quantity: str | None = None
    """What the series shows, if another series of the figure shows it too: series of one quantity
    have one colour."""
    labels: tuple[str, ...] | None = None
    """The name of each point, if the points are different things."""


Coordinates: TypeAlias = Sequence[float | None] | Sequence[float] | FloatArray


def make_series(  # noqa: PLR0913 - the fields of a series
    name: str,
    x: Coordinates,
    y: Coordinates,
    error: Coordinates | None = None,
    style: SeriesStyle = "line",
    *,
    quantity: str | None = None,
    labels: Sequence[str] | None = None,
) -> FigureSeries:
    """Return a series from sequences or arrays."""
    return FigureSeries(
        name=name,
        x=_convert_to_tuple(x),
        y=_convert_to_tuple(y),
        error=None if error is None else _convert_to_tuple(error),
        style=style,
        quantity=quantity,
        labels=None if labels is None else tuple(labels),
    )


def make_series_of_numbers(  # noqa: PLR0913 - the fields of a series
    name: str,
    x: Coordinates,
    numbers: Sequence[MonteCarloNumber],
    style: SeriesStyle = "line",
    *,
    quantity: str | None = None,
    labels: Sequence[str] | None = None,
) -> FigureSeries:
    """Return a series of Monte-Carlo numbers with their standard errors as error bars."""
    values = [number.value for number in numbers]
    errors = [number.standard_error for number in numbers]
    return make_series(name, x, values, errors, style, quantity=quantity, labels=labels)


def _convert_to_tuple(values: Coordinates) -> tuple[float | None, ...]:
    return tuple(values.tolist() if isinstance(values, np.ndarray) else values)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFigure:
    """One panel of a figure, as numbers; a figure with several panels is several of these."""

    name: str
    """The figure's name in the result and in its address ``.../figures/NAME.svg``: lower-case
    letters, digits and underscores."""
    title: str
    """The figure's title for readers."""
    x: FigureAxis
    """The horizontal axis."""
    y: FigureAxis
    """The vertical axis."""
    series: tuple[FigureSeries, ...]
    """The lines and points, in the order of the legend."""
    note: str = ""
    """How to read the figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyClaim:
    """A sentence of a source, judged by a number of the study."""

    text: str
    """The claim, in the sense of the source."""
    reference: str
    """Key of the source in ``thetahat.references.REFERENCES``; empty for a rule of this
    software."""
    place: str
    """Where the source makes the claim, such as ``Figure 2`` or ``section 4.1``."""
    verdict: ClaimVerdict
    """``holds`` if the number is within the bounds by three standard errors or more, ``fails`` if
    it is outside by more than three, else ``undecided``."""
    measured: str
    """What the number that decides is, in words."""
    figure: float | None
    """The number that decides."""
    standard_error: float | None
    """Its Monte-Carlo standard error; 0 for a closed form, null if it is unknown."""
    at_least: float | None
    """The lower bound; null if there is none."""
    at_most: float | None
    """The upper bound; null if there is none."""
    undecided_because: str | None = None
    """Why the claim is undecided: how near the number is to its bound, and how many times as many
    repetitions would decide it. Left out where it is decided."""
