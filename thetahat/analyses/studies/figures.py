"""Figures of a study, as numbers: what draws them is elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from thetahat.values.json_values import plain
from thetahat.values.types import FloatArray

Values = Sequence[float | None] | FloatArray


@dataclass(frozen=True, slots=True)
class FigureAxis:
    """An axis; ``labels`` are the names of the places 0, 1, ... where it has no numbers."""

    title: str
    scale: Literal["linear", "log"] = "linear"
    labels: tuple[str, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """Return it as the wire has it."""
        return {"title": self.title, "scale": self.scale, "labels": list(self.labels)}


@dataclass(frozen=True, slots=True, eq=False)
class FigureSeries:
    """Points that belong together.

    Parameters
    ----------
    name : str
        What the legend calls it.
    x, y : sequence of float
        (n,) each; None or NaN leaves a gap.
    error : sequence of float or None
        (n,) half of each error bar: the Monte-Carlo standard error, unless the figure says else.
    style : str
        ``line``, ``dashed`` (a reference; several go with the others), ``points`` or ``bars``.
    """

    name: str
    x: Values
    y: Values
    error: Values | None = None
    style: Literal["line", "dashed", "points", "bars"] = "line"

    def as_data(self) -> dict[str, Any]:
        """Return it as the wire has it."""
        told: dict[str, Any] = plain(
            {"name": self.name, "x": self.x, "y": self.y, "error": self.error, "style": self.style}
        )
        return told


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFigure:
    """One panel; a figure of several panels is several of these.

    ``name`` is what ``.../figures/{name}.svg`` is asked for by: lower case, digits, underscores.
    """

    name: str
    title: str
    x: FigureAxis
    y: FigureAxis
    series: tuple[FigureSeries, ...]
    note: str = ""

    def as_data(self) -> dict[str, Any]:
        """Return it as the wire has it."""
        return {
            "name": self.name,
            "title": self.title,
            "x": self.x.as_data(),
            "y": self.y.as_data(),
            "series": [series.as_data() for series in self.series],
            "note": self.note,
        }
