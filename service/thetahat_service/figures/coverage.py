"""Coverage of many intervals: a row for each, with its coverage and its width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from thetahat_presentation.captions import phrase
from thetahat_service.figures.figure import Figure
from thetahat_service.figures.log_ticks import log_ticks
from thetahat_service.figures.marks import build_layer, build_lines, build_number_axis, build_rows
from thetahat_service.figures.style import Json, Style

if TYPE_CHECKING:
    from thetahat_client.results import StudyFigureDict

ROW: Final = 14
DOT: Final[Json] = {"filled": True, "size": 35, "opacity": 1}


def build_coverage(figure: StudyFigureDict) -> Figure:
    """Return the figure of a study whose points have labels: its intervals as rows."""
    rows: list[Json] = []
    nominal = next((s["y"][0] for s in figure["series"] if s["style"] == "dashed"), None)
    for series in figure["series"]:
        if series["style"] == "dashed":
            continue
        errors = series["error"] or [None] * len(series["x"])
        points = zip(series["labels"], series["x"], series["y"], errors, strict=True)
        rows.append(_make_row(series["name"], "", None, None, None))
        rows += sorted(
            (_make_row(series["name"], *point) for point in points),
            key=lambda row: -1.0 if row["coverage"] is None else -row["coverage"],
        )
    groups = len({row["group"] for row in rows})
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


def _make_row(
    group: str, label: str, width: float | None, coverage: float | None, error: float | None
) -> Json:
    """Return the row of an interval; the heading of its group has no label.

    The width is that over the recommended interval's, and the error that of the coverage.
    """
    bar = None if coverage is None or error is None else (coverage - error, coverage + error)
    return {
        "group": group,
        "interval": label,
        "width": width,
        "coverage": coverage,
        "low": bar and max(0.0, bar[0]),
        "high": bar and min(1.0, bar[1]),
    }


def _build_view(
    figure: StudyFigureDict, rows: list[Json], nominal: float | None, style: Style
) -> Json:
    palette = style.palette
    names = [row["interval"] or row["group"] for row in rows]
    order = [f"{place}:{name}" for place, name in enumerate(names)]
    values = [{"row": label, **row} for label, row in zip(order, rows, strict=True)]
    headings = [value["row"] for value in values if not value["interval"]]
    is_heading = f"indexof({headings!r}, datum.value) >= 0"
    weight: Json = {"condition": {"test": is_heading, "value": "bold"}, "value": "normal"}
    shown = "slice(datum.value, indexof(datum.value, ':') + 1)"
    look: Json = {"labelFontSize": 11, "labelExpr": shown, "labelFontWeight": weight}
    y = build_rows("row", order, grid=True, labelLimit=style.label_limit, **look)
    right: Json = {**y, "axis": {**y["axis"], "labels": False}}
    widths = [row["width"] for row in rows if row["width"]]
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
    room = style.width - min(style.label_limit, 6 * max(map(len, names))) - 60
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
        reference = build_lines("level", share, nominal, strokeDash=[5, 3], color=palette.ink)
        shares.insert(0, reference)
    ratios = [
        build_lines("one", ratio, 1, color=palette.faint),
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
