"""The replicates of a bootstrap, with the intervals that are built on them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thetahat.analyses.bootstrap.intervals import choose_headline_interval
from thetahat.values.number_text import format_count
from thetahat_presentation.captions import phrase, write_level
from thetahat_presentation.wording import name_method
from thetahat_service.figures.figure import Figure, Result
from thetahat_service.figures.interval_rows import build_interval_rows
from thetahat_service.figures.marks import DASHED, build_layer, build_lines, build_number_axis
from thetahat_service.figures.style import Json, Style


def build_replicates(result: Result) -> Iterator[Figure]:
    """Yield the histogram of a bootstrap's replicates, if the result lists them."""
    replicates = result.get("replicates")
    if not replicates or "statistic" not in result:
        return
    statistic, estimate = name_method(result["statistic"]), result["estimate"]
    intervals = [
        {
            "method": name_method(interval["method"]),
            "lower": interval["lower"],
            "upper": interval["upper"],
            "level": interval["level"],
        }
        for interval in result["intervals"]
    ]
    level = write_level(intervals[0]["level"]) if intervals else ""
    bars = (
        f" The bars above are the {level} intervals by their names; an open end reaches the edge."
        if intervals
        else ""
    )
    error = phrase(result["standard_error"])
    yield Figure(
        name="replicates",
        title=f"Bootstrap of the {statistic}",
        caption=(
            f"The histogram is the {statistic} of {format_count(len(replicates))} resamples, and "
            f"the line the {statistic} of the sample, {phrase(estimate)}. Its standard error is "
            f"{error}.{bars}"
        ),
        alt=(
            f"Histogram of {len(replicates)} bootstrap replicates about {phrase(estimate)} with "
            f"standard error {error}."
        ),
        view=lambda style: _build_view(replicates, estimate, intervals, statistic, style),
    )


def build_components(result: Result) -> Iterator[Figure]:
    """Yield the components of a bootstrapped vector with an interval, in standard errors."""
    components = [part for part in result.get("components", ()) if part["standard_error"]]
    if "statistic" not in result or not components or not components[0]["intervals"]:
        return
    statistic = name_method(result["statistic"])
    methods = [interval["method"] for interval in components[0]["intervals"]]
    method = choose_headline_interval(methods) or methods[0]
    place = methods.index(method)
    rows = []
    for component in components:
        error, interval = component["standard_error"], component["intervals"][place]
        rows.append(
            {
                "component": component["name"],
                "estimate": component["estimate"] / error,
                "lower": None if interval["lower"] is None else interval["lower"] / error,
                "upper": None if interval["upper"] is None else interval["upper"] / error,
            }
        )
    level = write_level(components[0]["intervals"][place]["level"])
    yield Figure(
        name="components",
        title=f"Components of the {statistic}",
        caption=(
            f"Each component and its {level} {name_method(method)} interval, in units of its own "
            "standard error, so that components of different units can be compared. The line is 0."
        ),
        alt=f"Estimates and {level} intervals of {len(rows)} components of the {statistic}.",
        view=lambda style: build_interval_rows(
            rows,
            style,
            name="component",
            value="estimate",
            axis_title="estimate over its standard error",
        ),
    )


def _build_view(
    replicates: list[float], estimate: float, intervals: list[Json], statistic: str, style: Style
) -> Json:
    palette = style.palette
    counts, edges = np.histogram(replicates, bins="auto" if len(replicates) > 30 else 10)
    counts, edges = (counts, edges) if len(counts) <= 60 else np.histogram(replicates, bins=60)
    bins = [
        {"left": left, "right": right, "count": count}
        for left, right, count in zip(
            edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True
        )
    ]
    low, high = float(edges[0]), float(edges[-1])
    ends = [
        interval[end]
        for interval in intervals
        for end in ("lower", "upper")
        if interval[end] is not None
    ]
    low, high = min([low, *ends]), max([high, *ends])
    rows = [
        {
            **interval,
            "from": low if interval["lower"] is None else interval["lower"],
            "to": high if interval["upper"] is None else interval["upper"],
            "height": max(counts.tolist()) * (1.08 + 0.09 * place),
        }
        for place, interval in enumerate(intervals)
    ]
    x = build_number_axis(statistic, scale={"zero": False})
    y = build_number_axis("resamples")
    at_height: Json = {"y": {"field": "height", **y}, "x": {"field": "from", **x}}
    return {
        **style.fit_height(260 + 14 * len(rows)),
        "layer": [
            build_layer(
                "rect",
                {
                    "x": {"field": "left", **x},
                    "x2": {"field": "right"},
                    "y": {"field": "count", **y},
                    "y2": {"datum": 0},
                },
                values=bins,
                color=palette.blue,
                stroke=palette.paper,
            ),
            build_lines("estimate", x, estimate, **DASHED),
            build_layer(
                "rule",
                {
                    **at_height,
                    "x2": {"field": "to"},
                    "tooltip": [
                        {"field": "method"},
                        {"field": "lower", "format": ".4~g"},
                        {"field": "upper", "format": ".4~g"},
                    ],
                },
                values=rows,
                strokeWidth=3,
                color=palette.vermilion,
            ),
            build_layer(
                "text",
                {**at_height, "text": {"field": "method"}},
                values=rows,
                align="left",
                baseline="bottom",
                dy=-2,
                fontSize=10,
            ),
        ],
    }
