"""The figures of a study, from the axes and series in its result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thetahat_presentation.wording import describe_repetitions
from thetahat_service.figures.coverage import build_coverage
from thetahat_service.figures.figure import Figure, Result
from thetahat_service.figures.lines import CURVE, SHAPES
from thetahat_service.figures.log_ticks import log_ticks
from thetahat_service.figures.marks import build_layer, build_number_axis, build_rows
from thetahat_service.figures.style import Json, Palette, Style

if TYPE_CHECKING:
    from thetahat_client.results import FigureAxisDict, FigureSeriesDict, StudyFigureDict


HEIGHT: Final = 300
MANY_POINTS: Final = 60
"""Points of a series from which on they are small and pale."""
ROW: Final = 13
GAP: Final = 12
SOLID: Final = [1, 0]
DASHES: Final = ([6, 4], [2, 3], [8, 3, 2, 3])
LOG_PADDING: Final = 0.03
WIDE: Final = 1e5
"""Ratio of the ends of an axis from which on its numbers are powers of ten."""
ERRORS: Final = "Error bars are one Monte-Carlo standard error."


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesLook:
    """How one series is drawn."""

    name: str
    """Its entry in the legend."""
    colour: str
    """The colour of its quantity: series of one quantity have one colour."""
    shape: str
    """The shape of its points."""
    dash: Sequence[int]
    """The pattern of its line."""


def build_study(result: Result) -> Iterator[Figure]:
    """Yield the figures of a study, in the order of its result."""
    for figure in result.get("figures") or ():
        if any(series.get("labels") for series in figure["series"]):
            yield build_coverage(figure)
        else:
            yield _build(figure, describe_repetitions(result["study"]))


def _build(figure: StudyFigureDict, repetitions: str) -> Figure:
    series, note = figure["series"], figure.get("note", "")
    has_errors = any(line["error"] for line in series)
    caption = [note] if note else []
    caption.append(f"The numbers rest on {repetitions} of the study.")
    if has_errors and "error bar" not in note.lower():
        caption.append(ERRORS)
    names = ", ".join(entry["name"] for entry in series)
    is_categorical = bool(figure["x"]["labels"])
    return Figure(
        name=figure["name"],
        title=figure["title"],
        caption=" ".join(caption),
        alt=f"{figure['title']}: {figure['y']['title']} against {figure['x']['title']}. {names}.",
        view=lambda style: (_build_rows if is_categorical else _build_plane)(figure, style),
    )


def assign_looks(series: Sequence[FigureSeriesDict], palette: Palette) -> list[SeriesLook]:
    """Return how each series is drawn: a colour a quantity, a shape or dash a series.

    A single dashed line among others is their reference and has the colour of the text.
    """
    dashed = [entry for entry in series if entry["style"] == "dashed"]
    colours: dict[str, str] = {}
    looks: list[SeriesLook] = []
    for entry in series:
        quantity = entry.get("quantity") or entry["name"]
        is_reference = entry["style"] == "dashed" and len(dashed) == 1 and not entry.get("quantity")
        if is_reference and len(series) > 1:
            colour = palette.ink
        else:
            colour = colours.setdefault(quantity, palette.series[len(colours) % 8])
        looks.append(
            SeriesLook(
                name=entry["name"],
                colour=colour,
                shape="stroke" if entry["style"] == "dashed" else SHAPES[len(looks) % len(SHAPES)],
                dash=DASHES[0] if entry["style"] == "dashed" else SOLID,
            )
        )
    return looks


def make_points(series: FigureSeriesDict, labels: Sequence[str] = ()) -> list[Json]:
    """Return the rows of a series that have both coordinates; ``low`` and ``high`` end the bar."""
    errors = series["error"] or [None] * len(series["x"])
    rows = []
    for x, y, error in zip(series["x"], series["y"], errors, strict=True):
        if x is None or y is None:
            continue
        row: Json = {"series": series["name"], "style": series["style"], "x": x, "y": y}
        if labels:
            row["category"] = labels[int(x)]
        if error is not None:
            row |= {"error": error, "low": y - error, "high": y + error}
        rows.append(row)
    return rows


def describe_axis(axis: FigureAxisDict, ends: Sequence[float], pixels: int = 700) -> Json:
    """Return the type, title, scale and ticks of a numerical axis."""
    if axis["scale"] != "log":
        ticks: Json = {"tickCount": max(3, min(7, pixels // 60))}
        return build_number_axis(axis["title"], scale={"zero": False, "nice": True}, axis=ticks)
    positive = [end for end in ends if end > 0] or [1.0]
    low, high = min(positive), max(positive)
    if high <= low:
        low, high = 0.8 * low, 1.25 * high
    low, high = low * (low / high) ** LOG_PADDING, high * (high / low) ** LOG_PADDING
    ticks = {"values": log_ticks(low, high), "format": "~e" if high / low > WIDE else ".6~g"}
    scale = {"type": "log", "domain": [low, high], "nice": False}
    return build_number_axis(axis["title"], scale=scale, axis=ticks)


def build_series_channels(looks: Sequence[SeriesLook]) -> Json:
    """Return the encoding of colour, shape and dash by series, which make one legend."""
    names = [look.name for look in looks]
    field: Json = {"field": "series", "type": "nominal", "sort": names, "title": None}
    if len(names) == 1:
        field["legend"] = None
    ranges: Json = {
        "color": [look.colour for look in looks],
        "shape": [look.shape for look in looks],
        "strokeDash": [list(look.dash) for look in looks],
    }
    return {
        channel: {**field, "scale": {"domain": names, "range": shown}}
        for channel, shown in ranges.items()
    }


def _build_plane(figure: StudyFigureDict, style: Style) -> Json:
    """Return a figure with two numerical axes."""
    looks = assign_looks(figure["series"], style.palette)
    rows = [row for series in figure["series"] for row in make_points(series)]
    is_log = figure["y"]["scale"] == "log"
    rows = [
        row
        for row in rows
        if (row["y"] > 0 or not is_log) and (row["x"] > 0 or figure["x"]["scale"] != "log")
    ]
    if is_log:  # a bar that reaches 0 ends at the lowest value that is shown
        least = min((row["y"] for row in rows), default=1.0)
        for row in rows:
            if row.get("low", 1.0) <= 0:
                row["low"] = least
    ends = [row[key] for row in rows for key in ("y", "low", "high") if key in row]
    x = describe_axis(figure["x"], [row["x"] for row in rows], style.width)
    y = describe_axis(figure["y"], ends, HEIGHT)
    channels = build_series_channels(looks)
    lines = [entry for entry in figure["series"] if entry["style"] in ("line", "dashed")]
    marked = {
        entry["name"]
        for entry in figure["series"]
        if entry["style"] == "points"
        or (entry["style"] == "line" and len(entry["x"]) <= MANY_POINTS)
    }
    pale = any(
        entry["style"] == "points" and len(entry["x"]) > MANY_POINTS for entry in figure["series"]
    )
    tooltip = [
        {"field": "series", "title": "series"},
        {"field": "x", "title": figure["x"]["title"], "format": ".4~g"},
        {"field": "y", "title": figure["y"]["title"], "format": ".4~g"},
        {"field": "error", "title": "standard error", "format": ".2~g"},
    ]
    position: Json = {"x": {"field": "x", **x}, "y": {"field": "y", **y}}
    colour = {"color": channels["color"]}
    layers: list[Json] = []
    if any("low" in row for row in rows):
        bar: Json = {
            "x": {"field": "x", **x},
            "y": {"field": "low", **y},
            "y2": {"field": "high"},
            **colour,
        }
        opacity = 0.35 if pale else 0.8
        layers.append(
            build_layer("rule", bar, where="isValid(datum.low)", strokeWidth=1, opacity=opacity)
        )
    if lines:
        layers.append(
            build_layer(
                "line",
                {
                    **position,
                    **colour,
                    "strokeDash": channels["strokeDash"],
                    "order": {"value": None},  # as the points are listed: a curve may be closed
                    "tooltip": tooltip,
                },
                where="datum.style == 'line' || datum.style == 'dashed'",
                strokeWidth=2,
            )
        )
    if marked:
        layers.append(
            build_layer(
                "point",
                {**position, **colour, "shape": channels["shape"], "tooltip": tooltip},
                where={"field": "series", "oneOf": sorted(marked)},
                filled=True,
                size=22 if pale else 50,
                opacity=0.55 if pale else 1,
            )
        )
    return {
        **style.fit_height(HEIGHT),
        "data": {"values": rows},
        "layer": layers,
        "config": _configure_legend(looks, style),
    }


def _build_rows(figure: StudyFigureDict, style: Style) -> Json:
    """Return a figure whose categories are rows, in which the series lie below one another."""
    labels = list(figure["x"]["labels"])
    looks = assign_looks(figure["series"], style.palette)
    solid_names = [entry["name"] for entry in figure["series"] if entry["style"] != "dashed"]
    rows = [row for series in figure["series"] for row in make_points(series, labels)]
    ends = [row[key] for row in rows for key in ("y", "low", "high") if key in row]
    x = describe_axis(figure["y"], ends, style.width)
    if any(entry["style"] == "bars" for entry in figure["series"]):
        x["scale"] = {"zero": True, "nice": True}
    step = ROW * max(1, len(solid_names)) + GAP
    title, limit = figure["x"]["title"] or None, style.label_limit
    y = build_rows("category", labels, title, grid=True, labelLimit=limit)
    y["scale"] = {"domain": labels, "paddingInner": GAP / step, "paddingOuter": GAP / step / 2}
    offset: Json = {"field": "series", "type": "nominal", "sort": solid_names}
    offset["scale"] = {"domain": solid_names}
    channels = build_series_channels(looks)
    tooltip = [
        {"field": "series", "title": "series"},
        {"field": "category", "title": figure["x"]["title"] or "category"},
        {"field": "y", "title": figure["y"]["title"], "format": ".4~g"},
        {"field": "error", "title": "standard error", "format": ".2~g"},
    ]
    placed: Json = {"y": y, "yOffset": offset, "tooltip": tooltip}
    at, colour = {"x": {"field": "y", **x}}, {"color": channels["color"]}
    layers: list[Json] = []
    if any(row["style"] == "bars" for row in rows):
        layers.append(build_layer("bar", {**placed, **at, **colour}, where="datum.style == 'bars'"))
    if any("low" in row for row in rows):
        on_bars = all(row["style"] in ("bars", "dashed") for row in rows)
        bar: Json = {**placed, "x": {"field": "low", **x}, "x2": {"field": "high"}}
        layers.append(
            build_layer(
                "rule",
                {**bar, **({"color": {"value": style.palette.ink}} if on_bars else colour)},
                where="isValid(datum.low) && datum.style != 'dashed'",
                strokeWidth=1.5,
            )
        )
    if any(row["style"] in ("points", "line") for row in rows):
        layers.append(
            build_layer(
                "point",
                {**placed, **at, **colour, "shape": channels["shape"]},
                where="datum.style == 'points' || datum.style == 'line'",
                filled=True,
                size=55,
                opacity=1,
            )
        )
    if any(row["style"] == "dashed" for row in rows):
        layers.append(
            build_layer(
                "tick",
                {**at, "y": y, **colour, "tooltip": tooltip},
                where="datum.style == 'dashed'",
                thickness=2,
                bandSize=step,
            )
        )
    return {
        **style.fit_height(step * len(labels)),
        "data": {"values": rows},
        "layer": layers,
        "config": _configure_legend(looks, style),
    }


def _configure_legend(looks: Sequence[SeriesLook], style: Style) -> Json:
    """Return a configuration with as many columns of the legend as its names leave room for."""
    return {"legend": {"columns": style.count_legend_columns((look.name for look in looks), CURVE)}}
