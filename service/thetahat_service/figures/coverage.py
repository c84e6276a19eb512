"""Coverage of many intervals: a row for each, with its coverage and its width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thetahat_presentation.captions import phrase
from thetahat_service.figures.figure import Figure
from thetahat_service.figures.log_ticks import log_ticks
from thetahat_service.figures.marks import build_layer, build_number_axis
from thetahat_service.figures.style import Json, Style

if TYPE_CHECKING:
    from thetahat_client.results import StudyFigureDict

ROW: Final = 14
DOT: Final[Json] = {"filled": True, "size": 35, "opacity": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageRow:
    """One interval of one group."""

    group: str
    """The scheme or the metric."""
    label: str
    """The interval; empty for the heading of a group."""
    width: float | None = None
    """Its width over the recommended interval's."""
    coverage: float | None = None
    """Share of the repetitions in which it covered."""
    error: float | None = None
    """Monte-Carlo standard error of that share."""


def build_coverage(figure: StudyFigureDict) -> Figure:
    """Return the figure of a study whose points have labels: its intervals as rows."""
    rows: list[CoverageRow] = []
    nominal = next((s["y"][0] for s in figure["series"] if s["style"] == "dashed"), None)
    for series in figure["series"]:
        if series["style"] == "dashed":
            continue
        errors = series["error"] or [None] * len(series["x"])
        points = zip(series["labels"], series["x"], series["y"], errors, strict=True)
        rows.append(CoverageRow(group=series["name"], label=""))
        rows += sorted(
            (
                CoverageRow(group=series["name"], label=label, width=x, coverage=y, error=error)
                for label, x, y, error in points
            ),
            key=lambda row: -1.0 if row.coverage is None else -row.coverage,
        )
    groups = len({row.group for row in rows})
    n = len(rows) - groups
    level = "" if nominal is None else f" The dashed line is the nominal level, {phrase(nominal)}."
    caption = (
        f"Each row is one of {n} intervals, in {groups} groups. On the left is the "
        f"{figure['y']['title']} in which it covers, on the right its {figure['x']['title']}. "
        f"Error bars are one Monte-Carlo standard error.{level} {figure.get('note', '')}"
    )
    return Figure(
        name=figure["name"],
        title=figure["title"],
        caption=caption.strip(),
        alt=f"{figure['title']}: coverage and width of {n} intervals in {groups} groups.",
        view=lambda style: _build_view(figure, rows, nominal, style),
    )


def _build_view(
    figure: StudyFigureDict, rows: list[CoverageRow], nominal: float | None, style: Style
) -> Json:
    palette = style.palette
    values: list[Json] = [
        {
            "row": f"{place}\t{row.label or row.group}",
            "group": row.group,
            "interval": row.label,
            "width": row.width,
            "coverage": row.coverage,
            "low": None
            if row.coverage is None or row.error is None
            else max(0.0, row.coverage - row.error),
            "high": None
            if row.coverage is None or row.error is None
            else min(1.0, row.coverage + row.error),
        }
        for place, row in enumerate(rows)
    ]
    order = [value["row"] for value in values]
    headings = [value["row"] for value in values if not value["interval"]]
    axis: Json = {
        "ticks": False,
        "domain": False,
        "grid": True,
        "labelFontSize": 11,
        "labelLimit": style.label_limit,
        "labelExpr": "split(datum.value, '\\t')[1]",
        "labelFontWeight": {
            "condition": {"test": f"indexof({headings!r}, datum.value) >= 0", "value": "bold"},
            "value": "normal",
        },
    }
    y: Json = {"field": "row", "type": "nominal", "sort": order, "title": None, "axis": axis}
    right: Json = {**y, "axis": {**axis, "labels": False}}
    widths = [row.width for row in rows if row.width]
    low, high = min(widths, default=1.0), max(widths, default=1.0)
    span = (0.97 * low, 1.03 * high)
    ticks = log_ticks(*span)
    tooltip = [
        {"field": "group"},
        {"field": "interval"},
        {"field": "coverage", "format": ".3~f"},
        {"field": "width", "format": ".3~g"},
    ]
    share = build_number_axis(
        figure["y"]["title"], scale={"zero": False}, axis={"tickCount": 5, "orient": "top"}
    )
    ratio = build_number_axis(
        figure["x"]["title"],
        scale={"type": "log", "domain": list(span), "nice": False},
        axis={"orient": "top", **({"values": ticks, "format": ".3~g"} if ticks else {})},
    )
    longest = max(len(row.label or row.group) for row in rows)
    room = style.width - min(style.label_limit, 6 * longest) - 60
    shares = [
        build_layer(
            "rule",
            {"y": y, "x": {"field": "low", **share}, "x2": {"field": "high"}},
            color=palette.blue,
            strokeWidth=1.5,
        ),
        build_layer(
            "point",
            {"y": y, "x": {"field": "coverage", **share}, "tooltip": tooltip},
            **DOT,
            color=palette.blue,
        ),
    ]
    if nominal is not None:
        reference = build_layer(
            "rule",
            {"x": {"field": "level", **share}},
            values=[{"level": nominal}],
            strokeDash=[5, 3],
            color=palette.ink,
        )
        shares.insert(0, reference)
    ratios = [
        build_layer(
            "rule", {"x": {"field": "one", **ratio}}, values=[{"one": 1}], color=palette.faint
        ),
        build_layer(
            "point",
            {"y": right, "x": {"field": "width", **ratio}, "tooltip": tooltip},
            **DOT,
            color=palette.purple,
            shape="diamond",
        ),
    ]
    return {
        "data": {"values": values},
        "spacing": 16,
        "hconcat": [
            {"width": max(80, round(0.62 * room)), "height": {"step": ROW}, "layer": shares},
            {"width": max(60, round(0.38 * room)), "height": {"step": ROW}, "layer": ratios},
        ],
    }
