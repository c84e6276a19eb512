"""Estimates with their intervals, one below the other, beside the line at 0."""

from __future__ import annotations

from thetahat_service.figures.marks import build_layer, build_lines, build_number_axis
from thetahat_service.figures.style import Json, Style


def build_interval_rows(
    rows: list[Json], style: Style, *, name: str, value: str, axis_title: str
) -> Json:
    """Return the specification of a row for each estimate.

    Parameters
    ----------
    rows : list of dict
        The estimates, with ``lower`` and ``upper``.
    name, value : str
        The keys of a row's name and of its estimate.
    axis_title : str
        What the estimates are.
    """
    palette = style.palette
    x = build_number_axis(axis_title)
    y: Json = {"field": name, "type": "nominal", "title": None, "sort": None}
    shown = [{"field": key, "format": ".4~g"} for key in (value, "lower", "upper")]
    bar: Json = {"y": y, "x": {"field": "lower", **x}, "x2": {"field": "upper"}}
    dot: Json = {"y": y, "x": {"field": value, **x}, "tooltip": [{"field": name}, *shown]}
    return {
        **style.fit_height(40 + 22 * len(rows)),
        "data": {"values": rows},
        "layer": [
            build_lines("zero", x, 0, strokeDash=[5, 3]),
            build_layer("rule", bar, strokeWidth=3, color=palette.vermilion),
            build_layer("point", dot, filled=True, size=60, color=palette.blue),
        ],
    }
