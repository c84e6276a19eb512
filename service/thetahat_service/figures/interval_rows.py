"""Estimates with their intervals, one below the other, beside the line at 0."""

from __future__ import annotations

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
    x: Json = {"type": "quantitative", "title": axis_title}
    y: Json = {"field": name, "type": "nominal", "title": None, "sort": None}
    shown = [{"field": key, "format": ".4~g"} for key in (value, "lower", "upper")]
    return {
        **style.fit_height(40 + 22 * len(rows)),
        "data": {"values": rows},
        "layer": [
            {
                "data": {"values": [{"zero": 0}]},
                "mark": {"type": "rule", "strokeDash": [5, 3]},
                "encoding": {"x": {"field": "zero", **x}},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 3, "color": palette.vermilion},
                "encoding": {"y": y, "x": {"field": "lower", **x}, "x2": {"field": "upper"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 60, "color": palette.blue},
                "encoding": {
                    "y": y,
                    "x": {"field": value, **x},
                    "tooltip": [{"field": name}, *shown],
                },
            },
        ],
    }
