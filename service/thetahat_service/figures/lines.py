"""Lines with intervals over a numerical axis: curves of all sorts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import orjson

from thetahat_presentation.captions import write_ends
from thetahat_service.figures.log_ticks import log_ticks, thin_ticks
from thetahat_service.figures.marks import build_layer, build_number_axis
from thetahat_service.figures.style import Json, Palette, Style

HEIGHT: Final = 320
LOG_FROM: Final = 20.0
"""Ratio of the largest and the smallest value from which on an axis is logarithmic."""
SHAPES: Final = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross")
COLOURS: Final = 8
CURVE: Final = 40
"""Width of a curve in a legend, in pixels."""
Intervals = Literal["none", "bars", "band"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a figure."""

    name: str
    """Its entry in the legend."""
    x: Sequence[float]
    y: Sequence[float | None]
    """Its points, in the order in which they are connected; null is left out."""
    lower: Sequence[float | None] = ()
    upper: Sequence[float | None] = ()
    """Ends of the interval at each point; empty if there are none."""
    ringed: tuple[int, ...] = ()
    """Points that are marked by a ring, such as the one that is selected."""
    is_dashed: bool = False
    """Whether the line is dashed."""
    has_points: bool = True
    """Whether each point is marked."""
    colour: int = 0
    """The place of its colour in the palette; negative for the colour of the text."""

    def find_colour(self, palette: Palette) -> str:
        """Return the colour in a theme."""
        return palette.ink if self.colour < 0 else palette.series[self.colour % COLOURS]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinePlot:
    """The lines of a figure and their axes."""

    lines: Sequence[Line]
    """The lines, in the order of the legend."""
    x_title: str
    y_title: str
    """Titles of the axes."""
    is_log: bool = False
    """Whether the horizontal axis is logarithmic."""
    intervals: Intervals = "bars"
    """``bars``, a ``band``, or ``none``."""
    x_domain: tuple[float, float] | None = None
    y_domain: tuple[float, float] | None = None
    """Ends of the axes; None if they follow from the data."""
    square: bool = False
    """Whether the axes are equally long."""
    categories: tuple[str, ...] = field(default=())
    """Labels of the horizontal positions 0, 1, ...; empty for a numerical axis."""


def needs_log(values: Sequence[float]) -> bool:
    """Return whether numbers are so different that a logarithmic axis shows them better."""
    return min(values) > 0 and max(values) / min(values) >= LOG_FROM


def build_line_view(lines: LinePlot, style: Style) -> Json:
    """Return the marks, axes and data of lines."""
    palette = style.palette
    values = [row for line in lines.lines for row in _build_rows(line)]
    names = list(dict.fromkeys(line.name for line in lines.lines))
    first = {line.name: line for line in reversed(lines.lines)}
    colours = [first[name].find_colour(palette) for name in names]
    shapes = [
        SHAPES[place % len(SHAPES)] if first[name].has_points else "stroke"
        for place, name in enumerate(names)
    ]
    dashes = [[6, 4] if first[name].is_dashed else [1, 0] for name in names]
    legend = {"columns": style.count_legend_columns(names, CURVE)} if len(names) > 1 else None
    series: Json = {"field": "series", "type": "nominal", "sort": names, "title": None}
    series["legend"] = legend
    channels: Json = {
        channel: {**series, "scale": {"domain": names, "range": looks}}
        for channel, looks in (("color", colours), ("shape", shapes), ("strokeDash", dashes))
    }
    x, y = _build_x_axis(lines, values, style.width), _build_y_axis(lines, values)
    tooltip = [
        {"field": "series", "title": "series"},
        *[{"field": "x", "title": lines.x_title, "format": ".4~g"}] * (not lines.categories),
        {"field": "y", "title": lines.y_title, "format": ".4~g"},
        *[{"field": "interval"}] * any(line.lower for line in lines.lines),
    ]
    position: Json = {"x": {"field": "x", **x}, "y": {"field": "y", **y}}
    layers = [
        layer
        for place, line in enumerate(lines.lines)
        for layer in _build_layers(
            line, lines.intervals, position, channels, tooltip, _shift(place, lines)
        )
    ]
    size: Json = style.fit_height(HEIGHT)
    if lines.square:
        side = min(460, style.width - 90)
        size = {"width": side, "height": side}
    return {**size, "data": {"values": values}, "layer": layers}


def _shift(place: int, lines: LinePlot) -> float:
    """Return how far a line is drawn to the right, so that bars of two lines do not overlap."""
    if lines.intervals != "bars" or len(lines.lines) == 1:
        return 0.0
    shifted = [place for place, line in enumerate(lines.lines) if line.lower]
    return 5.0 * (shifted.index(place) - (len(shifted) - 1) / 2) if place in shifted else 0.0


def _build_layers(  # noqa: PLR0913 - the line and what all lines share
    line: Line,
    intervals: Intervals,
    position: Json,
    channels: Json,
    tooltip: list[Json],
    shift: float,
) -> list[Json]:
    """Return the chart layers of one line: its intervals, the line itself and its points."""
    condition = f"datum.series === {orjson.dumps(line.name).decode()}"
    colour = {"color": channels["color"]}
    layers: list[Json] = []
    if intervals != "none" and line.lower:
        is_there = f"{condition} && isValid(datum.lower) && isValid(datum.upper)"
        ends = {"y": {**position["y"], "field": "lower"}, "y2": {"field": "upper"}}
        bar: Json = {"x": position["x"], **ends, **colour}
        rule: Json = {"strokeWidth": 1.5, "opacity": 0.8, "xOffset": shift}
        layers.append(
            build_layer("area", bar, where=is_there, opacity=0.15, clip=True)
            if intervals == "band"
            else build_layer("rule", bar, where=is_there, **rule, clip=True)
        )
    path: Json = {"order": {"field": "place"}, "strokeDash": channels["strokeDash"]}
    layers.append(
        build_layer(
            "line",
            {**position, **colour, **path, "tooltip": tooltip},
            where=condition,
            strokeWidth=2,
            clip=True,
            xOffset=shift,
        )
    )
    if line.has_points:
        dot: Json = {**position, **colour, "shape": channels["shape"], "tooltip": tooltip}
        dot_look: Json = {"filled": True, "size": 50, "opacity": 1}
        layers.append(build_layer("point", dot, where=condition, **dot_look, xOffset=shift))
    if line.ringed:
        ring: Json = {"size": 220, "filled": False, "strokeWidth": 2.5, "xOffset": shift}
        is_ringed = f"{condition} && datum.ringed"
        layers.append(build_layer("point", {**position, **colour}, where=is_ringed, **ring))
    return layers


def _build_rows(line: Line) -> list[Json]:
    """Return the points of a line as rows of data."""
    lower = line.lower or [None] * len(line.x)
    upper = line.upper or [None] * len(line.x)
    return [
        {
            "series": line.name,
            "place": place,
            "x": x,
            "y": y,
            "lower": low,
            "upper": high,
            "interval": write_ends(low, high),
            "ringed": place in line.ringed,
            "has_point": line.has_points,
        }
        for place, (x, y, low, high) in enumerate(zip(line.x, line.y, lower, upper, strict=True))
        if y is not None
    ]


def _build_x_axis(lines: LinePlot, values: Sequence[Json], width: int) -> Json:
    axis = build_number_axis(lines.x_title)
    places = [row["x"] for row in values]
    if lines.categories:
        n = len(lines.categories)
        labels = list(lines.categories)
        return {
            **axis,
            "scale": {"domain": [-0.5, n - 0.5], "nice": False},
            "axis": {
                "values": list(range(n)),
                "labelExpr": f"{labels}[datum.value]",
                "labelAngle": -40 if sum(map(len, labels)) > 60 else 0,
            },
        }
    if lines.is_log:
        low, high = min(places), max(places)
        low, high = low / 1.15, high * 1.15
        ticks = thin_ticks(log_ticks(low, high), width)
        return {
            **axis,
            "scale": {"type": "log", "domain": [low, high], "nice": False},
            "axis": {"values": ticks, "tickCount": len(ticks), "format": ".6~g"},
        }
    if lines.x_domain:
        return {**axis, "scale": {"domain": list(lines.x_domain), "nice": False}}
    counts = {"axis": {"tickMinStep": 1}} if all(float(x).is_integer() for x in places) else {}
    return {**axis, **counts, "scale": {"zero": False, "padding": 12}}


def _build_y_axis(lines: LinePlot, values: Sequence[Json]) -> Json:
    """Return the vertical axis; it is cut where intervals are much longer than the line varies."""
    axis = build_number_axis(lines.y_title)
    if lines.y_domain:
        return {**axis, "scale": {"domain": list(lines.y_domain), "nice": False}}
    middle = [row["y"] for row in values]
    low, high = min(middle), max(middle)
    halves = [row["upper"] - row["y"] for row in values if row["upper"] is not None]
    usual = sorted(halves)[len(halves) // 2] if halves else 0.0
    room = max(1.5 * (high - low), 1.2 * usual) or 0.5 * abs(high) or 1.0
    lows = [row["lower"] for row in values if row["lower"] is not None]
    highs = [row["upper"] for row in values if row["upper"] is not None]
    ends = [max(min([low, *lows]), low - room), min(max([high, *highs]), high + room)]
    return {**axis, "scale": {"domain": ends, "nice": True, "zero": False}}
